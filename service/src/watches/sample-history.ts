import type { HistoryVersion, RecordHistory } from '@vitae/contract'
import { Failure } from '../foundation/failure.ts'
import type { Identifier } from '../foundation/identifier.ts'
import { answerSample } from '../lookup/answer-sample.ts'
import type { LookupDeps } from '../lookup/deps.ts'
import { newLookup } from '../lookup/lookup.ts'
import { dayMs, isoTime } from '../foundation/clock.ts'

const changes = {
  people: [{ kind: 'headline', path: 'headline', before: 'Chemist', after: 'Chemist and gardener' }],
  companies: [{ kind: 'headcount', path: 'staff_info.staff_count', before: 120, after: 140 }],
}

/** The history that a test key gets: two fictional versions of the sample of this identifier, or none where its lookup would fail. */
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
