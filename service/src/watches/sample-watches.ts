import { createHash } from 'node:crypto'
import type { Kind, Watch, WatchRequest } from '@vitae/contract'
import { Failure, keyRefusals, outOfMoney } from '../foundation/failure.ts'
import type { Identifier } from '../foundation/identifier.ts'
import { answerSample } from '../lookup/answer-sample.ts'
import type { LookupDeps } from '../lookup/deps.ts'
import { newLookup } from '../lookup/lookup.ts'
import { identifierName } from '../lookup/record-cache.ts'
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

/** The watch that a test key gets: it has been looked at once, and is kept nowhere. Reserved identifiers show its other ends. */
export function sampleWatch(
  deps: Deps,
  identifier: Identifier,
  { every_days: everyDays = 7, note = null }: Asked,
): Watch {
  const now = deps.clock.now()
  const { fetchedAt, result } = sampleLook(deps, identifier)
  const isPaused = refusals.has(result)
  const name = identifierName(identifier)
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

/** What a test key finds on its list. */
export function sampleWatches(deps: Deps): Watch[] {
  return listed.map(([kind, value]) => sampleWatch(deps, { kind, type: 'slug', value }, {}))
}

/** Whether a test key may have been given this id. */
export function isSampleWatch(id: string): boolean {
  return sampleId.test(id)
}

function sampleLook(deps: Deps, identifier: Identifier): { fetchedAt: number | null; result: string } {
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
