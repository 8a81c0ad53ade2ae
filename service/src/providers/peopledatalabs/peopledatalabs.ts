import type { Kind } from '@vitae/contract'
import {
  creditsIn,
  endpointUrl,
  type Identifier,
  matchFacts,
  type MatchInput,
  parseObject,
  type Provider,
  type ProviderAsk,
  type ProviderSettings,
  type RawAnswer,
  throwFaultOf,
  throwIfWebPage,
  type Verdict,
  type WireRequest,
} from '@vitae/provider'
import { projectCompany } from './project-company.ts'
import { projectPerson } from './project-person.ts'
import { supplies } from './supplies.ts'

const name = 'peopledatalabs'
export const peopledatalabsDefaultUrl = 'https://api.peopledatalabs.com'

/** People Data Labs: a monthly data set behind an enrich endpoint. */
export function peopledatalabs(settings: ProviderSettings): Provider {
  return {
    name,
    supplies,
    projectionVersion: 4,
    asksByDomain: true,
    isToldRequired: true,
    refusesOpaqueIds: true,
    matchesBy: {
      people: [['email'], ['phone'], ['name', 'company'], ['name', 'company_domain']],
      companies: [['name'], ['domain']],
    },
    ask: async (ask, send) => {
      const request = enrichRequest(settings, ask.identifier)
      requireFields(request.url, ask)
      const verdict = checkAnswer(await send(request, ask.signal))
      const { match } = ask.identifier
      return match && verdict.outcome === 'found'
        ? { ...verdict, match: matchFacts(agreedIn(verdict.answer, match), likelihoodIn(verdict.answer)) }
        : verdict
    },
    project: (kind, payload) => (kind === 'people' ? projectPerson(payload) : projectCompany(payload)),
  }
}

/**
 * The data set is updated monthly, and there is no cache to skip. Names are in lower case unless `titlecase` is set.
 */
function enrichRequest(settings: ProviderSettings, identifier: Identifier): WireRequest {
  const url = endpointUrl(settings.url, '/v5', identifier.kind === 'people' ? '/person/enrich' : '/company/enrich')
  const asked = identifier.match ? matchParameters(identifier.kind, identifier.match) : [subject(identifier)]
  for (const [parameter, value] of asked) url.searchParams.set(parameter, value)
  url.searchParams.set('titlecase', 'true')
  return { method: 'GET', url, headers: { 'x-api-key': settings.key, accept: 'application/json' } }
}

/** The vendor's names for fields that we fill from exactly one of its fields. */
const requirable: Record<Kind, Record<string, string>> = {
  people: {
    headline: 'headline',
    summary: 'summary',
    industry: 'industry',
    skills: 'skills',
    experience: 'experience',
    education: 'education',
    certifications: 'certifications',
    languages: 'languages',
    'location.name': 'location_name',
    'location.city': 'location_locality',
  },
  companies: {
    company_url: 'website',
    tagline: 'headline',
    description: 'summary',
    founded_on: 'founded',
  },
}
/** From 1 to 10. Without it, a guess may be charged. */
const minLikelihood = '6'

/** A match below `min_likelihood` returns 404, which is not charged. */
function matchParameters(kind: Kind, input: MatchInput): [name: string, value: string][] {
  const {
    email,
    phone,
    name: whole,
    first_name: first,
    last_name: last,
    company,
    company_domain,
    location,
    domain,
  } = input
  const names = first && last ? { first_name: first, last_name: last } : { name: whole }
  const parameters: Record<string, string | undefined> =
    kind === 'people'
      ? { email, phone, ...names, include_if_matched: 'true', company: company_domain ?? company, location }
      : { name: whole, website: domain, country: input.country }
  const least = String(Math.min(10, Math.max(1, Math.ceil(input.minLikelihood * 10))))
  return Object.entries({ ...parameters, min_likelihood: least }).flatMap(([parameter, value]) =>
    value === undefined ? [] : [[parameter, value]],
  )
}

/**
 * The parts of the input that agreed, as the vendor reports them: an address that did not agree does not belong to this
 * person. If the vendor reports nothing and a name was sent, no address counts.
 */
function agreedIn({ body }: RawAnswer, input: MatchInput): Partial<MatchInput> {
  const { matched } = parseObject(name, body)
  const { email: _email, phone: _phone, ...others } = input
  if (!Array.isArray(matched)) return input.name === undefined ? input : others
  const said = new Set(matched.map(String))
  const isName = said.has('name') || said.has('first_name') || said.has('last_name')
  const agreed = { email: said.has('email'), phone: said.has('phone'), name: isName }
  const employer = { company: said.has('company'), company_domain: said.has('company') }
  const all: Partial<Record<string, boolean>> = { ...agreed, ...employer, domain: said.has('website') }
  return Object.fromEntries(Object.entries(input).filter(([signal]) => all[signal] ?? false))
}

/** The vendor's scale is 1 to 10. */
function likelihoodIn({ body }: RawAnswer): number | null {
  const { likelihood } = parseObject(name, body)
  return typeof likelihood === 'number' && likelihood >= 0 && likelihood <= 10 ? likelihood / 10 : null
}

/** Sends the required fields, so that a record without them is not charged. */
function requireFields(url: URL, { identifier: { kind }, require = [] }: ProviderAsk): void {
  if (require.length > 0 && !url.searchParams.has('min_likelihood'))
    url.searchParams.set('min_likelihood', minLikelihood)
  const fields = new Set(require.flatMap((path) => requirable[kind][path] ?? []))
  if (fields.size > 0) url.searchParams.set('required', [...fields].join(' AND '))
}

function subject(identifier: Identifier): [name: string, value: string] {
  if (identifier.type === 'domain') return ['website', identifier.value]
  if (identifier.kind === 'companies') return ['profile', `linkedin.com/company/${identifier.value}`]
  if (identifier.type === 'id') return ['lid', identifier.value]
  return ['profile', `linkedin.com/in/${identifier.value}`]
}

/** "No match" is a 404, as the status or in the envelope's `status`. */
function checkAnswer(answer: RawAnswer): Verdict {
  throwFaultOf(name, answer.status, answer)
  const cost = creditsIn(answer, 'x-call-credits-spent')
  if (answer.status === 404) {
    throwIfWebPage(name, answer)
    return { outcome: 'not_found', answer, cost }
  }
  const { status } = parseObject(name, answer.body, answer)
  if (typeof status === 'number') throwFaultOf(name, status, answer)
  return { outcome: status === 404 ? 'not_found' : 'found', answer, cost }
}
