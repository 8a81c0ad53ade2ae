import { normalised } from '@vitae/provider'
import type { MatchInput, Identifier } from '../foundation/identifier.ts'
import type { CompanyMatch, Kind, PersonMatch, FailureCode } from '@vitae/contract'
import { siteDomain } from '../records/identifiers/site-domain.ts'
import { usualLikelihood } from './recall/demands.ts'
import type { Expected } from './asked/expectations.ts'
import { withoutTitles } from '../records/names/compare-names.ts'
import { normaliseEmail, normalisePhone } from '../records/contact-index/contact-rows.ts'
import { hash } from 'node:crypto'

type Complain = (parameter: string) => (detail: string) => void

/** Normalises the input of a person match. Complains if a value is malformed or if there is too little to match by. */
export function readPersonInput(body: PersonMatch, complain: Complain): MatchInput {
  const { email, phone, company_domain: domain, min_likelihood: minLikelihood = usualLikelihood } = body
  const first = tidy(body.first_name)
  const last = tidy(body.last_name)
  const name = tidy(body.name) ?? (first && last ? `${first} ${last}` : undefined)
  const input = {
    email:
      email === undefined ? undefined : (normaliseEmail(email) ?? bad(complain, 'email', 'must be an e-mail address')),
    phone:
      phone === undefined
        ? undefined
        : (normalisePhone(phone) ?? bad(complain, 'phone', 'must be a phone number with its country code: +49 30 ...')),
    name,
    // One of the two names cannot find anyone, but it states whom the caller means.
    ...(first || last ? { first_name: first, last_name: last } : splitName(name)),
    company: tidy(body.company),
    company_domain: domain === undefined ? undefined : readDomain(complain, 'company_domain', domain),
    location: tidy(body.location),
  }
  const employer = input.company ?? domain ?? body.company_id
  const isEnough = email ?? phone ?? body.profile_id ?? (name && employer)
  if (isEnough === undefined || isEnough === '')
    complain('email')('is missing: give an e-mail address, a phone number, a profile_id, or a name with a company')
  return { ...given(input), minLikelihood }
}

/** The same for a company. */
export function readCompanyInput(body: CompanyMatch, complain: Complain): MatchInput {
  const { domain, country, company_id: id, min_likelihood: minLikelihood = usualLikelihood } = body
  const input = {
    name: tidy(body.name),
    domain: domain === undefined ? undefined : readDomain(complain, 'domain', domain),
    country: country?.toUpperCase(),
  }
  if ((input.name ?? domain ?? id) === undefined) complain('name')('is missing: give a name, a domain or a company_id')
  return { ...given(input), minLikelihood }
}

/** Expectations that follow from the input. */
export function impliedBy(kind: Kind, input: MatchInput): Expected | null {
  const { first_name, last_name, name, company, company_domain, domain, country: country_code } = input
  const expected =
    kind === 'people'
      ? given({ first_name, last_name, company_name: company, company_domain })
      : given({ company_name: name, company_domain: domain, country_code })
  return Object.keys(expected).length > 0 ? expected : null
}

function bad(complain: Complain, parameter: string, detail: string): undefined {
  complain(parameter)(detail)
  return undefined
}

function readDomain(complain: Complain, parameter: string, text: string): string | undefined {
  return siteDomain(text)?.domain ?? bad(complain, parameter, 'must be a domain such as example.com')
}

function tidy(text: string | undefined): string | undefined {
  const clean = normalised(text ?? '', 'NFC')
    .replace(/\s+/gu, ' ')
    .trim()
  return clean === '' ? undefined : clean
}

/**
 * Only the last word of a full name is taken as the last name, because languages differ in which words belong to it.
 */
function splitName(name = ''): { first_name?: string | undefined; last_name?: string | undefined } {
  const words = withoutTitles(name.replace(/\([^)]*\)/g, ''))
  return words.length < 2 ? {} : { first_name: words[0], last_name: words.at(-1) }
}

function given<Values extends Record<string, string | undefined>>(values: Values): { [Name in keyof Values]?: string } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: string
  }
}

/** The result of a match with a test key: a simulated failure, or always the same fictional record. */
type Sample = { failure: FailureCode } | { identifier: Identifier; likelihood: number; matchedOn: readonly string[] }

const situations = new Map<string, FailureCode>([
  ['sample-not-found', 'no_match'],
  ['sample-ambiguous', 'ambiguous_match'],
  ['sample-mismatch', 'identity_mismatch'],
])

interface Question {
  kind: Kind
  input: MatchInput
  named: Identifier | null
}

/**
 * The sample for a question. `sample-...@example.com` and `sample-....example` simulate the failure that their first
 * part names.
 */
export function sampleOf(question: Question): Sample {
  const sample = guessOf(question)
  const isLikely = 'failure' in sample || sample.likelihood >= question.input.minLikelihood
  return isLikely ? sample : { failure: 'no_match' }
}

function guessOf({ kind, input, named }: Question): Sample {
  if (named) return { identifier: named, likelihood: 1, matchedOn: [kind === 'people' ? 'profile_id' : 'company_id'] }
  const { email, phone, domain } = input
  const reserved = /^(sample-[a-z-]+)(?:@example\.com$|\.)/.exec(email ?? domain ?? '')?.[1]
  const situation = reserved && situations.get(reserved)
  if (situation) return { failure: situation }
  const value =
    reserved ??
    `matched-${hash('sha256', JSON.stringify([email, phone, input.name, input.company, domain])).slice(0, 12)}`
  const identifier: Identifier = { kind, type: 'slug', value }
  if (email) return { identifier, likelihood: 0.95, matchedOn: ['email'] }
  if (phone) return { identifier, likelihood: 0.9, matchedOn: ['phone'] }
  if (kind === 'companies')
    return { identifier, likelihood: domain ? 0.9 : 0.8, matchedOn: [domain ? 'domain' : 'name'] }
  return input.company_domain
    ? { identifier, likelihood: 0.85, matchedOn: ['name', 'company_domain'] }
    : { identifier, likelihood: 0.8, matchedOn: ['name', 'company'] }
}
