import { argumentFault, functions } from './functions.ts'

/** The roots of paths: the item of a list, the record in the payload, and the payload. */
export interface Scope {
  item: unknown
  record: unknown
  payload: unknown
}

/** A path with its text for messages. */
export interface Path {
  text: string
  /** Whether any payload had this path. */
  isSeen: boolean
  read(scope: Scope): unknown
}

/** A compiled expression, which reads values from a payload. */
export interface Expression {
  paths: Path[]
  /** The number of values it returns. */
  width: number
  read(scope: Scope): unknown[]
}

/** Builds the error for a character of the expression. */
type Fail = (what: string, offset: number) => Error

const longest = 400
const mostCalls = 8
const mostStars = 2
const segment = /^(?:[A-Za-z\d_@-]{1,100}|\*)$/

/** Compiles `path, path | function('argument') | ...`. Throws the error that `fail` builds. */
export function compileExpression(source: string, fail: Fail): Expression {
  if (source.length > longest) throw fail(`an expression has at most ${longest} characters`, 0)
  if ((source.split("'").length - 1) % 2 === 1) throw fail('a quotation mark is not closed', source.indexOf("'"))
  const [values = { text: '', offset: 0 }, ...calls] = split(source, '|', 0)
  if (calls.length > mostCalls) throw fail(`an expression calls at most ${mostCalls} functions`, 0)
  const paths: Path[] = []
  const reads = split(values.text, ',', values.offset).map(({ text, offset }) => {
    const constant = constantIn(text)
    if (constant !== null) return () => constant
    const path = compilePath(text, (what) => fail(what, offset))
    paths.push(path)
    return (scope: Scope) => {
      const value = path.read(scope)
      if (value !== undefined) path.isSeen = true
      return value
    }
  })
  let width = reads.length
  const steps = calls.map((call) => {
    const { apply, gives } = compileCall(call, width, fail)
    width = gives
    return apply
  })
  const read = (scope: Scope) => {
    let given = reads.map((one) => one(scope))
    for (const step of steps) given = step(given)
    return given
  }
  return { paths, width, read }
}

type Piece = { text: string; offset: number }

/** Splits at separators outside of quotation marks, and trims the pieces. */
function split(text: string, separator: string, offset: number): Piece[] {
  const pieces: Piece[] = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === "'") isQuoted = !isQuoted
    if (at < text.length && (isQuoted || text[at] !== separator)) continue
    const piece = text.slice(start, at)
    pieces.push({ text: piece.trim(), offset: offset + start + piece.length - piece.trimStart().length })
    start = at + 1
  }
  return pieces
}

function constantIn(text: string): string | null {
  return text.length > 1 && text.startsWith("'") && text.indexOf("'", 1) === text.length - 1 ? text.slice(1, -1) : null
}

/** Compiles a dotted path: `a.b`, `list.0.c`, `list.*.c`, `.` for the item itself, `$.a` from the record, `$$.a` from the payload. */
export function compilePath(text: string, fail: (what: string) => Error): Path {
  const [, sign = '', rest = ''] = /^(\${0,2})\.?(.*)$/s.exec(text) ?? []
  const base = (['item', 'record', 'payload'] as const)[sign.length] ?? 'item'
  if (text === '.' || (text === sign && sign !== '')) return { text, isSeen: false, read: (scope) => scope[base] }
  const parts = rest.split('.')
  if (text !== `${sign}${sign && '.'}${rest}` || parts.some((part) => !segment.test(part)))
    throw fail(`"${text}" is no path`)
  const stars = parts.filter((part) => part === '*').length
  if (stars > mostStars) throw fail(`a path has at most ${mostStars} stars`)
  return { text, isSeen: false, read: (scope) => (stars > 0 ? followAll : follow)(scope[base], parts) }
}

/** Follows own members only, never the length of a text or inherited properties. */
function follow(from: unknown, parts: readonly string[]): unknown {
  let value = from
  for (const part of parts) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    if (part === 'length' && Array.isArray(value)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}

/** Follows a path with stars. A star means all items of a list or all values of an object; undefined if it is neither. */
function followAll(from: unknown, parts: readonly string[]): unknown {
  const star = parts.indexOf('*')
  if (star < 0) return follow(from, parts)
  const holder = follow(from, parts.slice(0, star))
  if (typeof holder !== 'object' || holder === null) return undefined
  const rest = parts.slice(star + 1)
  return Object.values(holder).flatMap((inner) => followAll(inner, rest) ?? [])
}

function compileCall({ text, offset }: Piece, width: number, fail: Fail) {
  const [, name = '', , inside] = /^([a-z_]*)\s*(\((.*)\))?$/s.exec(text) ?? []
  const known = Object.hasOwn(functions, name) ? functions[name] : undefined
  if (!known) throw fail(`there is no function "${text}"`, offset)
  const pieces = inside?.trim() ? split(inside, ',', offset + text.indexOf('(') + 1) : []
  const words = pieces.map((piece) => {
    const constant = constantIn(piece.text)
    if (constant === null) throw fail('an argument must be in single quotation marks', piece.offset)
    return constant
  })
  const wrong = argumentFault(known, words)
  if (wrong) throw fail(`${name} ${wrong}`, offset)
  const { values, apply } = known
  if (!values) return { apply: (given: unknown[]) => given.map((value) => apply([value], words)), gives: width }
  if (!values.includes(width)) throw fail(`${name} takes ${values.join(' or ')} values, not ${width}`, offset)
  return { apply: (given: unknown[]) => [apply(given, words)], gives: 1 }
}
