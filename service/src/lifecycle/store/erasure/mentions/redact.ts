import { leafOf } from '../../../../records/body/exact-json.ts'
import type { Mention } from './mentions.ts'

type Test = (key: string, value: unknown) => Mention
type Path = (string | number)[]

interface Options {
  /** Whether an object outside a list may become null; the contract forbids that in our own records. */
  objects: boolean
}

/**
 * Removes a subject from someone else's data: the smallest list element that names it (an entry of "similar people"),
 * else the object around the name, else the text itself. A part that is more than half of the whole counts as the main
 * content, so only the text in it is removed. Returns the number of changes.
 */
export function redact(root: unknown, test: Test, options: Options): number {
  let changed = 0
  // Each cut may move what follows, so cuts are made one at a time. Each makes the data smaller, so the loop ends.
  for (let hit = findMention(root, test); hit; hit = findMention(root, test)) {
    cut(root, targetOf(root, hit, options), hit.mention === 'key')
    changed++
  }
  return changed
}

interface Hit {
  path: Path
  mention: Mention | 'key'
}

/** The first field that names the subject, or null. A name may also be the key of an object. */
export function findMention(root: unknown, test: Test): Hit | null {
  const walk = (node: unknown, key: string, path: Path): Hit | null => {
    const leaf = leafOf(node)
    if (leaf !== undefined) {
      const mention = test(key, leaf)
      return mention && path.length > 0 ? { path, mention } : null
    }
    for (const [name, child] of Object.entries(node as object)) {
      const step = Array.isArray(node) ? Number(name) : name
      if (typeof step === 'string' && test('', step)) return { path: [...path, step], mention: 'key' }
      const hit = walk(child, typeof step === 'string' ? step : key, [...path, step])
      if (hit) return hit
    }
    return null
  }
  return walk(root, '', [])
}

/** The path of the part to remove. */
function targetOf(root: unknown, { path, mention }: Hit, { objects }: Options): Path {
  const whole = weight(root)
  if (mention !== 'exact') return path
  for (let length = path.length - 1; length > 0; length--) {
    const isElement = typeof path[length - 1] === 'number'
    if (isElement && weight(at(root, path.slice(0, length))) * 2 <= whole) return path.slice(0, length)
  }
  if (typeof path.at(-1) === 'number' || !objects) return path
  const around = path.slice(0, -1)
  return around.length > 0 && weight(at(root, around)) * 2 <= whole ? around : path
}

function at(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((node, step) => (node as Record<string | number, unknown>)[step], root)
}

function weight(node: unknown): number {
  return (JSON.stringify(node) ?? '').length
}

function cut(root: unknown, path: Path, drop: boolean): void {
  const last = path.at(-1)
  const parent = at(root, path.slice(0, -1)) as Record<string, unknown> | unknown[]
  if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else if (drop) delete parent[String(last)]
  else parent[String(last)] = null
}
