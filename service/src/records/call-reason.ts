import { failures, type FailureCode, type Kind } from '@vitae/contract'
import { isoTime } from '../foundation/clock.ts'
import type { LimitMet } from '../foundation/failure.ts'
import type { Explanation } from './call-details.ts'

/** The facts of an ended call. */
interface EndedCall {
  mode: 'live' | 'test'
  kind: Kind
  status: number
  code: string | null
  source: string | null
  replayOf: string | null
}

/**
 * The explanation for readers who must not learn that the subject is suppressed: a provider that had the record looks
 * like one that did not.
 */
export function withoutSuppression(explanation: Explanation | null): Explanation | null {
  if (!explanation?.suppressed) return explanation
  const { suppressed: _, presumed: _presumed, attempts, ...rest } = explanation
  const isRecord = ({ outcome }: Explanation['attempts'][number]) => outcome === 'found' || outcome === 'unfit'
  const unseen = { outcome: 'not_found', status: null }
  return { ...rest, attempts: attempts.map((one) => (isRecord(one) ? { ...one, ...unseen } : one)) }
}

/**
 * Explains in one or two sentences why a call ended as it did. The text names nobody and repeats nothing that the
 * caller sent.
 */
export function callReason(call: EndedCall, explanation: Explanation | null, reader: 'caller' | 'operator'): string {
  if (explanation?.broken)
    return `${explanation.broken.map(({ parameter, rule }) => `${parameter} ${rule}`).join('; ')}.`
  if (call.mode === 'test') return sampleReason(call)
  if (call.status === 200) return answerReason(call, explanation)
  if (explanation?.limit) return limitReason(explanation.limit)
  return failureReason(call, explanation, reader)
}

function sampleReason({ code }: EndedCall): string {
  const played = code === null ? '' : ` This one simulates a failure: ${titleOf(code)}.`
  return `A test key is answered from samples, free of charge.${played}`
}

function answerReason({ source, replayOf }: EndedCall, explanation: Explanation | null): string {
  if (replayOf !== null)
    return 'The answer of an earlier call with the same Idempotency-Key was repeated, free of charge.'
  const reason = explanation?.freshness?.reason ?? null
  if (source === 'live') {
    const before = failedAsks(explanation)
    const from = explanation?.attempts.find(({ outcome }) => outcome === 'found')?.provider ?? 'a provider'
    return `Fetched from ${from}${reason === null ? '' : `, because ${withoutOutlook(reason)}`}.${before === '' ? '' : `  Before that, ${before}.`}`
  }
  if (source === 'stale_fallback') {
    const failed = failedAsks(explanation)
    return `An older stored copy was served${failed === '' ? (reason === null ? '' : `: ${reason}`) : `: ${failed}`}.`
  }
  return `Answered from the store${reason === null ? ', because the stored copy was new enough' : `, because ${reason}`}.`
}

const limitNames: Record<LimitMet['limit'], string> = {
  month: "The key's monthly ceiling is reached",
  day: "The key's daily ceiling is reached",
  budget: "The environment's monthly budget is spent",
  credits: 'The environment has too few credits',
}

function limitReason({ limit, of, left, asked, renewsAt }: LimitMet): string {
  const spent = of === null ? `${left} are available` : `${of - left} of ${of} credits are spent or held`
  const renews = renewsAt === null ? 'Calls work again after the next grant' : `It renews on ${shownMoment(renewsAt)}`
  return `${limitNames[limit]}: ${spent}, and this call could cost ${asked}. ${renews}.`
}

function failureReason(
  { code, status, kind }: EndedCall,
  explanation: Explanation | null,
  reader: 'caller' | 'operator',
): string {
  if (explanation?.suppressed)
    return 'The subject is on the suppression list, so the answer is that of an unknown record.'
  const title = `${titleOf(code)}.`
  if (code === 'endpoint_not_allowed') return `The key may not use the endpoint for ${kind}.`
  const asked = explanation?.attempts ?? []
  if (asked.length > 0)
    return `${title} ${failedAsks(explanation) || 'Asked: ' + asked.map((one) => one.provider).join(', ')}.`
  if (explanation?.cause) return `${title} No provider could be asked: ${explanation.cause}.`
  const reason = reader === 'operator' && status !== 403 && status !== 429 ? explanation?.freshness?.reason : null
  return reason ? `${title} No provider was asked: ${reason}.` : title
}

/** The result of each provider that returned no record: `mirror did not have it; harvestapi failed: HTTP 500`. */
function failedAsks(explanation: Explanation | null): string {
  const asked = (explanation?.attempts ?? []).filter(({ outcome }) => outcome !== 'found')
  return asked.map(({ provider, outcome, cause }) => `${provider} ${deed(outcome, cause)}`).join('; ')
}

function deed(outcome: string, cause: string | null): string {
  if (outcome === 'not_found') return 'did not have it'
  if (outcome === 'unfit') return 'had a record that does not meet require or expect'
  if (outcome === 'not_asked') return `was not asked${cause === null ? '' : `: ${cause}`}`
  return `failed: ${cause ?? outcome}`
}

/** The part of a freshness reason before the semicolon, without what would happen if the fetch failed. */
function withoutOutlook(reason: string): string {
  return reason.split('; ', 1)[0] ?? reason
}

function titleOf(code: string | null): string {
  return failures[code as FailureCode]?.title ?? 'The call failed'
}

/** `2026-12-01 00:00 UTC`. */
function shownMoment(at: number): string {
  return `${isoTime(at).slice(0, 16).replace('T', ' ')} UTC`
}
