import type { DataSource } from '@vitae/contract'
import { onRoute } from '../../foundation/environments/route.ts'
import { faultToFailure } from '../../providers/chain/fault-to-failure.ts'
import { ProviderFault } from '@vitae/provider'
import type { LookupDeps } from '../deps.ts'
import type { Lookup } from '../lookup.ts'
import type { Call } from '../pay.ts'
import { notFound } from '../recall-record.ts'
import type { ReadyRecord } from '../record-cache.ts'
import { fetchRecord } from './fetch-record.ts'
import { UncertainMiss } from './uncertain-miss.ts'

/** A record that answers a call, and where it came from. */
export interface Found {
  record: ReadyRecord
  source: DataSource
  /** What it is priced as, where a provider was asked to fill a stored record. */
  pricedAs?: DataSource
}

/** A fetched record, or the old copy where an outage allows it. */
export async function fetchOrFallBack(
  deps: LookupDeps,
  call: Pick<Call, 'payer' | 'lookup' | 'suppressed'>,
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
    // Only an outage may be hidden by a stale copy: "not found" upstream must not resurrect an old copy.
    if (!fallback) throw error instanceof UncertainMiss ? notFound() : faultToFailure(error)
    deps.cooldowns.start(cooling)
    return { record: fallback, source: 'stale_fallback' }
  }
}

/** A copy that was too old where it came from already: served only to callers that take stale copies. */
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
