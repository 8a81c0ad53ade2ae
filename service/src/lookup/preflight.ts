import type { DataSource } from '@vitae/contract'
import type { CreditOperations } from '../credits/operations.ts'
import { highestPrice, priceOf } from '../credits/prices.ts'
import type { Store } from '../database/store.ts'
import { Failure } from '../foundation/failure.ts'
import { knownState } from './answer-lookup.ts'
import { planFreshness } from './freshness.ts'
import type { Lookup } from './lookup.ts'
import type { LookupDeps, Payer } from './deps.ts'
import { recallRecord, type Known } from './recall-record.ts'
import type { ReadyRecord } from './record-cache.ts'

/** What a lookup would do, said without doing it. */
export interface Preflight {
  /** Null where it would end without a record. */
  source: DataSource | null
  ageSeconds: number | null
  cost: number
  /** Whether the key's ceiling or the environment's credits would refuse it; false where no key was named. */
  wouldExceed: boolean
}

type Deps = LookupDeps & { credits: Pick<Store<CreditOperations>, 'paidAt'> }

const dayMs = 86_400_000

/** Applies the rules of a real lookup without spending or fetching anything. */
export async function preflight(deps: Deps, payer: Payer | null, lookup: Lookup): Promise<Preflight> {
  const expected = await expect(deps, lookup)
  if (!expected) return { source: null, ageSeconds: null, cost: 0, wouldExceed: false }
  const { source, record } = expected
  const bypass = lookup.freshness.bypassCache
  const { kind } = lookup.identifier
  const price = priceOf(deps.rules.prices, { kind, source, thin: record?.thin ?? false, bypass })
  const cost = (await isFreeRepeat(deps, payer, record)) ? 0 : price
  // Before a fetch the highest possible price is set aside, because its end is not known yet.
  const amount = source === 'live' ? highestPrice(deps.rules.prices, { kind, bypass }) : cost
  const age = record && source !== 'live' ? (deps.clock.now() - record.fetchedAt) / 1_000 : 0
  const ageSeconds = Math.max(0, Math.floor(age))
  return { source, ageSeconds, cost, wouldExceed: await exceeds(deps, payer, lookup, amount) }
}

async function expect(deps: Deps, lookup: Lookup): Promise<{ source: DataSource; record: ReadyRecord | null } | null> {
  const known = await recallOrNothing(deps, lookup)
  if (!known) return null
  const plan = planFreshness(lookup.freshness, knownState(deps, lookup, known), deps.rules.freshness)
  if (plan.action === 'fail') return null
  return { source: plan.action === 'serve' ? plan.source : 'live', record: known.record }
}

/** A suppressed identifier is not found; here that is an answer, not a failure. */
async function recallOrNothing(deps: Deps, lookup: Lookup): Promise<Known | null> {
  try {
    return await recallRecord(deps, lookup)
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}

async function isFreeRepeat(deps: Deps, payer: Payer | null, record: ReadyRecord | null): Promise<boolean> {
  const { repeatFreeDays } = deps.rules.prices
  if (!payer || !record || repeatFreeDays === 0) return false
  const paidAt = await deps.credits.paidAt({ accountId: payer.accountId, entityId: record.entityId })
  return paidAt !== null && paidAt >= deps.clock.now() - repeatFreeDays * dayMs
}

async function exceeds(deps: Deps, payer: Payer | null, lookup: Lookup, amount: number): Promise<boolean> {
  if (!payer) return false
  const { requestId } = lookup
  const decision = await deps.settle({
    keyId: payer.keyId,
    accountId: payer.accountId,
    type: 'check',
    requestId,
    at: deps.clock.now(),
    amount,
    idempotency: null,
  })
  if (decision.outcome !== 'refused') return false
  if (decision.code === 'credit_ceiling_reached' || decision.code === 'out_of_credits') return true
  throw new Failure('conflict', { detail: `A call with this key would be refused: ${decision.code}.` })
}
