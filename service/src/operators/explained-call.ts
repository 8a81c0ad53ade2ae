import type { ExplainedCall } from '@vitae/contract/admin'
import type { Receipt } from '../credits/reports/receipt.ts'
import { timedSteps, type Explanation, type KnownDetails } from '../records/call-details.ts'
import { callReason, withoutSuppression } from '../records/call-reason.ts'
import type { Facts } from '../foundation/schema/encode.ts'

/** Combines a call with its receipt and its details. */
export function explainedCall(
  receipt: Receipt,
  call: NonNullable<Receipt['call']>,
  { identifier, explanation: whole }: KnownDetails,
  { showsSuppression, currency }: { showsSuppression: boolean; currency: string },
): Facts<ExplainedCall> {
  const explanation = showsSuppression ? whole : withoutSuppression(whole)
  return {
    ...receipt,
    ...call,
    identifier: identifier?.value ?? null,
    identifierType: identifier?.type ?? null,
    suppressed: showsSuppression ? explanation?.suppressed === true : null,
    reason: callReason(call, explanation, 'operator'),
    options: explanation?.options ?? null,
    isExplained: explanation !== null,
    freshness: freshnessView(call, explanation),
    // Presumed attempts did not take place.
    attempts: (explanation?.presumed ? [] : (explanation?.attempts ?? [])).map(({ cost = null, ...attempt }) => {
      return { ...attempt, cost }
    }),
    currency,
    cause: explanation?.cause ?? null,
    fetchedBy: explanation?.fetchedBy ?? null,
    settlement: settlementView(receipt, call.credits),
    timingsMs: timingsView(explanation, call.durationMs),
  }
}

/** The freshness decision. A plain answer from the store has no stored details, so its source implies it. */
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

function settlementView({ entries, hold }: Receipt, charged: number): Facts<ExplainedCall['settlement']> {
  const kinds = new Set(entries.map(({ kind }) => kind))
  const ends = [
    ['capture', 'captured'],
    ['release', 'released'],
    ['charge', 'charged'],
  ] as const
  const [, outcome] = ends.find(([kind]) => kinds.has(kind)) ?? [null, hold ? ('held' as const) : ('none' as const)]
  const held = entries.find(({ kind }) => kind === 'hold')?.amount ?? 0
  return { outcome, held: Math.abs(held), charged, entries }
}

function timingsView(explanation: Explanation | null, total: number | null): ExplainedCall['timings_ms'] {
  const timings = explanation?.timings ?? {}
  const steps = timedSteps.map((step) => [step, timings[step] ?? null] as const)
  // The steps come from the schema, so every name is present.
  return { ...(Object.fromEntries(steps) as Record<(typeof timedSteps)[number], number | null>), total }
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms / 1_000)
}
