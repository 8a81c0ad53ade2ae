import {
  integer,
  object,
  parseObject,
  parsePayload,
  ProviderFault,
  type RawAnswer,
  text,
  throwFaultOf,
  throwIfWebPage,
  type Verdict,
} from '@vitae/provider'

export const name = 'harvestapi'

/** The record inside `{element}`, in a list of one, or bare as the Apify actor of the same maker returns it. */
export function unwrap(payload: unknown): Record<string, unknown> {
  if (Array.isArray(payload)) return unwrap(payload[0])
  const body = object(payload)
  return 'element' in body ? object(body.element) : body
}

/**
 * Checks an answer. The real status may be inside a 200, and "not found" may be a 404, an error text or an empty
 * record.
 */
export function checkAnswer(answer: RawAnswer): Verdict {
  throwIfBusy(answer)
  throwFaultOf(name, answer.status, answer)
  if (answer.status === 404) {
    throwIfWebPage(name, answer)
    return { outcome: 'not_found', answer, cost: null }
  }
  const body = parseObject(name, answer.body, answer)
  const cost = typeof body.cost === 'number' && body.cost >= 0 ? body.cost : null
  throwFaultOf(name, integer(body.status) ?? answer.status, answer)
  const record = unwrap(body)
  const complaint = errorText(body)
  const hasRecord = ['id', 'publicIdentifier', 'universalName', 'name', 'firstName'].some((key) => text(record[key]))
  if (hasRecord && body.status !== 404) return { outcome: 'found', answer, cost }
  if (complaint === null || body.status === 404 || isNotFound(complaint)) return { outcome: 'not_found', answer, cost }
  throw faultOfText(complaint, answer)
}

/** HarvestAPI limits concurrent calls, and documents no status for a call above the limit. */
function throwIfBusy(answer: RawAnswer): void {
  if (answer.status < 400 || answer.status === 429) return
  const complaint = text(errorTextOf(answer))
  if (complaint && isBusy(complaint))
    throw new ProviderFault('limited', `${name} has too many calls running`, { answer })
}

function errorTextOf(answer: RawAnswer): string | null {
  try {
    return errorText(object(parsePayload(name, answer.body, answer)))
  } catch {
    return null
  }
}

/** The text of `{error}` or `{error: {error}}`. */
function errorText(body: Record<string, unknown>): string | null {
  const inner = object(body.error)
  return text(body.error) ?? text(inner.error) ?? text(inner.message)
}

function isNotFound(complaint: string): boolean {
  return /not[ _-]?found|does(n't| not) exist|no such|unavailable profile|private/i.test(complaint)
}

function isBusy(complaint: string): boolean {
  return /concurren|too many|rate limit|queue/i.test(complaint)
}

function faultOfText(complaint: string, answer: RawAnswer): ProviderFault {
  if (isBusy(complaint)) return new ProviderFault('limited', `${name} has too many calls running`, { answer })
  if (/credit|balance|payment|subscription|api[ -]?key|unauthori[sz]ed|forbidden/i.test(complaint)) {
    return new ProviderFault('rejected', `${name} refuses this account`, { answer })
  }
  // The text comes from the provider and may repeat the question, so it stays in the archive and out of the message.
  return new ProviderFault('invalid', `${name} answered with an error instead of a record`, { answer })
}
