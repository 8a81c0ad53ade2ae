import { read, report, shared, write, type Subject } from '../database/engine/operation.ts'
import { randomBytes } from 'node:crypto'
import { appendAudit } from '../audit/audit.ts'
import type { Connection, Tx } from '../database/engine/dialect.ts'
import { revokedFrom, overTuples } from '../database/sql/prepared.ts'
import type { KeyRow } from '../database/tables/accounts.ts'
import { Failure } from '../foundation/failure.ts'
import { findKey, keyRow, noKey, payerOfKey, payingKey } from './find-key.ts'
import { keyView, type KeySettings, type KeyView } from './key.ts'
import { keysWithSpend, listKeys, viewOfRow } from './list-keys.ts'
import { ensureEnvironment } from './project-operations.ts'
import { isoTime } from '../foundation/clock.ts'

interface NewKey {
  hash: string
  display: string
}

async function createKey(
  { db: tx, dialect }: Connection,
  args: NewKey & {
    project: string
    environment: string
    mode: 'live' | 'test'
    settings: KeySettings
    actor: string
    at: number
  },
): Promise<KeyView> {
  const environmentId = await ensureEnvironment(tx, args.project, args.environment, args.at)
  const id = newKeyId()
  const row: KeyRow = {
    ...args.settings,
    id,
    hash: args.hash,
    display: args.display,
    project: args.project,
    environment_id: environmentId,
    mode: args.mode,
    created_at: args.at,
    last_used_at: null,
    revoked_at: null,
    revoked: 0,
    spend_id: id,
    // A new key has spent nothing, so all of its days can be counted from the start.
    days_from: args.settings.daily_ceiling === null ? null : 0,
    rotated_from: null,
  }
  await tx.insertInto('keys').values(row).execute()
  const view = keyView(row, args.environment, { thisMonth: 0, today: 0 })
  await appendAudit(tx, dialect, { at: args.at, actor: args.actor, action: 'key.create', subject: id, after: view })
  return view
}

/** The new key inherits all settings and shares the spending; otherwise a rotation would reset the ceilings. */
async function rotateKey(
  { db: tx, dialect }: Connection,
  args: NewKey & { id: string; overlapMs: number; actor: string; at: number },
): Promise<KeyView> {
  const old = await keyRow(tx, args.id)
  if ((revokedFrom(old) ?? Infinity) <= args.at) {
    throw new Failure('invalid_request', {
      detail: `Key ${args.id} is already revoked.`,
      hint: 'Create a new one with "vitae keys create".',
    })
  }
  // Reads only the key's own columns, without the joined ones.
  const own = await tx.selectFrom('keys').selectAll().where('id', '=', old.id).executeTakeFirstOrThrow()
  const row: KeyRow = {
    ...own,
    id: newKeyId(),
    hash: args.hash,
    display: args.display,
    created_at: args.at,
    last_used_at: null,
    revoked_at: null,
    revoked: 0,
    rotated_from: old.id,
  }
  await tx.insertInto('keys').values(row).execute()
  // Read again: an operation that started counting days meanwhile did not know the new key.
  const { days_from } = await keyRow(tx, old.id)
  await tx.updateTable('keys').set({ days_from }).where('id', '=', row.id).execute()
  const endsAt = Math.min(args.at + args.overlapMs, old.revoked_at ?? Infinity)
  // Without an overlap, rotating is revoking.
  const end = { revoked_at: endsAt, revoked: args.overlapMs === 0 ? 1 : 0 }
  await tx.updateTable('keys').set(end).where('id', '=', old.id).execute()
  await tx.updateTable('watches').set({ key_id: row.id }).where('key_id', '=', old.id).execute()
  await tx.updateTable('batches').set({ key_id: row.id }).where('key_id', '=', old.id).execute()
  await appendAudit(tx, dialect, {
    at: args.at,
    actor: args.actor,
    action: 'key.rotate',
    subject: old.id,
    before: { id: old.id, revoked_at: old.revoked_at },
    after: { id: row.id, old_key_ends_at: isoTime(endsAt) },
  })
  return viewOf(tx, row.id, args.at)
}

async function updateKey(
  { db: tx, dialect }: Connection,
  args: { id: string; settings: Partial<KeySettings>; actor: string; at: number },
): Promise<KeyView> {
  const before = await viewOf(tx, args.id, args.at)
  if (Object.keys(args.settings).length > 0)
    await tx.updateTable('keys').set(args.settings).where('id', '=', args.id).execute()
  const after = await viewOf(tx, args.id, args.at)
  await appendAudit(tx, dialect, {
    at: args.at,
    actor: args.actor,
    action: 'key.update',
    subject: args.id,
    before,
    after,
  })
  return after
}

/** Revocation is stored as a state; the time is only for display. Revoking twice keeps the first time. */
async function revokeKey(
  { db: tx, dialect }: Connection,
  args: { id: string; actor: string; reason: string | null; at: number },
): Promise<KeyView> {
  const before = await keyRow(tx, args.id)
  const revokedAt = Math.min(before.revoked_at ?? Infinity, args.at)
  await tx.updateTable('keys').set({ revoked_at: revokedAt, revoked: 1 }).where('id', '=', args.id).execute()
  const { actor, reason, at } = args
  await appendAudit(tx, dialect, {
    at,
    actor,
    reason,
    action: 'key.revoke',
    subject: args.id,
    before: { revoked_at: before.revoked_at },
    after: { revoked_at: revokedAt },
  })
  return viewOf(tx, args.id, args.at)
}

async function showKey(
  { db: tx }: Connection,
  args: { id: string; at: number },
): Promise<KeyView & { rotated_to: string | null }> {
  const view = await viewOf(tx, args.id, args.at)
  const next = await tx
    .selectFrom('keys')
    .select('id')
    .where('project', '=', view.project)
    .where('rotated_from', '=', args.id)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { ...view, rotated_to: next?.id ?? null }
}

const setLastUse = {
  text: 'update keys set last_used_at = v.column2 from ([values]) as v where id = v.column1',
  tuple: ['cast(? as text)', 'cast(? as bigint)'],
}

/** Writes the last use of many keys at once: it is a hint for operators, and no charge depends on it. */
async function touchKeys(connection: Connection, { used }: { used: { id: string; at: number }[] }): Promise<void> {
  const rows = used.map(({ id, at }): [string, number] => [id, at])
  await overTuples(connection, setLastUse, rows)
}

async function viewOf(tx: Tx, id: string, at: number): Promise<KeyView> {
  const row = await keysWithSpend(tx, at).where('keys.id', '=', id).executeTakeFirst()
  if (!row) throw noKey(id)
  return viewOfRow(row)
}

function newKeyId(): string {
  return `key_${randomBytes(9).toString('base64url').replaceAll('-', 'x').replaceAll('_', 'y')}`
}

export const keyOperations = {
  createKey: write(createKey),
  rotateKey: write(rotateKey),
  updateKey: write(updateKey),
  revokeKey: write(revokeKey),
  showKey: read(showKey),
  listKeys: report(listKeys),
  findKey: read(findKey, 'quick'),
  touchKeys: shared('synced', touchKeys, 'quick'),
  payerOfKey: read(payerOfKey),
  payingKey: read(payingKey),
}
export type KeyStore = Subject<typeof keyOperations>
