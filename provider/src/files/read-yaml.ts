import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import type { Node, ParsedNode } from 'yaml'

/** A member of the file, from its root. */
export type Place = readonly (string | number)[]

/** One line that says what is wrong with a provider file, and where. */
export class FileFault extends Error {
  constructor(file: string, line: number, column: number, what: string) {
    super(`${file}:${line}:${column}: ${what.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ').slice(0, 300)}`)
    this.name = 'FileFault'
  }
}

/** A file as plain values, and the fault of a place in it. `offset` counts characters of a text. */
export interface SourceFile {
  value: unknown
  fault(place: Place, what: string, more?: { atKey?: boolean; offset?: number }): FileFault
}

const mostBytes = 32_768
const deepest = 14
const mostOpen = 60
/** Collections that open on one line: the parser calls itself for each of them. */
const nestedLine = /^(?:[ \t]*[-?:][ \t]){12}/m

/** Reads a provider file. Throws `FileFault` for anything but plain YAML: no aliases, no tags, one document, of bounded size. */
export function readYaml(file: string, source: string): SourceFile {
  const fail = (what: string) => new FileFault(file, 1, 1, what)
  if (Buffer.byteLength(source) > mostBytes) throw fail(`the file has more than ${mostBytes} bytes`)
  if (isNestedTooDeep(source)) throw fail(`the file is nested too deep`)
  const { LineCounter, parseAllDocuments, visit, isAlias, isScalar, isPair, isNode } = yaml()
  const lines = new LineCounter()
  const [document, second] = attempt(() => parseAllDocuments(source, { lineCounter: lines, schema: 'core' })) ?? []
  const at = (offset: number, what: string) => {
    const { line, col } = lines.linePos(offset)
    return new FileFault(file, Math.max(1, line), Math.max(1, col), what)
  }
  if (!document || second) throw fail('the file has to be one YAML document')
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) throw at(problem.pos[0], problem.message.split(' at line ')[0] ?? 'this is not YAML')
  visit(document, (_key, node, path) => {
    if (!isNode(node)) return
    const offset = node.range?.[0] ?? 0
    if (isAlias(node) || node.anchor) throw at(offset, 'anchors and aliases are not allowed')
    if (node.tag) throw at(offset, 'tags are not allowed')
    if (path.filter((one) => isNode(one)).length > deepest) throw at(offset, 'this is nested too deep')
    const holder = path.at(-1)
    if (isPair(holder) && holder.key === node && !(isScalar(node) && typeof node.value === 'string'))
      throw at(offset, 'a key has to be a text')
    if (isScalar(node) && node.value === '__proto__') throw at(offset, '__proto__ is not allowed')
  })
  return {
    value: document.toJS({ maxAliasCount: 0 }) as unknown,
    fault(place, what, { atKey = false, offset = 0 } = {}) {
      const node = atKey ? keyNode(document.contents, place) : nodeAt(document.contents, place)
      const isPlain = node && isScalar(node) && node.type === 'PLAIN'
      // A quoted text begins after its quotation mark; one over several lines is found by its beginning only.
      const inside = isPlain ? offset : offset > 0 ? offset + 1 : 0
      return at((node?.range?.[0] ?? 0) + inside, what)
    },
  }
}

let loaded: typeof Yaml | null = null

/** Loaded with the first file: most starts need none. */
function yaml(): typeof Yaml {
  return (loaded ??= createRequire(import.meta.url)('yaml') as typeof Yaml)
}

/** The result of a parser, or undefined where it throws. */
export function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** A deep file would exhaust the stack of the parser, slowly. */
function isNestedTooDeep(source: string): boolean {
  if (nestedLine.test(source)) return true
  let open = 0
  for (const character of source) {
    if (character === '[' || character === '{') open++
    else if (character === ']' || character === '}') open = Math.max(0, open - 1)
    if (open > mostOpen) return true
  }
  return false
}

/** The node of a place, or of the nearest one around it. */
function nodeAt(root: ParsedNode | null, place: Place): Node | null {
  const { isCollection, isNode } = yaml()
  let node: Node | null = root
  for (const part of place) {
    const inner: unknown = isCollection(node) ? node.get(part, true) : undefined
    if (!isNode(inner)) return node
    node = inner
  }
  return node
}

function keyNode(root: ParsedNode | null, place: Place): Node | null {
  const { isMap, isScalar } = yaml()
  const holder = nodeAt(root, place.slice(0, -1))
  const pair = isMap(holder) ? holder.items.find(({ key }) => isScalar(key) && key.value === place.at(-1)) : null
  return (pair?.key as Node | undefined) ?? holder
}
