import type { Person } from '@vitae/contract'
import { Failure } from '../../foundation/failure.ts'
import type { ReadyRecord } from './record-cache.ts'
import { contradictions, expectedNames, identityMismatch, type Expected } from '../asked/expectations.ts'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../foundation/clock.ts'

/** The paths under which a record has no value. A list has a value as soon as one of its items has one. */
function missingFields(body: Uint8Array, require: readonly string[]): string[] {
  const record: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString())
  return require.filter((path) => !hasPath(record, path.split('.')))
}

function hasPath(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return hasValue(value)
  if (Array.isArray(value)) return value.some((item) => hasPath(item, [step, ...rest]))
  return isObject(value) && hasPath(value[step], rest)
}

/** Null, empty strings, empty lists and objects without values do not count as values; numbers and booleans do. */
function hasValue(value: unknown): boolean {
  if (value === null || value === undefined) return false
  if (typeof value === 'string') return value.trim() !== ''
  if (Array.isArray(value)) return value.some(hasValue)
  return isObject(value) ? Object.values(value).some(hasValue) : true
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The failure of a call that no provider could satisfy. It lists the missing paths and costs nothing. */
function requiredFieldsMissing(missing: readonly string[]): Failure {
  return new Failure('required_fields_missing', {
    detail: `No provider has ${missing.join(', ')} for this record.`,
    errors: missing.map((path) => ({ parameter: 'require', detail: path })),
  })
}

interface Lack {
  provider: string
  paths: readonly string[]
  at: number
}

/** Remembers which fields providers lack, so that a repeated call does not ask them again for a while. */
export class FieldLacks {
  /** Per record: each entry states that a provider has no record with all of these paths. */
  readonly #known = new LRUCache<string, Lack[]>({ maxSize: 20_000, sizeCalculation: () => 1 })
  readonly #clock: Clock
  readonly #lengthMs: number

  constructor(clock: Clock, lengthMs: number) {
    this.#clock = clock
    this.#lengthMs = lengthMs
  }

  /** Records that a provider has no record with all of these paths; without paths, that it has no record at all. */
  note(name: string, provider: string, paths: readonly string[]): void {
    this.#known.set(name, [...this.#recent(name), { provider, paths, at: this.#clock.elapsed() }])
  }

  /**
   * The providers that cannot satisfy the paths, and the shortest list of missing paths among them. A repeated call
   * fails with the same list.
   */
  lacking(name: string, require: readonly string[]): { providers: Set<string>; paths: string[] } {
    const lacks = this.#recent(name).filter(({ paths }) => paths.every((path) => require.includes(path)))
    const byProvider = Map.groupBy(lacks, ({ provider }) => provider)
    const each = [...byProvider.values()].map((all) => [...new Set(all.flatMap(({ paths }) => paths))])
    const [fewest = []] = each.toSorted((a, b) => a.length - b.length)
    return { providers: new Set(byProvider.keys()), paths: fewest }
  }

  #recent(name: string) {
    const since = this.#clock.elapsed() - this.#lengthMs
    return (this.#known.get(name) ?? []).filter(({ at }) => at > since).slice(-100)
  }
}

/** The demands that a record must meet to answer a call. */
export interface Demands {
  /** Dotted paths. */
  require?: readonly string[] | null | undefined
  expect?: Expected | null | undefined
  minLikelihood?: number | null | undefined
}

/**
 * The default likelihood that an answer must reach. A miss is remembered for callers that demand at least this much.
 */
export const usualLikelihood = 0.8

const tooUnlikely = 'min_likelihood'
const expectPrefix = 'expect.'

/** Each demand as one string, for the memory of what providers lack; empty if any record will do. */
export function demandsOf({ require, expect, minLikelihood }: Demands): string[] {
  const expected = expect ? expectedNames.flatMap((name) => (expect[name] ? wordOf(name, expect) : [])) : []
  return [...(require ?? []), ...expected, ...(minLikelihood ? [`${tooUnlikely}=${minLikelihood}`] : [])]
}

/** The demands that a record does not meet. */
export function lacksOf(
  record: Pick<ReadyRecord, 'body' | 'match' | 'sites' | 'fold'>,
  { require, expect, minLikelihood }: Demands,
): string[] {
  const contradicted = expect ? contradictedIn(record, expect).map((name) => wordOf(name, expect)) : []
  const isUnlikely = minLikelihood && record.match && record.match.likelihood < minLikelihood
  return [
    ...(require ? missingFields(record.body, require) : []),
    ...contradicted,
    ...(isUnlikely ? [`${tooUnlikely}=${minLikelihood}`] : []),
  ]
}

/**
 * The list of jobs may come from another version. Then the base's own jobs count as well, because they may be newer.
 */
function contradictedIn(
  { body, sites, fold }: Pick<ReadyRecord, 'body' | 'sites' | 'fold'>,
  expect: Expected,
): (keyof Expected)[] {
  const found = contradictions(expect, body, sites)
  const own = fold && found.length > 0 && fold.fills.some(({ unit }) => unit === 'experience') ? fold.base.body : null
  if (!own || !hasJobs(own)) return found
  const alone = contradictions(expect, own, sites)
  return found.filter((name) => alone.includes(name))
}

function hasJobs(body: Uint8Array): boolean {
  // Written by serialiseRecord.
  const { experience = [] } = JSON.parse(Buffer.from(body).toString()) as Partial<Person>
  return experience.length > 0
}

/**
 * First and last name are judged together, and so are a company's name and domain. So each remembered demand includes
 * its counterpart.
 */
function wordOf(name: keyof Expected, expect: Expected): string {
  const { first_name: first, last_name: last, company_name: company, company_domain: domain } = expect
  const beside = {
    first_name: last,
    last_name: first,
    company_name: domain,
    company_domain: company,
    country_code: undefined,
  }
  return `${expectPrefix}${name}=${expect[name]}${!beside[name] ? '' : ` ${beside[name]}`}`
}

/** The failure of a call that no record satisfied. It costs nothing and does not repeat the caller's expectations. */
export function lackFailure(lacks: readonly string[]): Failure {
  const paths = lacks.filter((lack) => !lack.startsWith(tooUnlikely) && !lack.startsWith(expectPrefix))
  if (paths.length > 0) return requiredFieldsMissing(paths)
  const contradicted = expectedNames
    .map((name) => `${expectPrefix}${name}`)
    .find((name) => lacks.some((lack) => lack.startsWith(`${name}=`)))
  if (contradicted) return identityMismatch(contradicted)
  return new Failure('not_found', { detail: 'No record is known under this identifier.' })
}
