import type { Company, Kind, Person } from '@vitae/contract'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import type { Alias } from '../../foundation/identifier.ts'
import { forgetFolds } from '../versions/fold-rows.ts'
import { takesOver, serveStoredVersion, versionRow } from '../rows/add-version.ts'
import { unpack } from '../../database/packing/pack.ts'
import { recordIn } from '../body/rewrite-record.ts'
import { forgetMentions } from '../mentions/mention-rows.ts'
import { shareRecords } from '../rows/locks.ts'
import { fitRecord } from './fit-record.ts'
import { writeContacts, type ContactName } from '../contact-index/contact-rows.ts'
import { addCompanyPages, companyPagesIn } from '../rows/company-pages.ts'
import { anySuppressed } from '../suppression/suppressions.ts'

export interface ReprojectItem {
  versionId: number
  entityId: number
  kind: Kind
  provider: string
  projection: number
  fetchedAt: number
  /** Every name of the entity: all of them are checked for suppression before anything is written. */
  aliases: Alias[]
  payload: Uint8Array
}

interface ReprojectQuery {
  provider?: string
  /** Only versions fetched at or after this time. */
  since?: number
  /** Per provider, the projection version that is up to date; such versions are skipped. */
  upToDate?: Record<string, number>
  afterVersionId: number
  limit: number
}

export interface ReprojectBatch {
  items: ReprojectItem[]
  /** Pass it as `afterVersionId` for the next batch. */
  next: number
  /** The number of versions in this batch, including skipped ones. */
  seen: number
  done: boolean
}

/** A batch is one message to a process with little memory. */
const bytesAtOnce = 32 * 1_048_576

/** The next versions whose raw payload is still stored, in order of creation. */
export async function reprojectBatch({ db }: Connection, query: ReprojectQuery): Promise<ReprojectBatch> {
  const { provider, since, upToDate = {}, afterVersionId, limit } = query
  const page = await db
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .leftJoin('fetches', 'fetches.id', 'versions.fetch_id')
    .select(['versions.id', 'versions.entity_id', 'entities.kind', 'versions.provider', 'versions.projection'])
    .select(['versions.fetched_at', 'fetches.payload_hash'])
    .where('versions.id', '>', afterVersionId)
    .$if(provider !== undefined, (q) => q.where('versions.provider', '=', provider ?? ''))
    .$if(since !== undefined, (q) => q.where('versions.fetched_at', '>=', since ?? 0))
    .orderBy('versions.id')
    .limit(limit)
    .execute()
  const items: ReprojectItem[] = []
  let [seen, bytes] = [0, 0]
  for (const row of page) {
    if (bytes > bytesAtOnce) break
    seen += 1
    if (row.projection >= (upToDate[row.provider] ?? Infinity) || row.payload_hash === null) continue
    const kept = await db.selectFrom('payloads').select('bytes').where('hash', '=', row.payload_hash).executeTakeFirst()
    if (!kept) continue
    const aliases = await db
      .selectFrom('aliases')
      .select(['type', 'value'])
      .where('entity_id', '=', row.entity_id)
      .execute()
    const { id: versionId, entity_id: entityId, kind, provider: by, projection, fetched_at: fetchedAt } = row
    const payload = unpack(kept.bytes)
    items.push({ versionId, entityId, kind, provider: by, projection, fetchedAt, aliases, payload })
    bytes += payload.byteLength
  }
  const done = seen === page.length && page.length < limit
  return { items, next: page[seen - 1]?.id ?? afterVersionId, seen, done }
}

export interface NewProjection {
  versionId: number
  projection: number
  body: Uint8Array
  parts: string | null
  thin: boolean
  sourceUpdatedAt: number | null
  unsaid?: string | null
  units?: string | null
  /** Hashes of its contact details. */
  contacts?: ContactName[]
  suppressionHashes: string[]
}

export interface ReplacedProjection {
  versionId: number
  entityId: number | null
  result: 'replaced' | 'unchanged' | 'suppressed' | 'gone'
  /** Fields that were empty before. */
  filled: string[]
}

/**
 * Replaces older projections by better ones. Nothing is written for a subject that was erased or suppressed meanwhile.
 */
export async function replaceProjections(
  { db: tx, dialect }: Connection,
  { items }: { items: NewProjection[] },
): Promise<ReplacedProjection[]> {
  await shareRecords(tx, dialect)
  const results: ReplacedProjection[] = []
  for (const item of items) results.push(await replaceOne(tx, dialect, item))
  return results
}

async function replaceOne(tx: Tx, dialect: Connection['dialect'], item: NewProjection): Promise<ReplacedProjection> {
  const { versionId } = item
  if (await anySuppressed(tx, dialect, item.suppressionHashes))
    return { versionId, entityId: null, result: 'suppressed', filled: [] }
  const row = await tx
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .select([
      'versions.entity_id',
      'versions.fetch_id',
      'versions.body',
      'versions.provider',
      'versions.fetched_at',
      'entities.kind',
      'entities.key',
      'entities.version_id',
    ])
    .where('versions.id', '=', versionId)
    .executeTakeFirst()
  if (!row) return { versionId, entityId: null, result: 'gone', filled: [] }

  const before = Buffer.from(unpack(row.body))
  // Jobs keep the company ids under which they were answered.
  const { body, parts } = (await fitRecord(tx, item, { kind: row.kind, key: row.key, before })) ?? item
  await addCompanyPages(tx, companyPagesIn(recordIn(body)))
  const { provider, fetched_at: fetchedAt } = row
  const version = versionRow(dialect, { ...item, provider, fetchedAt, body, parts, units: item.units ?? null })
  await tx.updateTable('versions').set(version).where('id', '=', versionId).execute()
  if (row.fetch_id !== null) await forgetMentions(tx, [row.fetch_id])
  await forgetFolds(tx, [row.entity_id])
  const isServed =
    row.version_id === versionId ||
    (await takesItsPlace(tx, row.version_id, { fetchedAt: row.fetched_at, thin: item.thin }))
  if (isServed) {
    await serveStoredVersion(tx, row.entity_id, versionId)
    const { kind, entity_id: entityId, fetched_at: at } = row
    const { contacts } = item
    // Contact details that neither mapping reads come from fills, so their index entries stay.
    const replaced = contacts ? [...contacts.map(({ type }) => type), ...contactTypesIn(recordIn(before))] : []
    await writeContacts(tx, dialect, { kind, entityId, contacts: contacts ?? [], replaced, learned: null, at })
  }

  const same = before.equals(body)
  const filled = same ? [] : filledPaths(JSON.parse(before.toString()), JSON.parse(Buffer.from(body).toString()))
  return { versionId, entityId: row.entity_id, result: same ? 'unchanged' : 'replaced', filled }
}

/** The types of contact details in a record. */
function contactTypesIn(record: Person | Company): ContactName['type'][] {
  const { email_address: email, phone_numbers: phones = [] } = ('contact_info' in record && record.contact_info) || {}
  return [...(email ? (['email'] as const) : []), ...(phones.length > 0 ? (['phone'] as const) : [])]
}

/** Stored answers are projected again, and none of them is new. */
const endOfTime = Number.POSITIVE_INFINITY

/** An answer that was taken for thin may turn out to be full; then it becomes the served version. */
async function takesItsPlace(
  tx: Tx,
  currentId: number | null,
  version: { fetchedAt: number; thin: boolean },
): Promise<boolean> {
  const current =
    currentId === null
      ? undefined
      : await tx.selectFrom('versions').select(['fetched_at', 'thin']).where('id', '=', currentId).executeTakeFirst()
  return (
    !version.thin &&
    takesOver(current ? { fetchedAt: current.fetched_at, thin: current.thin === 1 } : null, version, endOfTime)
  )
}

/**
 * The fields that were empty in the first record and have a value in the second, for the report of a reprojection.
 * Elements of a list count as one.
 */
function filledPaths(before: unknown, after: unknown, path = ''): string[] {
  if (isEmpty(before)) return isEmpty(after) ? [] : [path]
  if (!isObject(before) || !isObject(after)) return []
  const paths = Object.entries(after).flatMap(([key, value]) =>
    filledPaths(before[key], value, path === '' ? key : `${path}.${key}`),
  )
  return [...new Set(paths)]
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.values(value).every(isEmpty)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
