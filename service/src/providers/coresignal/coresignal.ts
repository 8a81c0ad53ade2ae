import type { Provider, ProviderAsk, ProviderSettings, Send, Verdict } from '@vitae/provider'
import { firstFoundId, isAboutCompany, checkAnswer } from './answer.ts'
import { projectCompany } from './project-company.ts'
import { projectPerson } from './project-person.ts'
import { collectCompanyRequest, collectPersonRequest, enrichCompanyRequest, searchCompanyRequest } from './request.ts'
import { supplies } from './supplies.ts'

export const coresignalDefaultUrl = 'https://api.coresignal.com'

/**
 * A company number must be searched for: a number in the collect path is Coresignal's own id, of another company.
 * Where an account has no search the path is tried, and the answer counts only if it is about that number.
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

async function askCoresignal(settings: ProviderSettings, ask: ProviderAsk, send: Send): Promise<Verdict> {
  const { kind, type, value } = ask.identifier
  if (kind === 'people') return checkAnswer(await send(collectPersonRequest(settings, ask.identifier), ask.signal))
  if (type === 'domain') return checkAnswer(await send(enrichCompanyRequest(settings, value), ask.signal))
  if (type === 'id') return askByNumber(settings, value, ask, send)
  return checkAnswer(await send(collectCompanyRequest(settings, value), ask.signal))
}

/** Coresignal: a data set, so a call cannot ask for fresher data. */
export function coresignal(settings: ProviderSettings): Provider {
  return {
    name: 'coresignal',
    supplies,
    refusesOpaqueIds: true,
    projectionVersion: 3,
    asksByDomain: true,
    ask: (ask, send) => askCoresignal(settings, ask, send),
    project: (kind, payload) => (kind === 'people' ? projectPerson(payload) : projectCompany(payload)),
  }
}
