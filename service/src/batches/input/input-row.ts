import { type Kind, matchNames } from '@vitae/contract'
import { expectedNames, meansExpectation } from '../../lookup/asked/expectations.ts'

/** One submitted row. */
export interface InputRow {
  /** The id; null if it is absent or unusable. */
  input: string | null
  /** The match input and expectations; null if absent. */
  question: Question | null
  /** CSV: all cells in header order. JSON: the members that we do not use. Null if absent. */
  columns: string[] | Record<string, unknown> | null
}

/** The content of a row besides an id. Stored as JSON until it is looked up. */
export interface Question {
  /** The match input as sent. */
  match?: Record<string, string>
  expect?: Record<string, string>
  /** Why the row cannot be used, in words that repeat nothing of it. */
  problem?: string
}

/** The columns of ids, match input and expectations in a file. */
export interface Mapping {
  /** The column with the ids; null = `id`, or the only column, or none. */
  column: string | null
  /** Maps `email` or `expect.last_name` to the column that contains it. */
  map: ReadonlyMap<string, string>
  /** Null if it is not known before the rows. */
  kind: Kind | null
}

const textAtMost = 4_096
/** Case-insensitive, because slugs are lower-cased. */
const apiKey = /^vt_(?:test|live)_[0-9a-z]{38}$/i

const everyMatchName: readonly string[] = [...new Set<string>([...matchNames.people, ...matchNames.companies])]

/** The match input names of a kind. */
export function matchNamesOf(kind: Kind | null): readonly string[] {
  return kind ? matchNames[kind] : everyMatchName
}

/**
 * A value as an id; null if it is not usable. An API key sent by mistake is never stored, and PostgreSQL cannot store a
 * zero byte.
 */
export function usable(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text.length > textAtMost || text.includes('\0')) return null
  return isApiKey(text) ? null : text
}

/** A cell or member that is returned unchanged, unless it is an API key. */
export function carried<Value>(value: Value): Value | '' {
  return typeof value === 'string' && isApiKey(value) ? '' : value
}

function isApiKey(text: string): boolean {
  return apiKey.test(text.trim())
}

/** The content of a row besides its id; null if absent. */
export function questionOf(valueOf: (name: string) => unknown, names: readonly string[]): Question | null {
  // An empty match records that the row was meant as a match.
  const question: Question = names.length > 0 ? { match: {} } : {}
  const take = (name: string, into: 'match' | 'expect', member: string) => {
    const value = valueOf(name)
    if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) return
    const text = usable(value)
    if (text === null) question.problem ??= `${name} must be a text of at most ${textAtMost} characters`
    else (question[into] ??= {})[member] = text
  }
  for (const name of names) take(name, 'match', name)
  for (const name of expectedNames) take(`expect.${name}`, 'expect', name)
  return question.match || question.expect || question.problem ? question : null
}

/** A JSON row: an id as text, an object with an id, or one with match input. */
export function objectRow(value: unknown, mapping: Mapping): InputRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { input: usable(value), question: null, columns: null }
  const row = value as Record<string, unknown>
  const of = (name: string) => (Object.hasOwn(row, name) ? row[name] : undefined)
  const column = mapping.column ?? (Object.hasOwn(row, 'id') ? 'id' : null)
  const names = column === null ? everyMatchName : []
  const named = (name: string) => mapping.map.get(name) ?? name
  const expect = of('expect')
  const valueOf = (name: string) =>
    of(named(name)) ??
    (isObject(expect) && name.startsWith('expect.') ? expect[name.slice('expect.'.length)] : undefined)
  const used = new Set([column, 'expect', ...names.map(named), ...expectedNames.map((name) => named(`expect.${name}`))])
  const others = Object.entries(row).filter(([name]) => !used.has(name))
  const question = questionOf(valueOf, names)
  const misspelt = [
    ...others.map(([name]) => name).filter((name) => meansExpectation(name)),
    ...(isObject(expect)
      ? Object.keys(expect)
          .filter((name) => !isExpected(name))
          .map((name) => `expect.${name}`)
      : []),
  ][0]
  const problem = misspelt === undefined ? null : `${misspelt.slice(0, 40)} is not known`
  return {
    input: column === null ? null : usable(of(column)),
    question: problem === null ? question : { ...question, problem },
    columns: others.length > 0 ? Object.fromEntries(others.map(([name, other]) => [name, carried(other)])) : null,
  }
}

function isExpected(name: string): boolean {
  return expectedNames.some((each) => each === name)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
