import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Fault } from './fault.ts'
import { declarations, isName, matchesIn, parseFragment, parseSource, roleName, visit } from './match-syntax.ts'
import type { Match, Node } from './match-syntax.ts'

const source = join(import.meta.dirname, '../../../src')

/** The source text with the fault. Throws if the place of the fault is gone, or if several places fit equally well. */
export function planted(fault: Fault, right: string): string {
  const program = parseSource(right)
  const place = placeOf(fault, program, right)
  const wrong = right.slice(0, place.start) + fitted(fault.replace, place, right) + right.slice(place.end)
  return withPrelude(wrong, fault.prelude)
}

/** Makes this process load one file with a fault. The file stays unchanged. */
export function plant(name: string, faults: readonly Fault[]): void {
  const fault = faults.find((one) => one.name === name) ?? faults.find((one) => one.name.includes(name))
  if (!fault) throw new Error(`no fault is named ${name}`)
  const path = join(source, fault.file)
  const url = pathToFileURL(path).href
  const wrong = planted(fault, readFileSync(path, 'utf8'))
  registerHooks({
    load(asked, context, next) {
      const loaded = next(asked, context)
      return asked === url ? { ...loaded, source: wrong } : loaded
    },
  })
}

/** The place with the fewest other names. At most half of the names may differ, or the code means something else. */
function placeOf({ name, file, in: within, find }: Fault, program: Node, text: string): Match {
  const fragment = parseFragment(find)
  const scopes = declarations(program, within)
  const matches = (scopes.length > 0 ? scopes : [program])
    .flatMap((scope) => matchesIn(scope, fragment))
    .filter(({ names, renamed }) => renamed * 2 <= names.size)
  const fewest = Math.min(...matches.map(({ renamed }) => renamed))
  const starts = new Map(matches.filter((one) => one.renamed === fewest).map((one) => [one.start, one]))
  const [place, another] = starts.values()
  const where = scopes.length > 0 ? `in ${within} of ${file}` : `in ${file}, which no longer declares ${within}`
  if (!place)
    throw new Error(`the fault "${name}" has no place ${where}. Quote the code that took the place of: ${find}`)
  if (!another) return place
  const lines = [...starts.keys()].map((at) => text.slice(0, at).split('\n').length)
  throw new Error(
    `the fault "${name}" has several places ${where} (lines ${lines.join(', ')}). Quote more than: ${find}`,
  )
}

/** The replacement with the names of the source, and with its code in the place of names that begin with `$`. */
function fitted(code: string, { names, holes, renamed }: Match, right: string): string {
  if (renamed === 0 && holes.size === 0) return code
  const { nodes, offset } = parseFragment(code)
  const edits = new Map<number, { end: number; by: string }>()
  for (const node of nodes)
    visit(node, (inner, role) => {
      if (!isName(inner)) return
      const name = inner['name'] as string
      const hole = holes.get(name)
      const by = hole ? right.slice(hole.start, hole.end) : (names.get(roleName(role, name)) ?? name)
      const key = edits.get(inner.start)?.by ?? by
      // The key and the value of `{ amount }` stand at one place.
      edits.set(inner.start, { end: inner.end, by: key === by ? by : `${key}: ${by}` })
    })
  return [...edits]
    .sort(([a], [b]) => b - a)
    .reduce((text, [start, { end, by }]) => text.slice(0, start - offset) + by + text.slice(end - offset), code)
}

function withPrelude(text: string, prelude: string | undefined): string {
  if (prelude === undefined) return text
  const imports = (parseSource(text)['body'] as Node[]).filter(({ type }) => type === 'ImportDeclaration')
  const end = imports.at(-1)?.end ?? 0
  return `${text.slice(0, end)}\n${prelude}${text.slice(end)}`
}
