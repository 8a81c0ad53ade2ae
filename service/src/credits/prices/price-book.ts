import { Complaints } from '../../foundation/failure.ts'
import {
  dataSources,
  type DataSource,
  type Kind,
  type PersonPart,
  personParts,
  priceMatchers,
  kinds,
} from '@vitae/contract'
import { isoTime, parseMoment } from '../../foundation/clock.ts'

/** The subject of a price: a record by its identifier, or a company by its domain. */
export type PricedKind = Kind | 'resolve'

/** How a record was requested: by identifier, by a match, or by a watch. */
export type PricedBy = 'lookup' | 'match' | 'watch'

export const pricedKinds = [...kinds, 'resolve'] as const satisfies readonly PricedKind[]
export const pricedBy = ['lookup', 'match', 'watch'] as const satisfies readonly PricedBy[]
export const partNames = Object.keys(personParts) as PersonPart[]

/** The conditions of a price line. An omitted condition matches every call. */
export interface LineMatch {
  kind?: PricedKind
  by?: PricedBy
  source?: DataSource
  thin?: boolean
  bypass?: boolean
  changed?: boolean
  project?: string
  environment?: string
}

export interface PriceLine extends LineMatch {
  credits: number
}

export interface PartPrice {
  part: PersonPart
  credits: number
}

/** A price list: the first matching line applies, plus a price for each requested part that has a value. */
export interface PriceLists {
  lines: readonly PriceLine[]
  parts: readonly PartPrice[]
}

/** The facts of a call that are known before it is answered. */
export interface PriceAsk {
  kind: PricedKind
  by: PricedBy
  bypass: boolean
  project: string
  environment: string
  /** The optional parts that the call asks for. */
  include: Readonly<Record<PersonPart, boolean>>
}

/** The facts of the answer. */
export interface PriceEnd {
  source: DataSource
  thin: boolean
  /** Whether the answer brought a version that the store did not have. */
  changed: boolean
  /** Whether the record has a value in an optional part. */
  has(part: PersonPart): boolean
}

export const linesAtMost = 1_000
export const creditsAtMost = 1_000_000

/**
 * Parses a price list. A document with any error is rejected as a whole. Each problem names its place, counted from 1
 * as on a receipt: `line 3, credits`.
 */
export function readPriceLists(document: unknown): { lists: PriceLists } | { problems: Complaints } {
  const problems = new Complaints()
  const { lines, parts = [] } = objectIn(document)
  for (const name of Object.keys(objectIn(document)))
    if (!['valid_from', 'lines', 'parts'].includes(name)) problems.add(shown(name), 'is not known')
  if (!Array.isArray(lines) || lines.length === 0 || lines.length > linesAtMost)
    problems.add('lines', `must be a list of 1 to ${linesAtMost} lines`)
  else
    for (const [index, line] of lines.entries())
      checkLine(`line ${index + 1}`, line, index === lines.length - 1, problems)
  if (!Array.isArray(parts) || parts.length > partNames.length)
    problems.add('parts', `must be a list of at most ${partNames.length} parts`)
  else checkParts(parts, problems)
  if (problems.count > 0) return { problems }
  // Checked above, name by name.
  return { lists: { lines: lines as PriceLine[], parts: parts as PartPrice[] } }
}

const isName = (value: unknown) => typeof value === 'string' && value.length > 0 && value.length <= 200
const isFlag = (value: unknown) => typeof value === 'boolean'
const oneOf = (names: readonly string[]) => ({
  fits: (value: unknown) => typeof value === 'string' && names.includes(value),
  wish: `must be one of ${names.join(', ')}`,
})
const flag = { fits: isFlag, wish: 'must be true or false' }
const name = { fits: isName, wish: 'must be a name' }
/** The conditions that a line may have and their formats. CONTRIBUTING lists what else a new rule needs. */
const matchers: Record<(typeof priceMatchers)[number], { fits(value: unknown): boolean; wish: string }> = {
  kind: oneOf(pricedKinds),
  by: oneOf(pricedBy),
  source: oneOf(dataSources),
  thin: flag,
  bypass: flag,
  changed: flag,
  project: name,
  environment: name,
}

function checkLine(at: string, value: unknown, isLast: boolean, problems: Complaints): void {
  if (!isObject(value)) return void problems.add(at, 'must be an object')
  for (const [key, given] of Object.entries(value)) {
    const matcher = Object.hasOwn(matchers, key) ? matchers[key as keyof LineMatch] : null
    const parameter = `${at}, ${shown(key)}`
    if (key === 'credits') continue
    if (!matcher) problems.add(parameter, 'is not known')
    else if (!matcher.fits(given)) problems.add(parameter, matcher.wish)
    else if (isLast) problems.add(parameter, 'must be removed: the last line must match every call')
  }
  checkCredits(at, value['credits'], problems)
}

function checkParts(parts: readonly unknown[], problems: Complaints): void {
  const seen = new Set<unknown>()
  for (const [index, value] of parts.entries()) {
    const at = `part ${index + 1}`
    const { part, credits, ...rest } = objectIn(value)
    if (!partNames.some((each) => each === part)) problems.add(`${at}, part`, `must be one of ${partNames.join(', ')}`)
    else if (seen.has(part)) problems.add(`${at}, part`, 'appears twice')
    seen.add(part)
    checkCredits(at, credits, problems)
    for (const key of Object.keys(rest)) problems.add(`${at}, ${shown(key)}`, 'is not known')
  }
}

function checkCredits(at: string, value: unknown, problems: Complaints): void {
  const isRight = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= creditsAtMost
  if (!isRight) problems.add(`${at}, credits`, `must be a whole number of credits from 0 to ${creditsAtMost}`)
}

/**
 * Lines that no call can reach because an earlier line matches everything they match. This is allowed, but probably a
 * mistake.
 */
export function unreachedLines({ lines }: PriceLists): { line: number; behind: number }[] {
  return lines.flatMap((line, index) => {
    const behind = lines.findIndex((earlier, at) => at < index && isWithin(line, earlier))
    return behind < 0 ? [] : [{ line: index + 1, behind: behind + 1 }]
  })
}

function isWithin(line: LineMatch, earlier: LineMatch): boolean {
  return priceMatchers.every((key) => earlier[key] === undefined || earlier[key] === line[key])
}

/** A line in words for receipts: `people stale_fallback`, `people not thin acme`. */
export function lineName(line: LineMatch): string {
  const words = priceMatchers.flatMap((key) => {
    const value = line[key]
    if (value === undefined) return []
    return typeof value === 'boolean' ? (value ? key : `not ${key}`) : value
  })
  return words.length === 0 ? 'any' : words.join(' ')
}

function objectIn(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(key: string): string {
  return key.slice(0, 40)
}

type ReadDocument = { lists: PriceLists; validFrom: number | null } | { problems: Complaints }

/** Parses a price book that an operator sets; it must not start before `earliest`. */
export function readPriceDocument(document: unknown, earliest: number): ReadDocument {
  const read = readPriceLists(document)
  const problems = 'problems' in read ? read.problems : new Complaints()
  const { valid_from: given = null } = document as { valid_from?: unknown }
  const validFrom = given === null ? null : typeof given === 'string' ? parseMoment(given) : NaN
  if (Number.isNaN(validFrom)) problems.add('valid_from', 'must be a time such as 2026-12-01T00:00:00Z')
  else if (validFrom !== null && validFrom < earliest)
    problems.add('valid_from', `must not be before ${isoTime(earliest)}`)
  return problems.count > 0 || 'problems' in read ? { problems } : { lists: read.lists, validFrom }
}

/** Warnings about lines that no call can reach. */
export function warningsOf(lists: PriceLists): Complaints {
  const warnings = new Complaints()
  for (const { line, behind } of unreachedLines(lists))
    warnings.add(`line ${line}`, `never applies: line ${behind} matches the same calls`)
  return warnings
}
