import type { RecordStore } from '../../records/operations.ts'
import { Failure } from '../../foundation/failure.ts'
import { diffRecords, sideOf } from '../../records/changes/judge-changes.ts'
import type { Change } from '../../records/changes/diff-values.ts'
import type { History, VersionSummary } from '../../records/versions/history.ts'

type Deps = { records: Pick<RecordStore, 'versionBody'> }

/** Two times whose newest versions are compared; by default the last two versions. */
interface Span {
  from: number | null
  to: number | null
}

export interface Comparison {
  changes: Change[]
  /** Null if there is nothing to compare with. */
  from: VersionSummary | null
  to: VersionSummary
}

/** The changes of a record between two times. */
export async function compareVersions(store: Deps, { kind, versions }: History, span: Span): Promise<Comparison> {
  const { to, from } = chosen(versions, span)
  if (!from || from.versionId === to.versionId) return { changes: [], from, to }
  const changes = diffRecords(kind, await side(store, from), await side(store, to))
  return { changes, from, to }
}

/** Versions are ordered newest first. A time before the first fetch selects the first version. */
function chosen(versions: readonly VersionSummary[], { from, to }: Span) {
  const newestAt = (moment: number) =>
    versions.find((version) => version.fetchedAt <= moment) ?? versions.at(-1) ?? nothing()
  const last = to === null ? (versions[0] ?? nothing()) : newestAt(to)
  const first = from === null ? (versions[versions.indexOf(last) + 1] ?? null) : newestAt(from)
  return { from: first, to: last }
}

async function side(store: Deps, { versionId }: VersionSummary) {
  const version = await store.records.versionBody({ versionId })
  if (!version) return nothing()
  return sideOf(version, version.body)
}

function nothing(): never {
  throw new Failure('not_found', { detail: 'There is no version to compare.' })
}
