import type { RecordStore } from '../../records/operations.ts'
import { isAhead, type Clock } from '../../foundation/clock.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../foundation/failure.ts'
import type { Identifier } from '../../foundation/identifier.ts'
import type { Route } from '../../foundation/environments/route.ts'
import { noPeers, type FetchEnd, type Peers } from '../../cluster/peers.ts'
import { ProviderFault } from '@vitae/provider'
import { lacksOf, type Demands } from '../recall/demands.ts'
import { withSites, notFound, readOnRoute, recallStored } from '../recall/recall-record.ts'
import { isOnRoute } from '../recall/applicable-fills.ts'
import type { ReadyRecord, RecordCache } from '../recall/record-cache.ts'
import type { FetchOutcomes } from '../payment/fetch-outcomes.ts'
import { UncertainMiss } from './fetch-required.ts'

/** A claim is short and is renewed while the fetch runs, so that others soon notice a dead process. */
const claimMs = 3_000
const renewEveryMs = 1_000
const checkAgainMs = 500

interface Deps {
  clock: Clock
  secret: string
  cache: RecordCache
  store: { records: Pick<RecordStore, 'readRecord' | 'readVersion' | 'foldEntity' | 'companyPage'> }
  peers: Peers
  fetchOutcomes: FetchOutcomes
}

interface Asked {
  /** Equal in all processes for fetches that may be shared. */
  name: string
  identifier: Identifier
  route: Route
  /** The demands that the record must meet. */
  demands: Demands
  fetch: () => Promise<ReadyRecord>
}

/**
 * Makes one fetch for all processes. The process with the claim fetches; the others wait and share its result, even a
 * failure. If the process with the claim dies, another one fetches.
 */
export async function fetchOnceAcrossNodes(deps: Deps, asked: Asked): Promise<ReadyRecord> {
  if (deps.peers === noPeers) return asked.fetch()
  const startedAt = deps.clock.now()
  for (let waited = false; ; waited = true) {
    // Listen before the claim is attempted: if another process holds it, its result may arrive at any moment.
    const outcome = deps.fetchOutcomes.expect(asked.name)
    try {
      if (await deps.peers.claim(asked.name, claimMs)) {
        return await fetchAndReport(deps, asked, waited ? startedAt : null)
      }
      const end = await firstOf(outcome.end)
      if (end && end.end !== 'given_up') return await endOfAnother(deps, asked, end)
    } finally {
      outcome.stop()
    }
  }
}

/** The result of another process's fetch; null when it is time to try the claim again. */
async function firstOf(end: Promise<FetchEnd>): Promise<FetchEnd | null> {
  const timer = new AbortController()
  const late = pause(checkAgainMs, null, { signal: timer.signal }).catch(() => null)
  const first = await Promise.race([end, late])
  timer.abort()
  return first
}

async function fetchAndReport(deps: Deps, asked: Asked, waitedSince: number | null): Promise<ReadyRecord> {
  const { name, fetch } = asked
  const renewal = setInterval(() => void deps.peers.renew(name, claimMs), renewEveryMs)
  let end: FetchEnd = { end: 'given_up' }
  try {
    const record = (await keptSince(deps, asked, waitedSince)) ?? (await fetch())
    end = foundEnd(record)
    return record
  } catch (error) {
    end = endOf(error)
    throw error
  } finally {
    clearInterval(renewal)
    await deps.peers.giveUp(name)
    await deps.peers.notify({ topic: 'fetched', name, end })
  }
}

/** The result of a successful fetch, for the calls that share it. */
export function foundEnd({ versionId, notLive, fetched }: ReadyRecord): FetchEnd {
  return { end: 'found', versionId, ...(notLive ? { notLive } : {}), ...(fetched ? { fetched } : {}) }
}

/** A record that another process stored before it died or before its message was lost. */
async function keptSince(
  deps: Deps,
  { identifier, route, demands }: Asked,
  since: number | null,
): Promise<ReadyRecord | null> {
  if (since === null) return null
  const { record } = await recallStored(deps, identifier)
  // Clocks of nodes differ slightly.
  const isNew = record && record.fetchedAt > since - 1_000 && !isAhead(record.fetchedAt, deps.clock.now())
  // The record may have been fetched for a call without demands, so it is checked here.
  if (!isNew || !isOnRoute(record, route)) return null
  const { versionId, provider } = record
  const kept = { ...record, fetched: [{ versionId, provider }] }
  const judged = await withSites(deps, route, demands.expect, kept)
  return lacksOf(judged, demands).length === 0 ? judged : null
}

/** The result of a failed fetch, for the calls that share it. */
export function endOf(error: unknown): FetchEnd {
  if (error instanceof UncertainMiss) return { end: 'uncertain' }
  if (error instanceof ProviderFault) return { end: 'failed', fault: error.kind }
  if (error instanceof Failure && error.code === 'not_found') return { end: 'not_found' }
  // The cause is the caller's own allowance or a fault of this process, so the other processes fetch for themselves.
  return { end: 'given_up' }
}

/** Turns the result of a fetch by another call or process into a record or a failure. */
export async function endOfAnother(
  deps: Pick<Deps, 'store'>,
  { identifier, route }: Pick<Asked, 'identifier' | 'route'>,
  end: Exclude<FetchEnd, { end: 'given_up' }>,
): Promise<ReadyRecord> {
  if (end.end === 'uncertain') throw new UncertainMiss()
  if (end.end === 'failed') throw new ProviderFault(end.fault, 'the shared fetch failed')
  if (end.end !== 'found') throw notFound()
  const { versionId, notLive, fetched } = end
  const record = await readOnRoute(deps, identifier.kind, versionId, route)
  // The record was erased meanwhile, so this caller gets not_found.
  if (!record) throw notFound()
  return { ...record, ...(notLive ? { notLive } : {}), ...(fetched ? { fetched } : {}) }
}
