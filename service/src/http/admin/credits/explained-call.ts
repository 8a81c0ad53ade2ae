import Type, { type Static } from 'typebox'
import type { Receipt } from '../../../credits/reports/receipt.ts'
import { timedSteps, type Explanation, type KnownDetails } from '../../../records/call-details.ts'
import { KindName, orNull, Time } from '../schemas.ts'
import { callReason, withoutSuppression } from '../../../records/call-reason.ts'
import { briefEntry, LedgerEntry } from './credit-view.ts'
import { isoTime } from '../../../foundation/clock.ts'

const Attempt = Type.Object({
  provider: Type.String(),
  outcome: Type.String({
    description:
      'found, not_found, unavailable, timeout, invalid, rejected or limited; not_asked where it would have passed VITAE_MAX_COST_PER_CALL.',
  }),
  status: orNull(Type.Integer({ description: 'The HTTP status of its last answer; null where none came.' })),
  cause: orNull(Type.String({ description: 'Why it failed, in words: "connection refused", "HTTP 503".' })),
  cost: orNull(
    Type.Number({ description: 'What its requests may have cost, in `currency`; null where it has no price.' }),
  ),
  duration_ms: Type.Number(),
})

const Freshness = Type.Object({
  decision: Type.String({ description: 'serve store, serve stale_fallback, fetch or fail.' }),
  reason: Type.String(),
  copy_age_seconds: orNull(Type.Number({ description: 'The age of the stored copy.' })),
  max_age_seconds: orNull(Type.Number({ description: 'The age up to which it was good enough.' })),
})

const Settlement = Type.Object({
  outcome: Type.Enum(['charged', 'captured', 'released', 'held', 'none']),
  held: Type.Integer({ description: 'Credits that were set aside before the fetch.' }),
  charged: Type.Integer(),
  entries: Type.Array(LedgerEntry),
})

const Ms = orNull(Type.Number())

/** One call, with all that explains how it ended. */
export const ExplainedCall = Type.Object({
  request_id: Type.String(),
  at: Time,
  project: Type.String(),
  environment: Type.String(),
  key: Type.Object({ id: Type.String(), display: Type.String(), label: orNull(Type.String()) }),
  mode: Type.Enum(['live', 'test']),
  kind: KindName,
  identifier: orNull(
    Type.String({
      description:
        'What was asked for; of a plain answer from the store, the name of its record. Null after an erasure, and where nothing is known.',
    }),
  ),
  identifier_type: orNull(Type.String({ description: 'slug, id, opaque or urn.' })),
  entity_key: orNull(Type.String({ description: 'The member_urn or company_id; null after an erasure.' })),
  status: Type.Integer(),
  code: orNull(Type.String()),
  source: orNull(Type.String()),
  replay_of: orNull(Type.String()),
  reason: Type.String({
    description:
      'Why it ended so, in a sentence or two: the limit of a 402 and when it renews, the rule that a 400 broke, who was asked for a 404.',
  }),
  tag: orNull(Type.String({ description: 'What the caller said it was for, X-Spend-Tag.' })),
  options: orNull(
    Type.Array(Type.String(), {
      description:
        'What was asked for besides the record, as far as it was not as usual; null where it is not kept, as of a plain answer from the store.',
    }),
  ),
  is_explained: Type.Boolean({
    description: 'Whether its steps were kept. Those of a plain answer from the store are not.',
  }),
  freshness: orNull(Freshness),
  attempts: Type.Array(Attempt, { description: 'Every provider that was asked, in order.' }),
  currency: Type.String({ description: 'Of the costs, VITAE_CURRENCY.' }),
  cause: orNull(Type.String({ description: 'Why no provider could be asked at all.' })),
  fetched_by: orNull(Type.String({ description: 'The call that made the fetch which this one waited for.' })),
  suppressed: orNull(
    Type.Boolean({
      description: 'Whether the subject was kept out; said to the owner of the service alone, and null to all others.',
    }),
  ),
  settlement: Settlement,
  timings_ms: Type.Object({
    authorize: Ms,
    recall: Ms,
    hold: Ms,
    fetch: Ms,
    save: Ms,
    capture: Ms,
    release: Ms,
    total: Ms,
  }),
})

/** A call with its receipt and its details. */
export function explainedCall(
  receipt: Receipt,
  call: NonNullable<Receipt['call']>,
  { identifier, explanation: whole }: KnownDetails,
  { showsSuppression, currency }: { showsSuppression: boolean; currency: string },
): Static<typeof ExplainedCall> {
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
): Static<typeof Freshness> | null {
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

function settlementView({ entries, hold }: Receipt, charged: number): Static<typeof Settlement> {
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

function timingsView(
  explanation: Explanation | null,
  total: number | null,
): Static<typeof ExplainedCall>['timings_ms'] {
  const timings = explanation?.timings ?? {}
  const steps = timedSteps.map((step) => [step, timings[step] ?? null] as const)
  // Every step is there: the names are those of the schema.
  return { ...(Object.fromEntries(steps) as Record<(typeof timedSteps)[number], number | null>), total }
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms / 1_000)
}
