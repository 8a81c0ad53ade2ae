import type { Company, Person } from '@vitae/contract'
import { Failure } from '../../foundation/failure.ts'
import { siteDomain } from '../../records/identifiers/site-domain.ts'
import { firstNamesMayAgree, namesMayAgree, maySpellTheSame, nameWords } from './compare-names.ts'
import { parse } from 'tldts'

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
  // Which of the names comes first differs between languages, so all of them are looked at; of the others not the initials.
  const besides = (name: string | null) => (name ?? '').replace(/(?<!\p{L})(?!\p{Lo})\p{L}(?!\p{L})/gu, '')
  const employers = experience.flatMap(({ company_name: name }) => name ?? [])
  // Who studies has no employer, and who has just changed says so in the headline first.
  const besidesThem = [...education.flatMap(({ school_name: school }) => school ?? []), ...(headline ? [headline] : [])]
  return {
    first_name: (wanted) => !first || firstNamesMayAgree(wanted, `${first} ${besides(last)}`),
    last_name: (wanted) => !last || namesMayAgree(wanted, `${last} ${besides(first)}`),
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

/** Legal forms, and words that half of all companies have in their name. */
const saysNothing = new Set(
  (
    'ab ag as asa aps bhd bv bvba co company corp corporation cv dac ei eood eirl esp gbr gesmbh gmbh group groupe gruppe gruppo grupo ' +
    'holding holdings inc incorporated international intl kft kg kgaa kk kommanditgesellschaft lda limited llc llp lp lt ltd ltda mbh nv ' +
    'ohg ood oy oyj plc private pte pty pvt sa sarl sas sasu sdn sgps sia sl slu snc societe spa spolka spzoo sprl srl srls sro sp zoo tbk ' +
    'ug und the and of de la le du et y e & technologies technology solutions services consulting systems software global worldwide'
  ).split(' '),
)

/** True where two names can be of one company: legal forms do not count, abbreviations do. */
function companiesMayAgree(given: string, known: string): boolean {
  const [one, other] = [meaningOf(given), meaningOf(known)]
  if (one.some((word) => other.some((its) => word.length > 1 && its.length > 1 && maySpellTheSame(word, its))))
    return true
  // A name without words is a part of every other.
  const [joined, its] = [one.join(''), other.join('')]
  if (joined.includes(its) || its.includes(joined)) return true
  return isAbbreviated(given, known) || isAbbreviated(known, given)
}

/** `IBM` and `International Business Machines`, `VW` and `Volkswagen`. */
function isAbbreviated(short: string, long: string): boolean {
  const letters = meaningOf(short).join('')
  if (letters.length > 6) return false
  const initials = [nameWords(long), meaningOf(long)].map((words) => words.map((word) => word[0]).join(''))
  return initials.some((all) => all.includes(letters)) || isInOrder(letters, meaningOf(long).join(''))
}

function isInOrder(letters: string, text: string): boolean {
  let at = 0
  for (const letter of text) if (letter === letters[at]) at++
  return at === letters.length && letters[0] === text[0]
}

function meaningOf(name: string): string[] {
  const words = nameWords(name.replaceAll('.', ''))
  const meant = words.filter((word) => !saysNothing.has(word))
  return meant.length > 0 ? meant : words
}

/** True where two domains can be of one company: of the same name under any ending, or one that the company's own name has. */
function domainsMayAgree(given: string, known: string, name: string | null): boolean {
  const [one, other] = [given, known].map((domain) => parse(domain, { allowPrivateDomains: true }))
  if (!one?.domain || !other?.domain) return true
  const label = one.domainWithoutSuffix ?? ''
  return label === other.domainWithoutSuffix || (name !== null && companiesMayAgree(label, name))
}
