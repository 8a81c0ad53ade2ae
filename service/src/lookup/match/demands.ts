import type { Person } from '@vitae/contract'
import { Failure } from '../../foundation/failure.ts'
import { missingFields, requiredFieldsMissing } from '../fields/required-fields.ts'
import type { ReadyRecord } from '../record-cache.ts'
import { contradictions, expectedNames, identityMismatch, type Expected } from './expectations.ts'

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
