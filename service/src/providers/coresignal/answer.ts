import {
  insideEnvelope,
  parseObject,
  parsePayload,
  type RawAnswer,
  throwFaultOf,
  throwIfWebPage,
  type Verdict,
} from '@vitae/provider'

const name = 'coresignal'

/** Whether a record is of a page that is gone from the platform. */
function isWithdrawn(record: Record<string, unknown>): boolean {
  return [record.is_deleted, record.deleted].some((mark) => mark === 1 || mark === true)
}

/**
 * Checks an answer. "Not found" is a 404, a wrapped `success: false` with 404, or a record marked as deleted: what
 * its owner removed from the platform is not served. Coresignal tells the remaining credits, not the cost.
 */
export function checkAnswer(answer: RawAnswer): Verdict {
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

/** The first of the ids that a search found; null when it found none. */
export function firstFoundId(answer: RawAnswer): string | null {
  throwFaultOf(name, answer.status, answer)
  const ids = parsePayload(name, answer.body, answer)
  const first: unknown = Array.isArray(ids) ? ids[0] : undefined
  return typeof first === 'number' || typeof first === 'string' ? String(first) : null
}

/** The ids that a search found, the best first. */
export function foundIds(answer: RawAnswer): string[] {
  throwFaultOf(name, answer.status, answer)
  if (answer.status === 404) {
    throwIfWebPage(name, answer)
    return []
  }
  const ids = parsePayload(name, answer.body, answer)
  return (Array.isArray(ids) ? ids : []).filter((id) => ['number', 'string'].includes(typeof id)).map(String)
}

/** Whether a company answer is about the company with this number on the platform. */
export function isAboutCompany(answer: RawAnswer, companyNumber: string): boolean {
  const record = insideEnvelope(parseObject(name, answer.body, answer))
  return [record.source_id, record.linkedin_source_id].some((id) => String(id) === companyNumber)
}
