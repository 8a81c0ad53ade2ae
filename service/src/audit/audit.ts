import { createHash } from 'node:crypto'
import type { Dialect, Tx } from '../database/engine/dialect.ts'
import type { AuditRow } from '../database/tables/operators.ts'

export interface AuditEntry {
  at: number
  /** `token:<id>`, `owner`, `system`, or the owner of a console session. */
  actor: string
  action: string
  subject?: string | null
  reason?: string | null
  before?: unknown
  after?: unknown
}

const origin = '0'.repeat(64)
const chainLock = 7_184_237_002

/**
 * Appends to the audit log in the transaction of the change, so that every change has an entry. Each row carries the
 * hash of the one before it: changing or removing a row later breaks the chain.
 */
export async function appendAudit(tx: Tx, dialect: Dialect, entry: AuditEntry): Promise<void> {
  await dialect.advisoryLock(tx, chainLock)
  const last = await tx.selectFrom('audit').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst()
  const row = {
    at: entry.at,
    actor: entry.actor,
    action: entry.action,
    subject: entry.subject ?? null,
    reason: entry.reason ?? null,
    before: entry.before === undefined ? null : JSON.stringify(entry.before),
    after: entry.after === undefined ? null : JSON.stringify(entry.after),
    previous_hash: last?.hash ?? origin,
  }
  await tx
    .insertInto('audit')
    .values({ ...row, hash: auditHash(row) })
    .execute()
}

/** The hash of one row: its content and the hash before it. */
export function auditHash(row: Omit<AuditRow, 'id' | 'hash'>): string {
  const said = [row.previous_hash, row.at, row.actor, row.action, row.subject, row.reason, row.before, row.after]
  return createHash('sha256').update(JSON.stringify(said)).digest('hex')
}
