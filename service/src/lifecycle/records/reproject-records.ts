import type { RecordStore, EntityStore } from '../../records/operations.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NewProjection, ReprojectItem } from '../../records/saving/reproject.ts'
import { aliasesOf, isDerivedKey } from '../../records/identifiers/alias.ts'
import { suppressionHash } from '../../records/suppression/suppression-hash.ts'
import { unitStates, unsaidText } from '../../records/filling/unit-states.ts'
import { serialiseRecord, isThin } from '../../records/body/record-bytes.ts'
import { type Projection, withStoredCompanyIds } from '@vitae/provider'
import { findProjector, projectorNames, projectPayload, type Projector } from '../../providers/find-projector.ts'
import { contactNamesIn } from '../../records/contact-index/contact-rows.ts'

interface Deps {
  secret: string
  store: {
    entities: Pick<EntityStore, 'reprojectBatch' | 'replaceProjections'>
    records: Pick<RecordStore, 'findCompanyKeys'>
  }
}

export interface ReprojectAsk {
  provider?: string
  since?: number
  /** Only versions of an older mapping. */
  outdated: boolean
  afterVersionId: number
  limit: number
}

export interface Reprojected {
  done: boolean
  next: number
  /** The number of processed versions. */
  seen: number
  changed: number
  /** Fields that were empty, and the number of records in which they were filled. */
  filled: Record<string, number>
  /** Payloads that cannot be mapped; their records stay unchanged. */
  failed: number
}

/** Maps the next batch of the raw archive again, without any upstream call. */
export async function reprojectRecords(deps: Deps, ask: ReprojectAsk): Promise<Reprojected> {
  const { outdated, ...query } = ask
  const batch = await deps.store.entities.reprojectBatch({
    ...query,
    ...(outdated ? { upToDate: newestProjections() } : {}),
  })
  const mapped: Mapped[] = []
  for (const item of batch.items) {
    // Yields to the event loop between records, so that calls are answered.
    await nextTurn()
    const one = projectAgain(item)
    if (one) mapped.push(one)
  }
  const records = await withStoredCompanyIds(
    deps.store.records,
    mapped.map(({ projection }) => projection.record),
  )
  const items: NewProjection[] = []
  for (const [index, one] of mapped.entries()) {
    await nextTurn()
    items.push(newProjection(deps.secret, one, records[index] ?? one.projection.record))
  }
  const replaced = items.length > 0 ? await deps.store.entities.replaceProjections({ items }) : []
  const filled: Record<string, number> = {}
  for (const path of replaced.flatMap((one) => one.filled)) filled[path] = (filled[path] ?? 0) + 1
  const changed = replaced.filter((one) => one.result === 'replaced').length
  return {
    done: batch.done,
    next: batch.next,
    seen: batch.seen,
    changed,
    filled,
    failed: batch.items.length - items.length,
  }
}

function newestProjections(): Record<string, number> {
  const versions = projectorNames().map((name) => [name, findProjector(name)?.projectionVersion ?? Infinity] as const)
  return Object.fromEntries(versions)
}

interface Mapped {
  item: ReprojectItem
  projector: Projector
  projection: Projection
}

function projectAgain(item: ReprojectItem): Mapped | null {
  const projector = findProjector(item.provider)
  const projected = projector && projectPayload(projector, item.kind, item.payload)
  return projected && 'projection' in projected ? { item, projector, ...projected } : null
}

function newProjection(
  secret: string,
  { item, projector, projection: { identity, sourceUpdatedAt, unsaid } }: Mapped,
  record: Projection['record'],
): NewProjection {
  const { body, parts } = serialiseRecord(item.kind, record)
  // The derived keys of the payload may belong to another subject; those of this one are among its aliases.
  const named = aliasesOf(item.kind, identity, null).filter((alias) => !isDerivedKey(alias))
  const hashes = [...item.aliases, ...named].map((alias) => suppressionHash(secret, item.kind, alias))
  return {
    versionId: item.versionId,
    projection: projector.projectionVersion,
    body,
    parts: JSON.stringify(parts),
    thin: isThin(record),
    units: unitStates(item.kind, record, { supplies: projector.supplies[item.kind], notSaid: unsaid ?? [] }),
    sourceUpdatedAt,
    unsaid: unsaidText(unsaid),
    contacts: contactNamesIn(secret, record),
    suppressionHashes: [...new Set(hashes)],
  }
}
