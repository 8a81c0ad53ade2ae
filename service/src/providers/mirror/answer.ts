import {
  creditsIn,
  header,
  instant,
  type MatchSignal,
  parseObject,
  type ProviderAsk,
  ProviderFault,
  type RawAnswer,
  throwFaultOf,
  type Verdict,
} from '@vitae/provider'
import { dayMs } from '../../foundation/clock.ts'

/** The other service counts whole seconds, by its own clock. */
const toleranceMs = 60_000

/** What the mirror's answer means. The body of a found record is read by the projection alone. */
export function mirrorVerdict(answer: RawAnswer, ask: Pick<ProviderAsk, 'fresh' | 'maxAgeDays'>): Verdict {
  throwFaultOf('mirror', answer.status, answer)
  const cost = creditsIn(answer, 'X-Credits-Charged')
  if (answer.status === 404) {
    if (!saysNotFound(answer)) throw invalid('a 404 that speaks of something else than a record', answer)
    return { outcome: 'not_found', answer, cost }
  }
  if (answer.status !== 200) throw invalid(`the status ${answer.status}`, answer)
  if (!isJson(answer)) throw invalid('a record that is not declared as JSON', answer)
  const fetchedAt = fetchedAtOf(answer)
  const sourceUpdatedAt = instant(header(answer, 'X-Source-Updated-At')) ?? fetchedAt
  return { outcome: 'found', answer, cost, sourceUpdatedAt, ...provenance(answer, fetchedAt, ask) }
}

/** As `mirrorVerdict`, of a match; the other service says how sure it is. One that knows no matches knows nobody. */
export function mirrorMatchVerdict(answer: RawAnswer, ask: Pick<ProviderAsk, 'fresh' | 'maxAgeDays'>): Verdict {
  if (answer.status === 404 && isJson(answer)) {
    const { code } = parseObject('mirror', answer.body, answer)
    const unknown = { outcome: 'not_found', answer, cost: null } as const
    if (code === 'ambiguous_match') return { ...unknown, isAmbiguous: true }
    if (code === 'no_match' || code === 'identity_mismatch' || code === 'route_not_found') return unknown
  }
  const verdict = mirrorVerdict(answer, ask)
  if (verdict.outcome !== 'found') return verdict
  const likelihood = Number(header(answer, 'X-Match-Likelihood') ?? 0)
  const matchedOn = (header(answer, 'X-Matched-On') ?? '').split(',').map((signal) => signal.trim())
  const known = matchedOn.filter((signal): signal is MatchSignal => signals.has(signal))
  return { ...verdict, match: { likelihood: likelihood >= 0 && likelihood <= 1 ? likelihood : 0, matchedOn: known } }
}

const signals: ReadonlySet<string> = new Set<MatchSignal>([
  'email',
  'phone',
  'name',
  'company',
  'company_domain',
  'domain',
])

/**
 * How old the data is and where the other service took it from; one that gives an age but no source answered from its
 * store. Data that is not live never answers a call for fresh data: that is an outage of the mirror, so that another
 * provider or an own copy can serve. Data that is older than was asked for is a stale copy, whatever the other service
 * calls it.
 */
function provenance(
  answer: RawAnswer,
  stated: number | null,
  { fresh, maxAgeDays }: Pick<ProviderAsk, 'fresh' | 'maxAgeDays'>,
): Pick<Verdict, 'fetchedAt' | 'notLive'> {
  const fetchedAt = stated ?? answer.receivedAt
  const ageMs = answer.receivedAt - fetchedAt
  const source = header(answer, 'X-Data-Source') ?? (ageMs > toleranceMs ? 'store' : 'live')
  if (source !== 'store' && source !== 'stale_fallback') return {}
  if (fresh) {
    throw new ProviderFault('unavailable', 'mirror answered a call for fresh data from a stored copy', { answer })
  }
  const isTooOld = ageMs > maxAgeDays * dayMs + toleranceMs
  return { fetchedAt, notLive: isTooOld ? 'stale_fallback' : source }
}

/** When the data was fetched, from its time or else its age. The clocks may differ: nothing was fetched after it was received. */
function fetchedAtOf(answer: RawAnswer): number | null {
  const age = header(answer, 'X-Data-Age-Seconds')
  const byAge = age !== null && /^\d{1,10}$/.test(age.trim()) ? answer.receivedAt - Number(age) * 1_000 : null
  const stated = instant(header(answer, 'X-Fetched-At')) ?? byAge
  return stated === null ? null : Math.min(stated, answer.receivedAt)
}

/**
 * Whether a 404 is about the record. The contract leaves its body open, so an empty one, `not_found` as text and a JSON
 * object count unless it carries another code. A web page or any other text comes from something in between (a
 * wrong address, a gateway): reading that as "no such record" would withdraw every stored copy.
 */
function saysNotFound({ body }: RawAnswer): boolean {
  const text = new TextDecoder().decode(body).trim()
  if (text === '') return true
  if (/^not[ _-]found\.?$/i.test(text)) return true
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    return !('code' in value) || value.code === 'not_found' || value.code === 404
  } catch {
    return false
  }
}

function isJson(answer: RawAnswer): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(header(answer, 'content-type') ?? '')
}

function invalid(what: string, answer: RawAnswer): ProviderFault {
  return new ProviderFault('invalid', `mirror answered with ${what}`, { answer })
}
