import type { WatchStore } from './store/operations.ts'
import { type Caller, type KeyCache, refusalOf } from '../accounts/caller.ts'
import { usualAsk, type CompiledBook } from '../credits/prices/compiled-book.ts'
import { Failure, type AnyFailureCode, keyRefusals, outOfMoney } from '../foundation/failure.ts'
import { newRequestId } from '../foundation/request-id.ts'
import type { Log } from '../foundation/log.ts'
import { Runner, type Work } from '../work/runner.ts'
import type { LookupDeps } from '../lookup/payment/deps.ts'
import { answerForKey, type EndedCall } from '../lookup/ended-call.ts'
import { type Lookup, newLookup } from '../lookup/asked/lookup.ts'
import type { WatchEnd } from './store/due-watches.ts'
import type { PausedKey } from './store/pause-watches.ts'
import type { StoredWatch } from './store/watch-view.ts'

export interface WatchDeps {
  keyCache: Pick<KeyCache, 'findById'>
  lookup: LookupDeps
  log: Log
  store: {
    watches: Pick<
      WatchStore,
      | 'bringBackWatches'
      | 'claimWatches'
      | 'finishWatch'
      | 'pauseWatches'
      | 'pausedKeys'
      | 'resumeWatches'
      | 'resumeBudgets'
    >
  }
  callEnded(call: EndedCall): void
}

/** The key may not pay: all its watches pause until it may. */
const pausing: ReadonlySet<AnyFailureCode> = new Set<AnyFailureCode>([...keyRefusals, ...outOfMoney])

/**
 * This attempt or an earlier one may have been paid for, or may still run elsewhere. The refresh is left to its lease,
 * and the next attempt uses the same idempotency record.
 */
const unsettled: ReadonlySet<AnyFailureCode> = new Set<AnyFailureCode>([
  'request_in_progress',
  'store_unavailable',
  'overloaded',
])

const checkAgainMs = 1_000

/** A claimed watch, and the price book for both the reserved and the paid amount. */
interface DueWatch {
  watch: StoredWatch
  book: CompiledBook
}

/**
 * Runs due refreshes, at most `atOnce` concurrently, until none is due or the signal aborts. A refresh starts as soon
 * as another ends, and refreshes that become due meanwhile are included, so a slow one does not delay others.
 */
export async function runDueWatches(deps: WatchDeps, atOnce: number, stop?: AbortSignal): Promise<void> {
  const runner = new Runner(watchWork(deps, atOnce), deps.log)
  runner.start()
  const close = () => void runner.close()
  stop?.addEventListener('abort', close)
  await runner.once()
  stop?.removeEventListener('abort', close)
  await runner.close()
}

function watchWork(deps: WatchDeps, atOnce: number): Work<DueWatch> {
  return {
    name: 'watches',
    everyMs: checkAgainMs,
    refills: true,
    keyOf: ({ watch }) => watch.id,
    async claim(inProgress) {
      const limit = atOnce - inProgress.length
      // With a wrong clock it could not pay, and would keep the refresh from other nodes.
      if (limit <= 0 || deps.lookup.isClockOff()) return []
      const book = deps.lookup.prices.at(deps.lookup.clock.now())
      const running = inProgress.map(({ watch }) => watch)
      for (;;) {
        const { claimed, more } = await claim(deps, limit, running, book)
        if (claimed.length > 0 || !more) return claimed.map((watch) => ({ watch, book }))
      }
    },
    run: ({ watch, book }) => refreshWatch(deps, watch, book),
  }
}

function claim(
  { store, lookup }: WatchDeps,
  limit: number,
  inProgress: readonly StoredWatch[],
  book: CompiledBook,
): ReturnType<WatchDeps['store']['watches']['claimWatches']> {
  const { upstreamTotalMs, idempotencyWaitMs, holdMs } = lookup.rules
  // Longer than any refresh lasts, including its hold: another node may take it over only if this one is dead.
  const leaseMs = upstreamTotalMs + idempotencyWaitMs + 2 * holdMs
  const running = [...Map.groupBy(inProgress, (watch) => watch.account_id)].map(
    ([environmentId, { length }]) => [environmentId, length] as const,
  )
  return store.watches.claimWatches({
    now: lookup.clock.now(),
    limit,
    leaseMs,
    prices: book.highestOfWatches(),
    running,
  })
}

/** Runs one due refresh: a lookup with the key of the watch. */
async function refreshWatch(deps: WatchDeps, watch: StoredWatch, book: CompiledBook): Promise<void> {
  const { store, lookup } = deps
  const { id, key_id: keyId, account_id: environmentId, lease, kind } = watch
  let end: WatchEnd
  try {
    const caller = await payingCaller(deps, keyId, kind)
    const answer = await answerForKey(deps, caller, lookupOf(watch, lookup.clock.now(), book))
    const { entityId, fetchedAt, source, replay, credits } = answer
    // A refresh that was paid for before a crash costs the amount that was reserved for it.
    const charged = replay ? null : (credits?.charged ?? 0)
    end = { answered: { entityId, fetchedAt, source, charged } }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code } = error
    if (unsettled.has(code)) return
    if (pausing.has(code)) {
      const ofKind = code === 'endpoint_not_allowed' ? kind : null
      return store.watches.pauseWatches({ keyId, environmentId, kind: ofKind, reason: code, at: lookup.clock.now() })
    }
    const isAnswer = code === 'not_found' || code === 'idempotency_key_reused'
    end = isAnswer ? { missed: code } : { failed: code }
  }
  // If this fails, the refresh is left to its lease as well.
  await store.watches.finishWatch({ id, lease, end, at: lookup.clock.now() })
}

/** The key in its current state; fails if it may not make a lookup of this kind. */
async function payingCaller(
  { keyCache, lookup: { clock } }: Pick<WatchDeps, 'keyCache' | 'lookup'>,
  keyId: string,
  kind: StoredWatch['kind'],
): Promise<Caller> {
  const caller = await keyCache.findById(keyId)
  const refusal = caller ? refusalOf(caller, { kind, spends: true }, clock.now()) : 'revoked_api_key'
  if (!caller || refusal) throw new Failure(refusal ?? 'revoked_api_key')
  return caller
}

/**
 * Accepts a copy of at most half an interval, so that several watches of one record share a fetch and none waits longer
 * than 1.5 intervals for news. A stale copy is not news and is not paid for.
 */
function lookupOf(watch: StoredWatch, startedAt: number, book: CompiledBook): Lookup {
  const { id, lease: number, kind, type, value, every_days: everyDays, next_due: due } = watch
  return newLookup({
    requestId: newRequestId(),
    startedAt,
    identifier: { kind, type, value },
    freshness: { maxAgeDays: everyDays / 2, refuseStale: true },
    // Callers cannot send a line break, so no call of theirs uses this idempotency record.
    idempotencyKey: `watch\n${id}\n${due}`,
    spendTag: 'watch',
    // A node that lost the refresh to another node pays for nothing.
    lease: { of: 'watches', id, number },
    pricedAs: { by: 'watch', book },
  })
}

/** Makes watches due whose time was set by a wrong clock. */
export async function bringBackWatches({ store, lookup }: WatchDeps): Promise<void> {
  await store.watches.bringBackWatches({ now: lookup.clock.now() })
}

/** Resumes watches whose key may pay again, or whose monthly limit has renewed. */
export async function resumePausedWatches(deps: WatchDeps): Promise<void> {
  const { store, lookup } = deps
  await store.watches.resumeBudgets({ at: lookup.clock.now() })
  for (const paused of await store.watches.pausedKeys(null)) {
    if (await mayPay(deps, paused)) await store.watches.resumeWatches(paused)
  }
}

async function mayPay(deps: WatchDeps, { keyId, environmentId, kind }: PausedKey): Promise<boolean> {
  let caller: Caller
  try {
    caller = await payingCaller(deps, keyId, kind)
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
  const at = deps.lookup.clock.now()
  const { project, environment } = caller
  const check = {
    type: 'check',
    requestId: newRequestId(),
    at,
    amount: deps.lookup.prices.at(at).highest({ ...usualAsk, kind, by: 'watch', project, environment }),
    idempotency: null,
  } as const
  const decision = await deps.lookup.settle({ ...check, keyId, environmentId })
  return decision.outcome === 'settled'
}
