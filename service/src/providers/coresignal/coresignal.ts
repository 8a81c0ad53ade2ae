import {
  matchFacts,
  type MatchInput,
  type Provider,
  type ProviderAsk,
  type ProviderSettings,
  type Send,
  type Verdict,
  insideEnvelope,
  parseObject,
  parsePayload,
  type RawAnswer,
  throwFaultOf,
  throwIfWebPage,
} from '@vitae/provider'
import { projectCompany } from './project-company.ts'
import { projectPerson } from './project-person.ts'
import {
  matchQuestion,
  searchRequest,
  collectCompanyRequest,
  collectFoundRequest,
  collectPersonRequest,
  enrichCompanyRequest,
  searchCompanyRequest,
} from './request.ts'
import { supplies } from './supplies.ts'

export const coresignalDefaultUrl = 'https://api.coresignal.com'

/**
 * A company number must be searched for: a number in the collect path is Coresignal's own id of another company. If an
 * account has no search, the path is tried, and the answer counts only if it is about that number.
 */
async function askByNumber(settings: ProviderSettings, number: string, ask: ProviderAsk, send: Send): Promise<Verdict> {
  const search = await send(searchCompanyRequest(settings, number), ask.signal)
  const hasSearch = search.status !== 404 && search.status !== 405
  const vendorId = hasSearch ? firstFoundId(search) : number
  if (vendorId === null) return { outcome: 'not_found', answer: search, cost: null }
  const verdict = checkAnswer(await send(collectCompanyRequest(settings, vendorId), ask.signal))
  if (verdict.outcome === 'found' && !isAboutCompany(verdict.answer, number))
    return { ...verdict, outcome: 'not_found' }
  return verdict
}

/** Searches for candidates, then fetches the one that was found. Several candidates count as not found. */
async function askByMatch(
  settings: ProviderSettings,
  input: MatchInput,
  ask: ProviderAsk,
  send: Send,
): Promise<Verdict> {
  const { kind } = ask.identifier
  const { query, agreed } = matchQuestion(kind, input)
  const search = await send(searchRequest(settings, kind, query), ask.signal)
  const [id, another] = foundIds(search)
  if (id === undefined || another !== undefined) {
    const unknown = { outcome: 'not_found', answer: search, cost: null } as const
    return another === undefined ? unknown : { ...unknown, isAmbiguous: true }
  }
  const verdict = checkAnswer(await send(collectFoundRequest(settings, kind, id), ask.signal))
  return verdict.outcome === 'found' ? { ...verdict, match: matchFacts(agreed) } : verdict
}

async function askCoresignal(settings: ProviderSettings, ask: ProviderAsk, send: Send): Promise<Verdict> {
  const { kind, type, value, match } = ask.identifier
  if (match?.domain) {
    const verdict = checkAnswer(await send(enrichCompanyRequest(settings, match.domain), ask.signal))
    return verdict.outcome === 'found' ? { ...verdict, match: matchFacts({ domain: match.domain }) } : verdict
  }
  if (match) return askByMatch(settings, match, ask, send)
  if (kind === 'people') return checkAnswer(await send(collectPersonRequest(settings, ask.identifier), ask.signal))
  if (type === 'domain') return checkAnswer(await send(enrichCompanyRequest(settings, value), ask.signal))
  if (type === 'id') return askByNumber(settings, value, ask, send)
  return checkAnswer(await send(collectCompanyRequest(settings, value), ask.signal))
}

/** Coresignal is a data set, so a call cannot ask for fresher data. */
export function coresignal(settings: ProviderSettings): Provider {
  return {
    name: 'coresignal',
    supplies,
    refusesOpaqueIds: true,
    projectionVersion: 4,
    asksByDomain: true,
    matchesBy: {
      people: [['email'], ['name', 'company_domain'], ['name', 'company']],
      companies: [['name'], ['domain']],
    },
    ask: (ask, send) => askCoresignal(settings, ask, send),
    project: (kind, payload) => (kind === 'people' ? projectPerson(payload) : projectCompany(payload)),
  }
}

const name = 'coresignal'

/** Whether the page of a record was removed from the platform. */
function isWithdrawn(record: Record<string, unknown>): boolean {
  return [record.is_deleted, record.deleted].some((mark) => mark === 1 || mark === true)
}

/**
 * Checks an answer. "Not found" is a 404, a wrapped `success: false` with 404, or a record marked as deleted: data that
 * its owner removed from the platform is not served. Coresignal reports the remaining credits, not the cost.
 */
function checkAnswer(answer: RawAnswer): Verdict {
  throwFaultOf(name, answer.status, answer)
  if (answer.status === 404) {
    throwIfWebPage(name, answer)
    return { outcome: 'not_found', answer, cost: null }
  }
  const body = parseObject(name, answer.body, answer)
  const status = body.success === false ? body.status_code : undefined
  if (typeof status === 'number') throwFaultOf(name, status, answer)
  const missing = status === 404 || isWithdrawn(insideEnvelope(body))
  return { outcome: missing ? 'not_found' : 'found', answer, cost: null }
}

/** The first id that a search found; null if it found none. */
function firstFoundId(answer: RawAnswer): string | null {
  throwFaultOf(name, answer.status, answer)
  const ids = parsePayload(name, answer.body, answer)
  const first: unknown = Array.isArray(ids) ? ids[0] : undefined
  return typeof first === 'number' || typeof first === 'string' ? String(first) : null
}

/** The ids that a search found, best first. */
function foundIds(answer: RawAnswer): string[] {
  throwFaultOf(name, answer.status, answer)
  if (answer.status === 404) {
    throwIfWebPage(name, answer)
    return []
  }
  const ids = parsePayload(name, answer.body, answer)
  return (Array.isArray(ids) ? ids : []).filter((id) => ['number', 'string'].includes(typeof id)).map(String)
}

/** Whether a company answer is about the company with this platform number. */
function isAboutCompany(answer: RawAnswer, companyNumber: string): boolean {
  const record = insideEnvelope(parseObject(name, answer.body, answer))
  return [record.source_id, record.linkedin_source_id].some((id) => String(id) === companyNumber)
}
