import type { DataSource, Kind } from '@vitae/contract'
import type { Caller } from '../accounts/caller.ts'
import { type BrokenRule, Failure, type AnyFailureCode } from '../foundation/failure.ts'
import { answerLookup } from './answer-lookup.ts'
import { CallTrace } from './asked/call-trace.ts'
import type { LookupDeps } from './payment/deps.ts'
import type { Lookup, LookupAnswer, Replayed } from './asked/lookup.ts'

/** A finished call, for the log, the call log and the metrics. It never contains what the caller sent. */
export interface EndedCall {
  requestId: string
  kind: Kind
  caller: Caller | null
  startedAt: number
  durationMs: number
  status: number
  code: AnyFailureCode | null
  source: DataSource | null
  credits: number
  /** The stored record that was served, or null. */
  entityId: number | null
  replay: Replayed | null
  /**
   * The trace of the call; null for an answer from memory. It knows the requested identifier, so it must not be logged.
   */
  trace: CallTrace | null
  /** The rules that an unreadable query broke; such a call has no trace. */
  broken?: BrokenRule[] | undefined
  spendTag: string | null
}

/** The trace of a failed call. A call that would have been served from memory gets its trace only here. */
export function failedTrace(lookup: Lookup, failure: Failure): CallTrace {
  const trace = lookup.trace ?? new CallTrace(lookup, null)
  trace.failed(failure)
  return trace
}

/** The parts of an answer that are recorded. */
type EndedAnswer = Pick<LookupAnswer, 'source' | 'entityId' | 'replay' | 'credits'>

interface Deps {
  lookup: LookupDeps
  callEnded(call: EndedCall): void
}

/**
 * Answers a paid lookup and records it like any other call, however it ends. For lookups that the service makes itself
 * for a live key, and for lookups that another question resolves to.
 */
export async function answerForKey<Answer extends EndedAnswer = LookupAnswer>(
  deps: Deps,
  caller: Caller,
  lookup: Lookup,
  answerBy?: (lookup: Lookup) => Promise<Answer>,
): Promise<Answer> {
  const { requestId, startedAt, identifier } = lookup
  const by = answerBy ?? ((one: Lookup) => answerLookup(deps.lookup, caller, one) as Promise<LookupAnswer & Answer>)
  const { spendTags } = deps.lookup
  const isCounted = lookup.spendTag && caller.mode === 'live'
  const spendTag = isCounted ? await spendTags.countedAs(caller.environmentId, lookup.spendTag ?? '') : null
  lookup.spendTag = spendTag
  const end = (ended: Pick<EndedCall, 'status' | 'code' | 'source' | 'entityId' | 'replay' | 'credits' | 'trace'>) =>
    deps.callEnded({
      requestId,
      kind: identifier.kind,
      caller,
      startedAt,
      durationMs: deps.lookup.clock.now() - startedAt,
      spendTag,
      ...ended,
    })
  try {
    const answer = await by(lookup)
    const { source, entityId, replay, credits } = answer
    const trace = lookup.trace ?? null
    end({ status: 200, code: null, source, entityId, replay, credits: credits?.charged ?? 0, trace })
    return answer
  } catch (error) {
    if (error instanceof Failure) {
      const { code, row } = error
      const trace = caller.mode === 'live' ? failedTrace(lookup, error) : null
      end({ status: row.status, code, source: null, entityId: null, replay: null, credits: 0, trace })
    }
    throw error
  }
}
