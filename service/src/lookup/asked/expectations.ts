import { normalised } from '@vitae/provider'
import type { Company, Person, Kind } from '@vitae/contract'
import { Failure } from '../../foundation/failure.ts'
import { siteDomain } from '../../records/identifiers/site-domain.ts'
import {
  companiesMayAgree,
  domainsMayAgree,
  isCalledLike,
  mentionsCompany,
} from '../../records/names/compare-companies.ts'
import { contradictedNames } from '../../records/names/contradict.ts'

/** A caller's statements about the person or company it means. */
export interface Expected {
  first_name?: string
  last_name?: string
  company_name?: string
  company_domain?: string
  country_code?: string
}

export const expectedNames = ['first_name', 'last_name', 'company_name', 'company_domain', 'country_code'] as const

/** The domains of a person's employers by company id, for employers whose own record is stored. */
export type EmployerSites = ReadonlyMap<string, string>

/**
 * The expectations that a record clearly contradicts, in the order of `expectedNames`. A missing field contradicts
 * nothing.
 */
export function contradictions(expected: Expected, body: Uint8Array, sites?: EmployerSites): (keyof Expected)[] {
  // Written by serialiseRecord.
  const record = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()) as Person | Company
  const found = new Set('experience' in record ? inPerson(expected, record, sites) : inCompany(expected, record))
  return expectedNames.filter((name) => found.has(name))
}

function* inPerson(
  { first_name: first, last_name: last, company_name: company, company_domain: domain, country_code }: Expected,
  person: Person,
  sites: EmployerSites = new Map(),
): Generator<keyof Expected> {
  for (const part of contradictedNames(
    { first: first ?? null, last: last ?? null },
    { first: person.first_name, last: person.last_name },
  ))
    yield `${part}_name`
  const verdict = domain ? compareEmployers(domain, person.experience, sites) : null
  // A known site overrides the name.
  if (verdict === false) yield 'company_domain'
  if (company && verdict !== true && !mayHaveWorkedAt(company, person)) yield 'company_name'
  const { country_code: country } = person.location
  if (country_code && country && !sameCountry(country_code, country)) yield 'country_code'
}

function mayHaveWorkedAt(company: string, { experience, education, headline }: Person): boolean {
  const employers = experience.flatMap(({ company_name: name }) => name ?? [])
  if (employers.length === 0) return true
  // Students have no employer, and people who just changed jobs often say so in the headline first.
  const schools = education.flatMap(({ school_name: school }) => school ?? [])
  return (
    [...employers, ...schools].some((name) => companiesMayAgree(company, name)) ||
    (headline !== null && mentionsCompany(headline, company))
  )
}

/**
 * Whether a person works at a domain. True: an employer's known site is there. False: all current employers have other
 * sites, and no other employer is named like the domain. Null: too little is known.
 */
function compareEmployers(domain: string, experience: Person['experience'], sites: EmployerSites): boolean | null {
  const siteOf = ({ company_id: id }: Person['experience'][number]) => (id === null ? undefined : sites.get(id))
  const isThere = experience.some((job) => {
    const site = siteOf(job)
    return site !== undefined && domainsMayAgree(domain, site, job.company_name)
  })
  if (isThere) return true
  const current = experience.filter(({ date_range: dates }) => !dates?.end)
  const judged = current.length > 0 ? current : experience
  if (judged.length === 0 || judged.some((job) => siteOf(job) === undefined)) return null
  const isCalledSo = experience.some(({ company_name: name }) => name !== null && isCalledLike(domain, name))
  return isCalledSo ? null : false
}

function* inCompany(
  { company_name: wanted, company_domain: domain, country_code }: Expected,
  { company_name: name, company_url: url, locations }: Company,
): Generator<keyof Expected> {
  const site = url ? siteDomain(url) : null
  const isThere = domain && site ? domainsMayAgree(domain, site.domain, name) : null
  if (isThere === false) yield 'company_domain'
  // A known site overrides the name.
  if (wanted && name && isThere !== true && !companiesMayAgree(wanted, name)) yield 'company_name'
  const places = [locations?.headquarter, ...(locations?.all_locations ?? [])]
  const countries = places.flatMap((place) => place?.country ?? [])
  const isElsewhere = country_code && countries.length > 0 && !countries.some((one) => sameCountry(country_code, one))
  if (isElsewhere) yield 'country_code'
}

function sameCountry(one: string, other: string): boolean {
  const code = (text: string) => text.toUpperCase().replace(/^UK$/, 'GB')
  return code(one) === code(other)
}

/**
 * The failure of a call whose every record contradicts the expectations. It names only the first one, so that a caller
 * cannot test several facts with one call.
 */
export function identityMismatch(name: string): Failure {
  return new Failure('identity_mismatch', {
    detail: `The record under this identifier contradicts ${name}.`,
    errors: [{ parameter: name, detail: 'is contradicted' }],
  })
}

/** The expectations that each kind of record supports. */
const expectable: Record<Kind, readonly (keyof Expected)[]> = {
  people: expectedNames,
  companies: ['company_name', 'company_domain', 'country_code'],
}

const expectedAtMost = 200

/** Whether a parameter or column name looks like an expectation. A misspelt one must be refused, not ignored. */
export function meansExpectation(name: string): boolean {
  return /^expect(?![a-z])/i.test(name)
}

/** The problem detail for an unknown expectation. */
export function unknownExpectation(kind: Kind): string {
  return `is not known; use one of ${expectable[kind].map((name) => `expect.${name}`).join(', ')}`
}

/** The caller's expectations; null if absent. */
export function parseExpected(
  kind: Kind,
  value: (name: keyof Expected) => string | undefined,
  complain: (parameter: string) => (detail: string) => void,
): Expected | null {
  const expected: Expected = {}
  for (const name of expectedNames)
    if (!expectable[kind].includes(name) && value(name) !== undefined)
      complain(`expect.${name}`)(unknownExpectation(kind))
  for (const name of expectable[kind]) {
    const given = value(name)
    if (given === undefined) continue
    const text = normalised(given, 'NFC').trim()
    const problem = expectationProblem(name, text)
    if (problem) complain(`expect.${name}`)(problem)
    else expected[name] = text
  }
  return Object.keys(expected).length > 0 ? expected : null
}

function expectationProblem(name: keyof Expected, text: string): string | null {
  if (text === '' || text.length > expectedAtMost) return `must be a text of 1 to ${expectedAtMost} characters`
  if (name === 'country_code' && !/^[A-Z]{2}$/i.test(text)) return 'must be two letters such as DE'
  return name === 'company_domain' && !siteDomain(text) ? 'must be a domain such as example.com' : null
}
