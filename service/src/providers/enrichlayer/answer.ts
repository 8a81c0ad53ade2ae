import {
  creditsIn,
  dayMs,
  parseObject,
  type RawAnswer,
  throwFaultOf,
  throwIfWebPage,
  type Verdict,
} from '@vitae/provider'

const name = 'enrichlayer'

/** A checked answer with its parsed body; the body is empty if there is no such record. */
export interface CheckedAnswer {
  verdict: Verdict
  body: Record<string, unknown>
}

/** Recordings use the old name of the cost header; the current name is tried first. */
function costOf(answer: RawAnswer): number | null {
  return creditsIn(answer, 'x-enrichlayer-credit-cost') ?? creditsIn(answer, 'x-proxycurl-credit-cost')
}

/** Checks one answer. A missing record is a 404, even inside a 200. Throws `ProviderFault`. */
export function checkAnswer(answer: RawAnswer): CheckedAnswer {
  throwFaultOf(name, answer.status, answer)
  const notFound: CheckedAnswer = { verdict: { outcome: 'not_found', answer, cost: costOf(answer) }, body: {} }
  if (answer.status === 404) {
    throwIfWebPage(name, answer)
    return notFound
  }
  const body = parseObject(name, answer.body, answer)
  if (typeof body.code === 'number' && body.code >= 400) {
    throwFaultOf(name, body.code, answer)
    return notFound
  }
  return { verdict: { outcome: 'found', answer, cost: costOf(answer) }, body }
}

/** When the provider itself last saw the data; recordings of the older service lack it. */
export function lastUpdated(body: Record<string, unknown>): number | null {
  const meta = body.meta
  if (typeof meta !== 'object' || meta === null || !('last_updated' in meta)) return null
  const at = typeof meta.last_updated === 'string' ? Date.parse(meta.last_updated) : Number.NaN
  return Number.isNaN(at) ? null : at
}

/** Whether the provider's cached copy is older than the ask allows. */
export function isTooOld(checked: CheckedAnswer, maxAgeDays: number): boolean {
  const at = lastUpdated(checked.body)
  return at !== null && checked.verdict.answer.receivedAt - at > maxAgeDays * dayMs
}
