import type { ExplainedCall } from '@vitae/contract/admin'
import type { Receipt } from '../credits/reports/receipt.ts'
import { timedSteps, type Explanation, type KnownDetails } from '../records/call-details.ts'
import { callReason, withoutSuppression } from '../records/call-reason.ts'
import { briefEntry } from './credit-view.ts'
import { isoTime } from '../foundation/clock.ts'

/** A call with its receipt and its details. */
export function explainedCall(
  receipt: Receipt,
  call: NonNullable<Receipt['call']>,
  { identifier, explanation: whole }: KnownDetails,
  { showsSuppression, currency }: { showsSuppression: boolean; currency: string },
): ExplainedCall {
  const { requestId, project, environment, key } = receipt
  const { mode, kind, status, code, source } = call
  const explanation = showsSuppression ? whole : withoutSuppression(whole)
  return {
    request_id: requestId,
    at: isoTime(call.at),
    project,
    environment,
    key,
    mode,
    kind,
    identifier: identifier?.value ?? null,
    identifier_type: identifier?.type ?? null,
    entity_key: call.entityKey,
    status,
    code,
    source,
    suppressed: showsSuppression ? explanation?.suppressed === true : null,
    replay_of: call.replayOf,
    reason: callReason(call, explanation, 'operator'),
    tag: call.tag,
    options: explanation?.options ?? null,
    is_explained: explanation !== null,
    freshness: freshnessView(call, explanation),
    // Presumed attempts were never made.
    attempts: (explanation?.presumed ? [] : (explanation?.attempts ?? [])).map(
      ({ durationMs, cost = null, ...attempt }) => ({
        ...attempt,
        cost,
        duration_ms: durationMs,
      }),
    ),
    currency,
    cause: explanation?.cause ?? null,
    fetched_by: explanation?.fetchedBy ?? null,
    settlement: settlementView(receipt, call.credits),
    timings_ms: timingsView(explanation, call.durationMs),
  }
}

/** A plain answer from the store has no details: its source says what the rule decided. */
function freshnessView(
  { source, mode, replayOf }: NonNullable<Receipt['call']>,
  explanation: Explanation | null,
): ExplainedCall['freshness'] {
  if (explanation) {
    const { freshness } = explanation
    return (
      freshness && {
        decision: freshness.decision,
        reason: freshness.reason,
        copy_age_seconds: inSeconds(freshness.copyAgeMs),
        max_age_seconds: inSeconds(freshness.maxAgeMs),
      }
    )
  }
  if (mode === 'test' || source === null) return null
  const reason = replayOf === null ? 'the stored copy was new enough' : 'the answer of an earlier call was repeated'
  return { decision: `serve ${source}`, reason, copy_age_seconds: null, max_age_seconds: null }
}

function settlementView({ entries, hold }: Receipt, charged: number): ExplainedCall['settlement'] {
  const kinds = new Set(entries.map(({ kind }) => kind))
  const ends = [
    ['capture', 'captured'],
    ['release', 'released'],
    ['charge', 'charged'],
  ] as const
  const [, outcome] = ends.find(([kind]) => kinds.has(kind)) ?? [null, hold ? ('held' as const) : ('none' as const)]
  const held = entries.find(({ kind }) => kind === 'hold')?.amount ?? 0
  return { outcome, held: Math.abs(held), charged, entries: entries.map(briefEntry) }
}

function timingsView(explanation: Explanation | null, total: number | null): ExplainedCall['timings_ms'] {
  const timings = explanation?.timings ?? {}
  const steps = timedSteps.map((step) => [step, timings[step] ?? null] as const)
  // Every step is there: the names are those of the schema.
  return { ...(Object.fromEntries(steps) as Record<(typeof timedSteps)[number], number | null>), total }
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms / 1_000)
}
