import type { Batch, SubmittedBatch } from '@vitae/contract'
import type { StoredBatch } from './store/submit-batch.ts'
import { isoTime } from '../foundation/clock.ts'
import { type Caller, mayNotBuy, reachedBy } from '../accounts/caller.ts'
import { plainFailure } from '../foundation/failure.ts'
import type { LookupDeps } from '../lookup/payment/deps.ts'
import { mostFor } from '../lookup/payment/pay.ts'
import { optionsOf } from './rows/batch-settings.ts'
import type { BatchDeps } from './rows/deps.ts'

/** How a paused batch resumes, in one sentence. */
const resumedBy: Record<string, string> = {
  out_of_credits: 'Grant credits to the environment, or raise its monthly budget. The batch then resumes by itself.',
  credit_ceiling_reached: 'It resumes by itself when the ceiling of the key renews or is raised.',
  max_credits_reached: 'Call resume with a higher max_credits.',
  upstream_unavailable: 'It resumes by itself when the data provider answers again.',
  upstream_allowance_exceeded: "It resumes by itself when the key's allowance for unknown records renews.",
  project_suspended: 'It resumes by itself when the project is active again.',
  billing_blocked: 'It resumes by itself when billing is no longer blocked.',
  endpoint_not_allowed: 'It resumes by itself when the key may use this endpoint again.',
  part_not_allowed: 'It resumes by itself when the key may ask for this part again.',
}

/** The response to a submission. */
export function submittedView({ public_id: id, status, total, created_at }: StoredBatch): SubmittedBatch {
  return { id, status: shownStatus(status), total, created_at: isoTime(created_at) }
}

/** A batch as its caller sees it. */
export function batchView(batch: StoredBatch, now: number): Batch {
  const { found, not_found, invalid, failed, total, status, reason } = batch
  const waiting = total - found - not_found - invalid - failed
  const isPaused = status === 'paused'
  return {
    ...submittedView(batch),
    name: batch.name,
    kind: batch.kind,
    counts: { found, not_found, invalid, failed, waiting },
    credits_spent: batch.credits,
    max_credits: batch.max_credits,
    seconds_left: secondsLeft(batch, waiting, now),
    pause_reason: isPaused ? reason : null,
    resumed_by: isPaused ? (resumedBy[reason ?? ''] ?? 'Call resume.') : null,
    resumes_at: isPaused ? isoTime(batch.resume_at) : null,
    error: status === 'failed' ? reason : null,
    started_at: isoTime(batch.started_at),
    ended_at: isoTime(batch.ended_at),
    expires_at: isoTime(batch.expires_at),
  }
}

/** Estimated by the pace since the batch was last claimed; null if absent yet. */
function secondsLeft(batch: StoredBatch, waiting: number, now: number): number | null {
  if (batch.ended_at !== null || waiting === 0) return 0
  if (batch.status !== 'running' || batch.claimed_at === null) return null
  const done = batch.total - waiting - batch.claimed_done
  return done > 0 ? Math.ceil(((now - batch.claimed_at) / done) * (waiting / 1_000)) : null
}

function shownStatus(status: StoredBatch['status']) {
  return status === 'uploading' ? 'queued' : status
}

/** The batch with an id, if the key may access it; checked each time, because rights may change after its creation. */
export async function findBatch({ store }: BatchDeps, caller: Caller, publicId: string): Promise<StoredBatch> {
  const batch = await store.batches.showBatch({ environmentId: caller.environmentId, publicId })
  return reachedBy(caller, batch && { ...batch, parts: optionsOf(batch).include }, 'There is no such batch.')
}

/** A key that can buy no records may neither read them nor make others pay for them. */
export function checkMayBuy(lookup: LookupDeps, caller: Caller, { kind }: StoredBatch): void {
  if (mayNotBuy(caller, mostFor(lookup, caller, kind))) throw plainFailure('credit_ceiling_reached')
}
