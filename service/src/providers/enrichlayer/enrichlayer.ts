import {
  type Identifier,
  matchFacts,
  type MatchInput,
  type Provider,
  type ProviderAsk,
  type ProviderSettings,
  type Send,
  type Verdict,
} from '@vitae/provider'
import { isTooOld, checkAnswer, type CheckedAnswer } from './answer.ts'
import { projectCompany } from './project-company.ts'
import { projectPerson } from './project-person.ts'
import {
  companyPage,
  companyRequest,
  type Freshness,
  matchRequest,
  profileRequest,
  resolveDomainRequest,
  resolveIdRequest,
} from './request.ts'
import { supplies } from './supplies.ts'

export const enrichlayerDefaultUrl = 'https://enrichlayer.com'

/** One fetch at the given freshness; several exchanges may be needed to reach the record. */
type Fetch = (freshness: Freshness) => Promise<CheckedAnswer>

function add(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0)
}

function withCost(checked: CheckedAnswer, before: number | null): CheckedAnswer {
  return { ...checked, verdict: { ...checked.verdict, cost: add(before, checked.verdict.cost) } }
}

/** The age up to which a copy of the provider serves any ask but a fresh one: a forced fetch costs ten times as much. */
const ordinaryDays = 7

/** Fetches live, once, when the provider's cached copy is older than an ordinary fetch may be. */
async function freshEnough(ask: ProviderAsk, fetch: Fetch): Promise<CheckedAnswer> {
  if (ask.fresh) return fetch('live')
  const kept = await fetch('recent')
  return isTooOld(kept, Math.max(ask.maxAgeDays, ordinaryDays))
    ? withCost(await fetch('live'), kept.verdict.cost)
    : kept
}

/** The page URL of a company: built from the slug, or asked for when only the number or the domain is known. */
async function findPage(
  settings: ProviderSettings,
  identifier: Identifier,
  exchange: (request: ReturnType<typeof resolveIdRequest>) => Promise<CheckedAnswer>,
): Promise<string | CheckedAnswer> {
  const { type, value } = identifier
  if (type !== 'id' && type !== 'domain') return companyPage('company', value)
  const request = type === 'id' ? resolveIdRequest(settings, value) : resolveDomainRequest(settings, value)
  const resolved = await exchange(request)
  if (typeof resolved.body.url === 'string' && resolved.body.url !== '') return resolved.body.url
  return { ...resolved, verdict: { ...resolved.verdict, outcome: 'not_found' } }
}

/** Schools have their own endpoint, and a slug does not say which one to use, so the company endpoint is asked first. */
async function fetchCompany(
  settings: ProviderSettings,
  page: string,
  freshness: Freshness,
  exchange: (request: ReturnType<typeof companyRequest>) => Promise<CheckedAnswer>,
): Promise<CheckedAnswer> {
  if (page.includes('/school/')) return exchange(companyRequest(settings, 'school', page, freshness))
  const company = await exchange(companyRequest(settings, 'company', page, freshness))
  if (company.verdict.outcome === 'found' || page.includes('/showcase/')) return company
  const school = page.replace('/company/', '/school/')
  return withCost(await exchange(companyRequest(settings, 'school', school, freshness)), company.verdict.cost)
}

/** First whose page it is, then the page: a match costs two exchanges. */
async function askByMatch(
  settings: ProviderSettings,
  ask: ProviderAsk,
  match: MatchInput,
  send: Send,
): Promise<Verdict> {
  const { kind } = ask.identifier
  const checked = checkAnswer(await send(matchRequest(settings, kind, match), ask.signal))
  const { url, linkedin_profile_url: profile, profile_url: page = url ?? profile } = checked.body
  const slug = slugOfPage(page)
  if (!slug) return { ...checked.verdict, outcome: 'not_found' }
  const identifier: Identifier = { kind, type: 'slug', value: slug }
  const found = await askEnrichlayer(settings, { ...ask, identifier }, send)
  const cost = add(checked.verdict.cost, found.cost)
  return found.outcome === 'found' ? { ...found, cost, match: matchFacts(askedBy(match)) } : { ...found, cost }
}

/** It is asked by the surest part alone, so only that can have agreed. */
function askedBy({ email, phone, domain, ...others }: MatchInput): Partial<MatchInput> {
  if (email) return { email }
  if (phone) return { phone }
  return domain ? { domain } : others
}

function slugOfPage(page: unknown): string | null {
  const slug = typeof page === 'string' ? /\/(?:in|company|school)\/([^/?#]+)/.exec(page)?.[1] : undefined
  return slug === undefined ? null : decodeURIComponent(slug).toLowerCase()
}

async function askEnrichlayer(settings: ProviderSettings, ask: ProviderAsk, send: Send): Promise<Verdict> {
  if (ask.identifier.match) return askByMatch(settings, ask, ask.identifier.match, send)
  const exchange = async (request: Parameters<Send>[0]) => checkAnswer(await send(request, ask.signal))
  if (ask.identifier.kind === 'people') {
    const checked = await freshEnough(ask, (freshness) => exchange(profileRequest(settings, ask.identifier, freshness)))
    return checked.verdict
  }
  const page = await findPage(settings, ask.identifier, exchange)
  if (typeof page !== 'string') return page.verdict
  const checked = await freshEnough(ask, (freshness) => fetchCompany(settings, page, freshness, exchange))
  return checked.verdict
}

/** Enrich Layer, the successor of Proxycurl with the same answers. */
export function enrichlayer(settings: ProviderSettings): Provider {
  return {
    name: 'enrichlayer',
    supplies,
    projectionVersion: 3,
    asksByDomain: true,
    matchesBy: {
      people: [['email'], ['phone'], ['first_name', 'company_domain'], ['first_name', 'company']],
      companies: [['name'], ['domain']],
    },
    ask: (ask, send) => askEnrichlayer(settings, ask, send),
    project: (kind, payload) => (kind === 'people' ? projectPerson(payload) : projectCompany(payload)),
  }
}
