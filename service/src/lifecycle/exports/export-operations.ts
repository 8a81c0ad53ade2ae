import { sql, type Selectable } from 'kysely'
import { appendAudit } from '../../audit/audit.ts'
import type { Connection } from '../../database/engine/dialect.ts'
import { read, report, write, type Operations, type Subject } from '../../database/engine/operation.ts'
import type { ExportRow } from '../../database/tables/exports.ts'
import { Failure } from '../../foundation/failure.ts'
import { claimLeases, endLease, isFree, isNewest } from '../../work/leases.ts'

export type StoredExport = Selectable<ExportRow>

type NewExport = Pick<ExportRow, 'id' | 'actor' | 'role' | 'project' | 'list' | 'ask' | 'names_records'> & {
  at: number
  expiresAt: number
  /** The names of the filters, without values: a value may name somebody, and an erasure leaves the audit log unchanged. */
  filters: string[]
}

/** The maximum number of exports that one admin may have at a time. */
const ofOneAtMost = 20

async function beginExport({ db: tx, dialect }: Connection, args: NewExport): Promise<StoredExport> {
  const { at, expiresAt, filters, ...facts } = args
  const own = await tx.selectFrom('exports').select('id').where('actor', '=', args.actor).execute()
  if (own.length >= ofOneAtMost)
    throw new Failure('conflict', { detail: `You have ${own.length} exports, the maximum. Remove one first.` })
  const values = { ...facts, state: 'preparing' as const, detail: null, runner: null }
  const row = await tx
    .insertInto('exports')
    .values({ ...values, created_at: at, expires_at: expiresAt })
    .returningAll()
    .executeTakeFirstOrThrow()
  const after = { list: args.list, filters }
  await appendAudit(tx, dialect, { at, actor: args.actor, action: 'export.begin', subject: args.id, after })
  return row
}

async function showExport({ db }: Connection, { id }: { id: string }): Promise<StoredExport | null> {
  return (await db.selectFrom('exports').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

async function listExports({ db }: Connection, { actor }: { actor: string }): Promise<StoredExport[]> {
  return db.selectFrom('exports').selectAll().where('actor', '=', actor).orderBy('created_at', 'desc').execute()
}

/** Ends an export, and removes its parts. Its node notices before it writes the next one. */
async function cancelExport(
  { db: tx, dialect }: Connection,
  { id, actor, at }: { id: string; actor: string; at: number },
): Promise<void> {
  await tx.deleteFrom('export_parts').where('export_id', '=', id).execute()
  const detail = 'It was cancelled.'
  await tx
    .updateTable('exports')
    .set({ state: 'cancelled', detail, ask: '{}', lease: sql<number>`lease + 1`, lease_until: 0 })
    .where('id', '=', id)
    .execute()
  await appendAudit(tx, dialect, { at, actor, action: 'export.cancel', subject: id })
}

/** Claims the oldest export that no node prepares. The work of a dead node is begun again. */
async function claimExport(
  connection: Connection,
  { node, leaseMs }: { node: string; leaseMs: number },
): Promise<StoredExport | null> {
  const { db: tx, dialect } = connection
  const due = await tx
    .selectFrom('exports')
    .select('id')
    .where('state', '=', 'preparing')
    .where(isFree(dialect, 'exports', { leaseMs }))
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  if (!due) return null
  const claimed = await claimLeases(connection, 'exports', { ids: [due.id], leaseMs, holder: node })
  if (claimed.size === 0) return null
  await tx.deleteFrom('export_parts').where('export_id', '=', due.id).execute()
  const begun = tx.updateTable('exports').set({ row_count: 0, byte_count: 0 }).where('id', '=', due.id)
  return begun.returningAll().executeTakeFirstOrThrow()
}

interface Part {
  id: string
  lease: number
  number: number
  rows: number
  body: Uint8Array
}

/** Adds a part; false if the export has ended or another node has taken it over. */
async function addExportPart(connection: Connection, { id, lease, number, rows, body }: Part): Promise<boolean> {
  const { db: tx } = connection
  if (!(await isNewest(connection, { of: 'exports', id, number: lease }))) return false
  await tx.insertInto('export_parts').values({ export_id: id, number, body }).execute()
  await tx
    .updateTable('exports')
    .set({
      row_count: sql<number>`row_count + ${rows}`,
      byte_count: sql<number>`byte_count + ${body.byteLength}`,
    })
    .where('id', '=', id)
    .execute()
  return true
}

/** Ends the preparation: the export is ready, or `detail` says why it failed. */
async function endExport(
  connection: Connection,
  { id, lease, detail }: { id: string; lease: number; detail: string | null },
): Promise<void> {
  if (!(await endLease(connection, { of: 'exports', id, number: lease }))) return
  const { db: tx } = connection
  if (detail !== null) await tx.deleteFrom('export_parts').where('export_id', '=', id).execute()
  const state = detail === null ? ('ready' as const) : ('failed' as const)
  await tx.updateTable('exports').set({ state, detail }).where('id', '=', id).execute()
}

async function readExportPart(
  { db }: Connection,
  { id, number }: { id: string; number: number },
): Promise<Uint8Array | null> {
  const part = db.selectFrom('export_parts').select('body').where('export_id', '=', id).where('number', '=', number)
  return (await part.executeTakeFirst())?.body ?? null
}

/** Removes expired exports. */
async function removeExports({ db: tx }: Connection, { before }: { before: number }): Promise<void> {
  const over = tx.selectFrom('exports').select('id').where('expires_at', '<', before)
  await tx.deleteFrom('export_parts').where('export_id', 'in', over).execute()
  await tx.deleteFrom('exports').where('expires_at', '<', before).execute()
}

export const exportOperations = {
  beginExport: write(beginExport),
  showExport: read(showExport),
  listExports: report(listExports, 'short'),
  cancelExport: write(cancelExport),
  claimExport: write(claimExport),
  addExportPart: write(addExportPart),
  endExport: write(endExport),
  readExportPart: read(readExportPart),
  removeExports: write(removeExports),
} satisfies Operations
export type ExportStore = Subject<typeof exportOperations>
