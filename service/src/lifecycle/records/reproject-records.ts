import type { Store } from '../../database/store.ts'
import { isThin } from '../../records/body/is-thin.ts'
import type { RecordOperations } from '../../records/operations.ts'
import type { NewProjection, ReprojectItem } from '../../records/changes/reproject.ts'
import { suppressionHash, suppressionHashes } from '../../records/suppression/suppression-hash.ts'
import { serialiseRecord } from '../../records/body/record-bytes.ts'
import { findProjector, projectorNames, projectPayload } from '../../providers/contract-shape/find-projector.ts'

interface Deps {
  secret: string
  store: Pick<Store<RecordOperations>, 'reprojectBatch' | 'replaceProjections'>
}

export interface ReprojectAsk {
  provider?: string
  since?: number
  /** Only what an older mapping made. */
  outdated: boolean
  afterVersionId: number
  limit: number
}

export interface Reprojected {
  done: boolean
  next: number
  /** Versions looked at. */
  seen: number
  changed: number
  /** Fields that were empty, and how many records they were filled in. */
  filled: Record<string, number>
  /** Payloads that cannot be mapped; their records stay as they are. */
  failed: number
}

/** Makes the next batch of records anew out of the raw archive, without asking anybody. */
export async function reprojectRecords(deps: Deps, ask: ReprojectAsk): Promise<Reprojected> {
  const { outdated, ...query } = ask
  const batch = await deps.store.reprojectBatch({ ...query, ...(outdated ? { upToDate: newestProjections() } : {}) })
  const made = batch.items.map((item) => projectAgain(deps.secret, item))
  const items = made.filter((item) => item !== null)
  const replaced = items.length > 0 ? await deps.store.replaceProjections({ items }) : []
  const filled: Record<string, number> = {}
  for (const path of replaced.flatMap((one) => one.filled)) filled[path] = (filled[path] ?? 0) + 1
  const changed = replaced.filter((one) => one.result === 'replaced').length
  return { done: batch.done, next: batch.next, seen: batch.seen, changed, filled, failed: made.length - items.length }
}

function newestProjections(): Record<string, number> {
  const versions = projectorNames.map((name) => [name, findProjector(name)?.projectionVersion ?? Infinity] as const)
  return Object.fromEntries(versions)
}

function projectAgain(secret: string, item: ReprojectItem): NewProjection | null {
  const projector = findProjector(item.provider)
  const projected = projector && projectPayload(projector, item.kind, item.payload)
  if (!projected || 'reason' in projected) return null
  const { record, identity, sourceUpdatedAt } = projected.projection
  const { body, parts } = serialiseRecord(item.kind, record)
  const known = item.aliases.map((alias) => suppressionHash(secret, item.kind, alias))
  return {
    versionId: item.versionId,
    projection: projector.projectionVersion,
    body,
    parts: JSON.stringify(parts),
    thin: isThin(record),
    sourceUpdatedAt,
    suppressionHashes: [...new Set([...known, ...suppressionHashes(secret, item.kind, identity, null)])],
  }
}
