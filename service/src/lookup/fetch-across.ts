import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../foundation/failure.ts'
import type { Identifier } from '../foundation/identifier.ts'
import type { FetchEnd } from '../foundation/neighbours.ts'
import { UpstreamFault } from '../upstream/fault.ts'
import type { LookupNeeds } from './needs.ts'
import { notFound, recallStored } from './recall.ts'
import type { ReadyRecord } from './record-cache.ts'

/**
 * One fetch for all processes: the first to claim it makes it, the others wait for its end and read what it stored.
 * Whoever waits too long, because the other died, fetches alone.
 */
export async function fetchAcross(
  needs: LookupNeeds,
  name: string,
  identifier: Identifier,
  fetch: () => Promise<ReadyRecord>,
): Promise<ReadyRecord> {
  const claimMs = needs.rules.upstreamTotalMs + 2_000
  const startedAt = needs.clock.now()
  const news = needs.fetchNews.expect(name)
  try {
    if (await needs.neighbours.claim(name, claimMs)) return await fetchAndTell(needs, name, fetch)
    const end = await Promise.race([news.end, pause(claimMs, 'failed' as const)])
    return await afterAnother(needs, identifier, end, startedAt, fetch)
  } finally {
    news.stop()
  }
}

async function fetchAndTell(needs: LookupNeeds, name: string, fetch: () => Promise<ReadyRecord>): Promise<ReadyRecord> {
  let end: FetchEnd = 'failed'
  try {
    const record = await fetch()
    end = 'found'
    return record
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') end = 'not_found'
    throw error
  } finally {
    await needs.neighbours.giveUp(name)
    await needs.neighbours.tell({ topic: 'fetched', name, end })
  }
}

async function afterAnother(
  needs: LookupNeeds,
  identifier: Identifier,
  end: FetchEnd,
  startedAt: number,
  fetch: () => Promise<ReadyRecord>,
): Promise<ReadyRecord> {
  if (end === 'not_found') throw notFound()
  if (end === 'failed')
    throw new UpstreamFault('unavailable', 'the fetch of another node, which was waited for, failed')
  const { record } = await recallStored(needs, identifier)
  // Clocks of nodes differ a little; a copy that is clearly older than the wait is not the one that was waited for.
  const isThatFetch = record && record.fetchedAt > startedAt - 5_000
  return isThatFetch ? record : fetch()
}
