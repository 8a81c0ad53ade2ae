import { type Kind, matchNames } from '@vitae/contract'
import { expectedNames } from '../../lookup/match/expectations.ts'
import { meansExpectation } from '../../lookup/match/read-expected.ts'

/** One row as it was submitted. */
export interface InputRow {
  /** The id; null where there is none, or none that could be one. */
  input: string | null
  /** Beside it; null where there is nothing. */
  question: Question | null
  /** CSV: all cells, in the order of the header; else the members that mean nothing to us. Null where there are none. */
  columns: string[] | Record<string, unknown> | null
}

/** What a row says besides an id. Kept as JSON until it is looked up. */
export interface Question {
  /** The members of a match, as they were sent. */
  match?: Record<string, string>
  expect?: Record<string, string>
  /** Why the row cannot be used, in words that repeat nothing of it. */
  problem?: string
}

/** Where ids, members of matches and expectations stand in a file. */
export interface Mapping {
  /** The column with the ids; null = `id`, or the only column, or none. */
  column: string | null
  /** `email` or `expect.last_name`, and the column that has it under another name. */
  map: ReadonlyMap<string, string>
  /** Null where it is not known before the rows. */
  kind: Kind | null
}

const textAtMost = 4_096
/** In any case, because slugs are lower-cased. */
const apiKey = /^vt_(?:test|live)_[0-9a-z]{38}$/i

const everyMatchName: readonly string[] = [...new Set<string>([...matchNames.people, ...matchNames.companies])]

/** The names that a match of a kind may have. */
export function matchNamesOf(kind: Kind | null): readonly string[] {
  return kind ? matchNames[kind] : everyMatchName
}

/** A value as an id; null where it is no usable text. A key that was sent by mistake is kept nowhere; PostgreSQL keeps no zero byte. */
export function usable(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text.length > textAtMost || text.includes('\0')) return null
  return isApiKey(text) ? null : text
}

/** A cell or member that comes back as it was, unless it is a key. */
export function carried<Value>(value: Value): Value | '' {
  return typeof value === 'string' && isApiKey(value) ? '' : value
}

function isApiKey(text: string): boolean {
  return apiKey.test(text.trim())
}

/** What a row says beside its id, by the value of each name; null where it says nothing. */
export function questionOf(valueOf: (name: string) => unknown, names: readonly string[]): Question | null {
  // A match without any of its members says so itself.
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

/** A row of JSON: an id as text, or an object that has it, or one with the members of a match. */
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
