import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../foundation/failure.ts'
import type { Identifier } from '../../foundation/identifier.ts'
import type { FetchEnd } from '../../cluster/peers.ts'
import { UpstreamFault } from '../../providers/chain/provider-fault.ts'
import type { LookupDeps } from '../deps.ts'
import { notFound, readyRecord, recallStored } from '../recall-record.ts'
import type { ReadyRecord } from '../record-cache.ts'
import { UncertainMiss } from './uncertain-miss.ts'

/** A claim is short and prolonged while the fetch runs, so that a dead process is soon found out. */
const claimMs = 3_000
const renewEveryMs = 1_000
const lookAgainMs = 500

interface Asked {
  /** The same for the same need in all processes. */
  name: string
  identifier: Identifier
  fetch: () => Promise<ReadyRecord>
}

/**
 * One fetch for all processes: the first to claim it makes it, the others wait for its end and share it, a failure too.
 * When the one who claimed it dies, another takes its place.
 */
export async function fetchAcross(deps: LookupDeps, asked: Asked): Promise<ReadyRecord> {
  const startedAt = deps.clock.now()
  for (let waited = false; ; waited = true) {
    // Expected before it is known that another has the claim: its end may be told at any moment.
    const events = deps.fetchOutcomes.expect(asked.name)
    try {
      if (await deps.peers.claim(asked.name, claimMs)) {
        return await fetchAndTell(deps, asked, waited ? startedAt : null)
      }
      const end = await firstOf(events.end)
      if (end && end.end !== 'given_up') return await endOfAnother(deps, asked, end)
    } finally {
      events.stop()
    }
  }
}

/** The end of another's fetch; null when it is time to look whether its claim still stands. */
async function firstOf(end: Promise<FetchEnd>): Promise<FetchEnd | null> {
  const timer = new AbortController()
  const late = pause(lookAgainMs, null, { signal: timer.signal }).catch(() => null)
  const first = await Promise.race([end, late])
  timer.abort()
  return first
}

async function fetchAndTell(deps: LookupDeps, asked: Asked, waitedSince: number | null): Promise<ReadyRecord> {
  const { name, fetch } = asked
  const renewal = setInterval(() => void deps.peers.renew(name, claimMs), renewEveryMs)
  let end: FetchEnd = { end: 'given_up' }
  try {
    const record = (await keptSince(deps, asked, waitedSince)) ?? (await fetch())
    end = { end: 'found', versionId: record.versionId }
    return record
  } catch (error) {
    end = endOf(error)
    throw error
  } finally {
    clearInterval(renewal)
    await deps.peers.giveUp(name)
    await deps.peers.tell({ topic: 'fetched', name, end })
  }
}

/** What the one before may have kept before it died, or before its news were lost. */
async function keptSince(deps: LookupDeps, { identifier }: Asked, since: number | null): Promise<ReadyRecord | null> {
  if (since === null) return null
  const { record } = await recallStored(deps, identifier)
  // Clocks of nodes differ a little.
  return record && record.fetchedAt > since - 1_000 ? record : null
}

function endOf(error: unknown): FetchEnd {
  if (error instanceof UncertainMiss) return { end: 'uncertain' }
  if (error instanceof UpstreamFault) return { end: 'failed', fault: error.kind }
  if (error instanceof Failure && error.code === 'not_found') return { end: 'not_found' }
  // The allowance of the one who asked, or a fault of this process: no concern of the others.
  return { end: 'given_up' }
}

async function endOfAnother(
  deps: LookupDeps,
  { identifier }: Asked,
  end: Exclude<FetchEnd, { end: 'given_up' }>,
): Promise<ReadyRecord> {
  if (end.end === 'uncertain') throw new UncertainMiss()
  if (end.end === 'failed')
    throw new UpstreamFault(end.fault, 'the fetch of another node, which was waited for, failed')
  const copy = end.end === 'found' ? await deps.store.recallVersion({ versionId: end.versionId }) : null
  // Erased between the two: to this caller it was not found.
  if (!copy) throw notFound()
  return readyRecord(identifier.kind, copy)
}
