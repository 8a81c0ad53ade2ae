import type { EntryKind } from '../../database/tables/credits.ts'
import {
  environmentSpendId,
  countsDay,
  idempotencyRecordKey,
  noSpending,
  periodKey,
  spendDate,
  type PayingEnvironment,
  type LedgerSnapshot,
  type Hold,
  type IdempotencyRecord,
  type SpendDate,
} from './ledger-snapshot.ts'
import type { NewEvent } from '../../events/outbox/event.ts'
import type { CallFacts } from './settlement-requests.ts'

export interface Entry {
  environmentId: number
  kind: EntryKind
  amount: number
  /** For `capture`: the amount of the hold that it ends. */
  heldAmount: number | null
  keyId: string
  spendId: string
  month: string
  requestId: string
  holdId: string | null
  at: number
}

/** A call to store with its receipt. */
export interface BilledCall extends CallFacts {
  requestId: string
  at: number
  keyId: string
  environmentId: number
  credits: number
  replayOf: string | null
}

type Writable<M> = M extends ReadonlyMap<infer Key, infer Value> ? Map<Key, Value> : never

/** The ledger while a batch is decided. Rows are replaced, never changed in place. */
export type LedgerDraft = { [Name in keyof LedgerSnapshot]: Writable<LedgerSnapshot[Name]> } & {
  entries: Entry[]
  calls: BilledCall[]
  events: NewEvent[]
}

/** A draft that starts as a copy of the ledger snapshot. */
export function draftFrom(snapshot: LedgerSnapshot): LedgerDraft {
  return {
    keys: new Map(snapshot.keys),
    environments: new Map(snapshot.environments),
    periods: new Map(snapshot.periods),
    holds: new Map(snapshot.holds),
    idempotencyRecords: new Map(snapshot.idempotencyRecords),
    paid: new Map(snapshot.paid),
    entries: [],
    calls: [],
    events: [],
  }
}

/** Finds an environment of the snapshot. Going on without it would lose credits, so a missing one aborts the batch. */
export function environmentIn(draft: LedgerDraft, environmentId: number): PayingEnvironment {
  const environment = draft.environments.get(environmentId)
  if (!environment) throw new Error(`environment ${environmentId} is not in the ledger snapshot`)
  return environment
}

interface Change {
  captured: number
  held: number
}

/** Changes an environment and its periods by the same amounts. */
export function move(
  draft: LedgerDraft,
  where: { environmentId: number; keyId: string; spendId: string },
  date: SpendDate,
  change: Change,
): void {
  const environment = environmentIn(draft, where.environmentId)
  const { captured, held } = change
  draft.environments.set(environment.id, {
    ...environment,
    balance: environment.balance - captured,
    held: environment.held + held,
  })
  movePeriod(draft, where.spendId, date.month, change)
  const key = draft.keys.get(where.keyId)
  if (key && countsDay(key, date)) movePeriod(draft, where.spendId, date.day, change)
  if (environment.budget !== null) movePeriod(draft, environmentSpendId(environment.id), date.month, change)
}

function movePeriod(draft: LedgerDraft, spendId: string, period: string, { captured, held }: Change): void {
  const name = periodKey(spendId, period)
  const before = draft.periods.get(name) ?? noSpending(spendId, period)
  draft.periods.set(name, { ...before, captured: before.captured + captured, held: before.held + held })
}

/** Removes a hold and its running idempotency record from the draft. The caller must enter a capture or a release. */
export function liftHold(draft: LedgerDraft, id: string): Hold | undefined {
  const hold = draft.holds.get(id)
  if (!hold) return undefined
  draft.holds.delete(id)
  move(draft, hold, spendDate(hold.placedAt), { captured: 0, held: -hold.amount })
  if (hold.idempotencyHash !== null) dropRunningRecord(draft, hold.environmentId, hold.idempotencyHash, id)
  return hold
}

/** Enters the release of a hold that was not captured. */
export function enterRelease(draft: LedgerDraft, hold: Hold, at: number): void {
  const { environmentId, keyId, spendId, month, amount, id } = hold
  const entry: Entry = {
    environmentId,
    kind: 'release',
    amount,
    heldAmount: null,
    keyId,
    spendId,
    month,
    requestId: id,
    holdId: id,
    at,
  }
  draft.entries.push(entry)
}

/** Stores an idempotency record, replacing an earlier one. */
export function setIdempotency(draft: LedgerDraft, known: IdempotencyRecord): void {
  draft.idempotencyRecords.set(idempotencyRecordKey(known.environmentId, known.hash), known)
}

/** Drops the running idempotency record of this request only, never one that another request put in its place. */
function dropRunningRecord(draft: LedgerDraft, environmentId: number, hash: string, requestId: string): void {
  const name = idempotencyRecordKey(environmentId, hash)
  const known = draft.idempotencyRecords.get(name)
  if (known?.state === 'running' && known.requestId === requestId) draft.idempotencyRecords.delete(name)
}
