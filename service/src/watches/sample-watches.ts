import { createHash } from 'node:crypto'
import type { Kind, Watch, WatchRequest, HistoryVersion, RecordHistory } from '@vitae/contract'
import { Failure, keyRefusals, outOfMoney } from '../foundation/failure.ts'
import { identifierKey, type Identifier } from '../foundation/identifier.ts'
import { answerSample } from '../lookup/answer-sample.ts'
import type { LookupDeps } from '../lookup/payment/deps.ts'
import { newLookup } from '../lookup/asked/lookup.ts'
import { dayMs, isoTime } from '../foundation/clock.ts'

type Deps = Pick<LookupDeps, 'clock' | 'rules'>
type Asked = Pick<WatchRequest, 'every_days' | 'note'>

const listed: readonly (readonly [Kind, string])[] = [
  ['people', 'sample-complete'],
  ['people', 'sample-promoted'],
  ['people', 'sample-not-found'],
  ['people', 'sample-ceiling-reached'],
  ['companies', 'sample-funded'],
]
const sampleId = /^wat_sample_[\da-f]{16}$/
const refusals: ReadonlySet<string> = new Set([...keyRefusals, ...outOfMoney])

/**
 * The watch that a test key gets: it was refreshed once and is not stored. Reserved identifiers simulate other results.
 */
export function sampleWatch(
  deps: Deps,
  identifier: Identifier,
  { every_days: everyDays = 7, note = null }: Asked,
): Watch {
  const now = deps.clock.now()
  const { fetchedAt, result } = sampleRefresh(deps, identifier)
  const isPaused = refusals.has(result)
  const name = identifierKey(identifier)
  return {
    id: `wat_sample_${createHash('sha256').update(name).digest('hex').slice(0, 16)}`,
    kind: identifier.kind,
    identifier: identifier.value,
    every_days: everyDays,
    note,
    created_at: isoTime(now),
    next_due_at: isPaused ? null : isoTime(now + everyDays * dayMs),
    last_checked_at: isPaused ? null : isoTime(now),
    last_seen_at: fetchedAt === null ? null : isoTime(fetchedAt),
    last_result: isPaused ? null : result,
    paused: isPaused ? result : null,
  }
}

/** The watches in a test key's list. */
export function sampleWatches(deps: Deps): Watch[] {
  return listed.map(([kind, value]) => sampleWatch(deps, { kind, type: 'slug', value }, {}))
}

/** Whether a test key may have received this id. */
export function isSampleWatch(id: string): boolean {
  return sampleId.test(id)
}

function sampleRefresh(deps: Deps, identifier: Identifier): { fetchedAt: number | null; result: string } {
  try {
    const startedAt = deps.clock.now()
    const answer = answerSample(
      deps,
      newLookup({ requestId: '', startedAt, identifier, freshness: { refuseStale: true } }),
    )
    return { fetchedAt: answer.fetchedAt, result: answer.source }
  } catch (error) {
    if (error instanceof Failure) return { fetchedAt: null, result: error.code }
    throw error
  }
}

const changes = {
  people: [{ kind: 'headline', path: 'headline', before: 'Chemist', after: 'Chemist and gardener' }],
  companies: [{ kind: 'headcount', path: 'staff_info.staff_count', before: 120, after: 140 }],
}

/** The history that a test key gets: two fictional versions of the sample, or none if its lookup would fail. */
export function sampleHistory(
  deps: Pick<LookupDeps, 'clock' | 'rules'>,
  identifier: Identifier,
  { before, limit }: { before: number | null; limit: number },
): RecordHistory {
  const now = deps.clock.now()
  const { body, thin } = orNotFound(() => answerSample(deps, newLookup({ requestId: '', startedAt: now, identifier })))
  const record = JSON.parse(body.toBuffer().toString()) as Record<string, unknown>
  const { kind } = identifier
  const id = record[kind === 'people' ? 'member_urn' : 'company_id']
  if (typeof id !== 'string') throw new Failure('not_found')
  const version = (number: number, at: number): HistoryVersion => ({
    version: number,
    provider: 'sample',
    fetched_at: isoTime(at),
    source_updated_at: null,
    thin,
    changes: number === 2 ? changes[kind] : [],
  })
  const all = [version(2, now), version(1, now - 30 * dayMs)].filter((one) => one.version < (before ?? Infinity))
  const versions = all.slice(0, limit)
  return { kind, id, versions, next: all.length > limit ? (versions.at(-1)?.version ?? null) : null }
}

function orNotFound<Result>(answer: () => Result): Result {
  try {
    return answer()
  } catch (error) {
    throw error instanceof Failure ? new Failure('not_found', { detail: 'There is no sample of this record.' }) : error
  }
}
