import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import type { Node, ParsedNode } from 'yaml'

/** The path of a member from the root of the file. */
export type Place = readonly (string | number)[]

/** A fault of a provider file, as one line with its position. */
export class FileFault extends Error {
  constructor(file: string, line: number, column: number, what: string) {
    super(`${file}:${line}:${column}: ${what.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ').slice(0, 300)}`)
    this.name = 'FileFault'
  }
}

/** A parsed file, and the faults of its places. `offset` counts characters within a text. */
export interface SourceFile {
  value: unknown
  fault(place: Place, what: string, more?: { atKey?: boolean; offset?: number }): FileFault
}

const mostBytes = 32_768
const deepest = 14
const mostOpen = 60
/** Many collections opened on one line: the parser recurses into each. */
const nestedLine = /^(?:[ \t]*[-?:][ \t]){12}/m

/** Parses a provider file: one plain YAML document of limited size, without aliases and tags. Throws `FileFault`. */
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
  if (!document || second) throw fail('the file must be one YAML document')
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
      throw at(offset, 'a key must be a text')
    if (isScalar(node) && node.value === '__proto__') throw at(offset, '__proto__ is not allowed')
  })
  return {
    value: document.toJS({ maxAliasCount: 0 }) as unknown,
    fault(place, what, { atKey = false, offset = 0 } = {}) {
      const node = atKey ? keyNode(document.contents, place) : nodeAt(document.contents, place)
      const isPlain = node && isScalar(node) && node.type === 'PLAIN'
      // A quoted text begins after its quotation mark. For text of several lines, only its start is exact.
      const inside = isPlain ? offset : offset > 0 ? offset + 1 : 0
      return at((node?.range?.[0] ?? 0) + inside, what)
    },
  }
}

let loaded: typeof Yaml | null = null

/** Loads the parser with the first file, because most starts need none. */
function yaml(): typeof Yaml {
  return (loaded ??= createRequire(import.meta.url)('yaml') as typeof Yaml)
}

/** Returns the result of a parser, or undefined if it throws. */
export function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Detects deep nesting, which would slowly exhaust the parser's stack. */
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

/** The node of a place, or its nearest existing ancestor. */
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
