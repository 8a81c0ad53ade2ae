import type { Company, Person } from '@vitae/contract'
import { Failure } from '../../foundation/failure.ts'
import { siteDomain } from '../../records/identifiers/site-domain.ts'
import { companiesMayAgree, domainsMayAgree } from '../../records/names/compare-companies.ts'
import { mayBeFirstName, mayBeLastName } from '../../records/names/contradict.ts'

/** Whom a caller means, as far as it says so. */
export interface Expected {
  first_name?: string
  last_name?: string
  company_name?: string
  company_domain?: string
  country_code?: string
}

export const expectedNames = ['first_name', 'last_name', 'company_name', 'company_domain', 'country_code'] as const

/** What of an expectation a record clearly contradicts. What the record does not say contradicts nothing. */
export function contradictions(expected: Expected, body: Uint8Array): (keyof Expected)[] {
  // Written by serialiseRecord.
  const record = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()) as Person | Company
  const facts = 'experience' in record ? factsOfPerson(record) : factsOfCompany(record)
  return expectedNames.filter((name) => {
    const wanted = expected[name]
    return wanted !== undefined && !facts[name](wanted)
  })
}

type Facts = Record<keyof Expected, (wanted: string) => boolean>

function factsOfPerson({
  first_name: first,
  last_name: last,
  headline,
  location,
  experience,
  education,
}: Person): Facts {
  const employers = experience.flatMap(({ company_name: name }) => name ?? [])
  // Who studies has no employer, and who has just changed says so in the headline first.
  const besidesThem = [...education.flatMap(({ school_name: school }) => school ?? []), ...(headline ? [headline] : [])]
  return {
    first_name: (wanted) => mayBeFirstName(wanted, { first, last }),
    last_name: (wanted) => mayBeLastName(wanted, { first, last }),
    company_name: (wanted) =>
      employers.length === 0 || [...employers, ...besidesThem].some((name) => companiesMayAgree(wanted, name)),
    // A person's record names no domains.
    company_domain: () => true,
    country_code: (wanted) => !location.country_code || sameCountry(wanted, location.country_code),
  }
}

function factsOfCompany({ company_name: name, company_url: url, locations }: Company): Facts {
  const site = url ? siteDomain(url) : null
  const places = [locations?.headquarter, ...(locations?.all_locations ?? [])]
  const countries = places.flatMap((place) => place?.country ?? [])
  return {
    first_name: () => true,
    last_name: () => true,
    company_name: (wanted) => !name || companiesMayAgree(wanted, name),
    company_domain: (wanted) => !site || domainsMayAgree(wanted, site.domain, name),
    country_code: (wanted) => countries.length === 0 || countries.some((country) => sameCountry(wanted, country)),
  }
}

function sameCountry(one: string, other: string): boolean {
  const code = (text: string) => text.toUpperCase().replace(/^UK$/, 'GB')
  return code(one) === code(other)
}

/** The end of a call whose every record contradicts what was expected. It costs nothing. */
export function identityMismatch(names: readonly string[]): Failure {
  return new Failure('identity_mismatch', {
    detail: `What is known under this name contradicts ${names.join(', ')}.`,
    errors: names.map((name) => ({ parameter: name, detail: 'is contradicted' })),
  })
}
