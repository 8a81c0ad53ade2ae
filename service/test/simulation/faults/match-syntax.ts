import { isDeepStrictEqual } from 'node:util'
import { parseAst } from 'rolldown/parseAst'

/** A node of a syntax tree, as the parser returns it. */
export interface Node {
  type: string
  start: number
  end: number
  [member: string]: unknown
}

/** Nodes that stand side by side: one expression, or statements, members or properties in a row. */
export interface Fragment {
  nodes: readonly Node[]
  /** The number of characters that were put before the fragment to parse it. */
  offset: number
}

/** A place that has the shape of a fragment. */
export interface Match {
  start: number
  end: number
  /** The name in the source of each name in the fragment, by the role and the name there. */
  names: ReadonlyMap<string, string>
  /** The node in the source of each name in the fragment that begins with `$`. */
  holes: ReadonlyMap<string, Node>
  /** The number of names that differ. */
  renamed: number
}

const options = { lang: 'ts', preserveParens: false } as const
/** Members that say where a node stands, or how it was written. */
const notCompared = new Set(['start', 'end', 'raw', 'shorthand'])

/** The syntax tree of a source text. */
export function parseSource(text: string): Node {
  return parseAst(text, options) as unknown as Node
}

/** The texts around a fragment that make a program of it, and the nodes of the fragment in that program. */
const wrappers: readonly [before: string, after: string, nodes: (program: Node) => readonly Node[]][] = [
  [
    'async function* _() { for (;;) {',
    '\n} }',
    (program) => statements(bodyOf(first(bodyOf(first(nodesIn(program)))))),
  ],
  ['(', '\n)', (program) => [only(first(nodesIn(program)), 'expression')]],
  ['({', '\n})', (program) => nodesIn(only(first(nodesIn(program)), 'expression'), 'properties')],
  ['class _ {', '\n}', (program) => nodesIn(only(first(nodesIn(program)), 'body'))],
]

/** Parses an expression, statements, properties or class members. Throws for any other text. */
export function parseFragment(code: string): Fragment {
  for (const [before, after, nodesOf] of wrappers) {
    try {
      const nodes = nodesOf(parseSource(before + code + after))
      // A property such as `amount: 1` is a labelled statement too, and an object may be a block.
      if (nodes.some(({ type }) => type === 'LabeledStatement' || type === 'BlockStatement')) continue
      return { nodes, offset: before.length }
    } catch {
      continue
    }
  }
  throw new Error(`it is neither an expression nor statements, properties or members:\n${code}`)
}

/**
 * The places below a node that have the shape of a fragment. Whitespace, comments, parentheses and trailing commas do not
 * count. A name may differ if it differs everywhere in the place. A name that begins with `$` fits any node.
 */
export function matchesIn(scope: Node, { nodes }: Fragment): Match[] {
  const found: Match[] = []
  const tryRun = (run: readonly unknown[]) => {
    const bound: Bound = { names: new Map(), holes: new Map() }
    if (!sameShape(nodes, run, bound, 'variable')) return
    const [begin, last] = [run[0] as Node, run.at(-1) as Node]
    const renamed = [...bound.names].filter(([role, name]) => nameOf(role) !== name).length
    found.push({ start: begin.start, end: last.end, ...bound, renamed })
  }
  visit(scope, (node) => {
    if (nodes.length === 1) tryRun([node])
    else for (const list of listsOf(node)) list.forEach((_, at) => tryRun(list.slice(at, at + nodes.length)))
  })
  return found
}

/** Every declaration of a name: function, constant, method or property. */
export function declarations(program: Node, name: string): Node[] {
  const found: Node[] = []
  visit(program, (node) => {
    const named = (node['id'] ?? node['key']) as Node | null | undefined
    if (named?.['name'] === name && !['ImportSpecifier', 'TSPropertySignature'].includes(node.type)) found.push(node)
  })
  return found
}

/** Calls a function with a node and all nodes below it. */
export function visit(node: Node, see: (node: Node, role: string) => void, role = 'variable'): void {
  see(node, role)
  for (const [member, value] of Object.entries(node))
    for (const inner of Array.isArray(value) ? value : [value])
      if (isNode(inner)) visit(inner, see, roleOf(node, member))
}

/** A name's role and text: the name of a variable says nothing about a property of the same name. */
export const roleName = (role: string, name: string) => `${role} ${name}`
const nameOf = (role: string) => role.slice(role.indexOf(' ') + 1)

function roleOf(parent: Node, member: string): string {
  return (member === 'key' || member === 'property') && parent['computed'] !== true ? 'property' : 'variable'
}

interface Bound {
  names: Map<string, string>
  holes: Map<string, Node>
}

function sameShape(pattern: unknown, source: unknown, bound: Bound, role: string): boolean {
  if (Array.isArray(pattern))
    return (
      Array.isArray(source) &&
      pattern.length === source.length &&
      pattern.every((inner, at) => sameShape(inner, source[at], bound, role))
    )
  if (!isNode(pattern) || !isNode(source)) return isDeepStrictEqual(pattern, source)
  const hole = holeIn(pattern)
  if (hole) return bound.holes.set(hole, source).size > 0
  if (pattern.type !== source.type) return false
  if (isName(pattern)) return sameName(pattern, source, bound.names, role)
  if (pattern.type === 'TemplateElement') return words(pattern) === words(source)
  return Object.keys(pattern).every(
    (member) => notCompared.has(member) || sameShape(pattern[member], source[member], bound, roleOf(pattern, member)),
  )
}

/** The name of a hole, as an expression or as a statement. */
function holeIn(pattern: Node): string | null {
  const node = pattern.type === 'ExpressionStatement' ? only(pattern, 'expression') : pattern
  return node.type === 'Identifier' && String(node['name']).startsWith('$') ? String(node['name']) : null
}

function sameName(wanted: Node, given: Node, names: Map<string, string>, role: string): boolean {
  const [key, name] = [roleName(role, wanted['name'] as string), given['name'] as string]
  const before = names.get(key)
  if (before !== undefined) return before === name
  const isTaken = [...names].some(([other, taken]) => taken === name && other.startsWith(`${role} `))
  if (!isTaken) names.set(key, name)
  return !isTaken
}

/** The text of a part of a template, in which SQL may be broken into lines. */
function words(element: Node): string {
  return (element['value'] as { raw: string }).raw.replaceAll(/\s+/g, ' ')
}

export const isName = ({ type }: Node) => type === 'Identifier' || type === 'PrivateIdentifier'

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

function listsOf(node: Node): Node[][] {
  return Object.values(node).filter((value): value is Node[] => Array.isArray(value) && value.every(isNode))
}

/** Statements; a lone expression stands for itself, wherever it occurs. */
function statements(body: readonly Node[]): readonly Node[] {
  return body.map((one) => (body.length === 1 && one.type === 'ExpressionStatement' ? only(one, 'expression') : one))
}

const only = (node: Node, member: string) => node[member] as Node
const nodesIn = (node: Node, member = 'body') => node[member] as Node[]
const bodyOf = (node: Node) => nodesIn(only(node, 'body'))

function first(nodes: readonly Node[]): Node {
  const [node] = nodes
  if (!node || nodes.length > 1) throw new Error('one node was expected')
  return node
}
