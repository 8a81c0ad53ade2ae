import type { RecordStore } from '../records/operations.ts'
import type { HistoryVersion, Kind, RecordHistory } from '@vitae/contract'
import { type Caller, mayNotBuy } from '../accounts/caller.ts'
import { isoTime } from '../foundation/clock.ts'
import { Failure, plainFailure } from '../foundation/failure.ts'
import type { Identifier } from '../foundation/identifier.ts'
import type { LookupDeps } from '../lookup/payment/deps.ts'
import { mostFor } from '../lookup/payment/pay.ts'
import { recallStored } from '../lookup/recall/recall-record.ts'
import { judgeChanges, judgedBytesAtMost, sideOf } from '../records/changes/judge-changes.ts'
import { isNotified } from '../records/saving/notify-watchers.ts'
import type { VersionFacts } from '../records/versions/history.ts'

const absent = 'Your environment has no version of such a record.'

interface Deps {
  lookup: LookupDeps
  store: { records: Pick<RecordStore, 'paidVersions' | 'versionBody'> }
}

interface Page {
  before: number | null
  limit: number
}

/** Returns the changes of a record between the versions that a live key's environment received. */
export async function historyOf(
  deps: Deps,
  caller: Caller,
  identifier: Identifier,
  page: Page,
): Promise<RecordHistory> {
  const { kind } = identifier
  // A change contains a part of the record, so a key that cannot afford one is refused.
  if (mayNotBuy(caller, mostFor(deps.lookup, caller, kind))) throw plainFailure('credit_ceiling_reached')
  const { record } = await recallStored(deps.lookup, identifier)
  if (!record) throw new Failure('not_found', { detail: absent })
  const { entityId } = record
  const asked = { entityId, environmentId: caller.environmentId, before: page.before, limit: page.limit + judgedBefore }
  const { key, versions } = await deps.store.records.paidVersions(asked)
  if (key === null) throw new Failure('not_found', { detail: absent })
  const shown = versions.slice(0, page.limit)
  return {
    kind,
    id: key,
    versions: await withChanges(deps, kind, versions, shown.length),
    next: versions.length > page.limit ? (shown.at(-1)?.versionId ?? null) : null,
  }
}

/** Extra versions before the page, to compare its changes with. */
const judgedBefore = 50

/** Adds its changes to each version, by the same rule as events. */
async function withChanges(
  { store }: Deps,
  kind: Kind,
  versions: readonly VersionFacts[],
  count: number,
): Promise<HistoryVersion[]> {
  const known: { version: VersionFacts; side: ReturnType<typeof sideOf> }[] = []
  let bytes = 0
  for (const version of versions) {
    const stored = await store.records.versionBody({ versionId: version.versionId })
    if (!stored) continue
    bytes += stored.body.byteLength
    if (bytes > judgedBytesAtMost && known.length > 1) break
    known.unshift({ version, side: sideOf(stored, stored.body) })
  }
  const judged = judgeChanges(
    kind,
    known.map(({ side }) => side),
  )
  const changes = new Map(known.map(({ version }, index) => [version, judged[index]?.changes.filter(isNotified) ?? []]))
  return versions.slice(0, count).map((version) => ({ ...versionView(version), changes: changes.get(version) ?? [] }))
}

function versionView({ versionId, provider, fetchedAt, sourceUpdatedAt, thin }: VersionFacts) {
  return {
    version: versionId,
    provider,
    fetched_at: isoTime(fetchedAt),
    source_updated_at: isoTime(sourceUpdatedAt),
    thin,
  }
}
