import type { Kind } from '@vitae/contract'
import type { Connection } from '../../../database/engine/dialect.ts'
import { unpack } from '../../../database/packing/pack.ts'
import { versionFacts, type VersionFacts } from '../../../records/versions/history.ts'
import { endOfCalls } from './erase-traces.ts'
import { findRef, type Ref } from '../../../records/identifiers/find-ref.ts'
import { fetchesOf, namesOf, type AliasSummary, type FetchSummary } from '../../../records/entities/show-entity.ts'

export interface ExportedVersion extends VersionFacts {
  /** JSON of the full record. */
  body: Uint8Array
}

export interface SubjectExport {
  entityId: number
  /** Ids that calls may carry: its own, and those of entities merged into it. */
  callEntityIds: number[]
  kind: Kind
  key: string
  derived: boolean
  createdAt: number
  usedAt: number | null
  aliases: AliasSummary[]
  formerAliases: { type: string; value: string; until: number }[]
  versions: ExportedVersion[]
  fetches: (FetchSummary & { payload: Uint8Array | null })[]
}

/** Everything stored about one person or company; null if nothing is. `exportCalls` returns who received it. */
export async function exportSubject(
  database: Connection,
  { kind, ref }: { kind?: Kind; ref: Ref },
): Promise<SubjectExport | null> {
  const { db } = database
  const entity = await findRef(db, kind, ref)
  if (!entity) return null
  const merged = await db.selectFrom('merged_entities').select('id').where('into_id', '=', entity.id).execute()
  const fetches = []
  for (const fetch of await fetchesOf(database, entity.id, Number.MAX_SAFE_INTEGER)) {
    fetches.push({ ...fetch, payload: await payloadOf(db, fetch.payloadHash) })
  }
  return {
    entityId: entity.id,
    callEntityIds: [entity.id, ...merged.map((row) => row.id)],
    kind: entity.kind,
    key: entity.key,
    derived: entity.derived === 1,
    createdAt: entity.created_at,
    usedAt: entity.used_at,
    ...(await namesOf(database, entity.id)),
    versions: await versionsOf(db, entity.id),
    fetches,
  }
}

async function payloadOf(db: Connection['db'], hash: string | null): Promise<Uint8Array | null> {
  if (hash === null) return null
  const row = await db.selectFrom('payloads').select('bytes').where('hash', '=', hash).executeTakeFirst()
  return row ? unpack(row.bytes) : null
}

async function versionsOf(db: Connection['db'], entityId: number): Promise<ExportedVersion[]> {
  const rows = await db
    .selectFrom('versions')
    .selectAll()
    .where('entity_id', '=', entityId)
    .orderBy('fetched_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...versionFacts(row), body: unpack(row.body) }))
}

export interface Receipt {
  requestId: string
  at: number
  project: string
  environment: string
  status: number
  source: string | null
  versionId: number | null
}

export interface ReceiptPage {
  items: Receipt[]
  /** Pass it as `afterRequestId` for the next chunk. */
  next: string
  done: boolean
}

/** The projects that received an entity's record, from a chunk of the call log. */
export async function exportCalls(
  { db }: Connection,
  { entityIds, afterRequestId, limit }: { entityIds: number[]; afterRequestId: string; limit: number },
): Promise<ReceiptPage> {
  const end = await endOfCalls(db, afterRequestId, limit)
  if (end === null) return { items: [], next: afterRequestId, done: true }
  const rows = await db
    .selectFrom('calls')
    .innerJoin('environments', 'environments.id', 'calls.account_id')
    .select([
      'calls.request_id',
      'calls.at',
      'environments.project',
      'environments.name',
      'calls.status',
      'calls.source',
      'calls.version_id',
    ])
    .where('calls.request_id', '>', afterRequestId)
    .where('calls.request_id', '<=', end.last)
    .where('calls.entity_id', 'in', [...entityIds, -1])
    .orderBy('calls.request_id')
    .execute()
  const items = rows.map((row) => ({
    requestId: row.request_id,
    at: row.at,
    project: row.project,
    environment: row.name,
    status: row.status,
    source: row.source,
    versionId: row.version_id,
  }))
  return { items, next: end.last, done: end.count < limit }
}

interface ExportStore {
  exportSubject(subject: Parameters<typeof exportSubject>[1]): ReturnType<typeof exportSubject>
  exportCalls(chunk: Parameters<typeof exportCalls>[1]): ReturnType<typeof exportCalls>
}

const rowsAtOnce = 10_000

/** The same with the projects that received it. The call log is read in chunks, so that other calls get through. */
export async function exportSubjectWithCalls(
  store: { erasure: ExportStore },
  subject: { kind?: Kind; ref: Ref },
): Promise<(SubjectExport & { calls: Receipt[] }) | null> {
  const held = await store.erasure.exportSubject(subject)
  if (!held) return null
  const calls: Receipt[] = []
  for (let afterRequestId = '', done = false; !done;) {
    const page = await store.erasure.exportCalls({ entityIds: held.callEntityIds, afterRequestId, limit: rowsAtOnce })
    calls.push(...page.items)
    ;({ next: afterRequestId, done } = page)
  }
  return { ...held, calls }
}
