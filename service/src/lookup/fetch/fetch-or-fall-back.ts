import type { DataSource } from '@vitae/contract'
import { onRoute } from '../../foundation/environments/route.ts'
import { faultToFailure } from '../../providers/chain/fault-to-failure.ts'
import { ProviderFault } from '@vitae/provider'
import type { LookupDeps } from '../payment/deps.ts'
import type { Lookup } from '../asked/lookup.ts'
import type { FetchingCall } from '../payment/early-payment.ts'
import { notFound } from '../recall/recall-record.ts'
import type { ReadyRecord } from '../recall/record-cache.ts'
import { fetchRecord } from './fetch-record.ts'
import { UncertainMiss } from './fetch-required.ts'

/** The record that answers a call, and its source. */
export interface Found {
  record: ReadyRecord
  source: DataSource
  /** The source that determines the price, if a provider was asked to fill a stored record. */
  pricedAs?: DataSource
}

/** Fetches a record. In an outage, returns the stored copy if the caller may be served a stale one. */
export async function fetchOrFallBack(
  deps: LookupDeps,
  call: FetchingCall,
  fallback: ReadyRecord | null,
  base?: ReadyRecord,
): Promise<Found> {
  const { lookup } = call
  const cooling = onRoute(lookup.name, call.payer.route)
  try {
    const record = await fetchRecord(deps, call, base)
    // A stored record that was only filled keeps its own age.
    if (base && record.versionId === base.versionId) return { record, source: 'store', pricedAs: 'live' }
    if (record.notLive === 'stale_fallback') return stale(deps, lookup, cooling, newer(record, fallback))
    return { record, source: record.notLive ?? 'live' }
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    // Only an outage may be hidden by a stale copy. "Not found" upstream must not bring an old copy back.
    if (!fallback) throw error instanceof UncertainMiss ? notFound() : faultToFailure(error)
    deps.cooldowns.start(cooling)
    return { record: fallback, source: 'stale_fallback' }
  }
}

/** The provider itself had only a stale copy: it is served only to callers that accept stale copies. */
function stale(deps: LookupDeps, lookup: Lookup, cooling: string, record: ReadyRecord): Found {
  const { bypassCache, refuseStale } = lookup.freshness
  const isTooOld = deps.clock.now() - record.fetchedAt > deps.rules.freshness.staleMaxMs
  if (bypassCache || refuseStale || isTooOld) {
    throw faultToFailure(new ProviderFault('unavailable', 'the provider had only a stale copy'))
  }
  deps.cooldowns.start(cooling)
  return { record, source: 'stale_fallback' }
}

function newer(record: ReadyRecord, other: ReadyRecord | null): ReadyRecord {
  return other && other.fetchedAt > record.fetchedAt ? other : record
}
