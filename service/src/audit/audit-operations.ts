import { report, write, type Subject } from '../database/engine/operation.ts'
import { sql, type RawBuilder, type Selectable } from 'kysely'
import { appendAudit, auditHash, type AuditEntry } from './audit.ts'
import type { Connection, Dialect } from '../database/engine/dialect.ts'
import type { AuditRow } from '../database/tables/operators.ts'

export interface AuditItem {
  id: number
  at: number
  actor: string
  action: string
  subject: string | null
  reason: string | null
  before: unknown
  after: unknown
}

export interface AuditPage {
  items: AuditItem[]
  /** Pass it as `cursor` for the next page; null at the end. */
  next: number | null
}

interface AuditQuery {
  cursor?: number | null
  limit: number
  action?: string
  actor?: string
  /** One subject, or any of several. */
  subject?: string | readonly string[]
  /** Everything about this project and its environments. */
  project?: string
  since?: number
  until?: number
}

/** The audit log, newest first, in pages. */
async function listAudit({ db, dialect }: Connection, args: AuditQuery): Promise<AuditPage> {
  const { cursor, limit, action, actor, subject, project, since, until } = args
  const rows = await db
    .selectFrom('audit')
    .selectAll()
    .$if(typeof cursor === 'number', (query) => query.where('id', '<', cursor ?? 0))
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .$if(actor !== undefined, (query) => query.where('actor', '=', actor ?? ''))
    .$if(subject !== undefined, (query) => query.where('subject', 'in', [subject ?? []].flat()))
    .$if(project !== undefined, (query) =>
      query.where(dialect.isSelected('subject', subjectsOf(dialect, project ?? ''))),
    )
    .$if(since !== undefined, (query) => query.where('at', '>=', since ?? 0))
    .$if(until !== undefined, (query) => query.where('at', '<', until ?? 0))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const items = rows.slice(0, limit).map(toItem)
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}

const choicesAtMost = 500

/** The actions of the log, and the people and tokens that acted. Addresses of failed sign-ins are not among them. */
async function auditChoices({ db }: Connection, _args: null): Promise<{ actions: string[]; actors: string[] }> {
  const distinct = async (column: 'action' | 'actor', isChoice = sql`1 = 1`) => {
    const next = (after: RawBuilder<unknown>) =>
      sql`select min(${sql.ref(column)}) from audit where ${isChoice} and ${after}`
    // One index probe per value, however many entries have it.
    const { rows } = await sql<{ value: string }>`
      with recursive found (value) as (
        select (${next(sql`1 = 1`)}) union all
        select (${next(sql`${sql.ref(column)} > found.value`)}) from found where found.value is not null)
      select value from found where value is not null limit ${choicesAtMost}`.execute(db)
    return rows.map(({ value }) => value)
  }
  const isNoAddress = sql`(actor < 'address:' or actor >= 'address;')`
  return { actions: await distinct('action'), actors: await distinct('actor', isNoAddress) }
}

/**
 * The audit subjects of a project and everything in it. Removed objects are found by the entry that names their
 * project: the removal of a webhook or a watch, the submission of a batch.
 */
function subjectsOf(dialect: Dialect, project: string) {
  const environments = sql`(select id from environments where project = ${project})`
  const keys = sql`select id from keys where project = ${project}`
  return sql<string>`(select cast(${project} as text)
    union all select project || '/' || name from environments where project = ${project}
    union all ${keys}
    union all select id from webhooks where project = ${project}
    union all select id from admin_tokens where project = ${project}
    union all select id from watches where account_id in ${environments}
    union all select public_id from batches where account_id in ${environments}
    union all select subject from audit
      where action in ('webhook.delete', 'watches.remove') and ${dialect.jsonText('before', ['project'])} = ${project}
    union all select subject from audit
      where action = 'batch.submit' and ${dialect.jsonText('after', ['key_id'])} in (${keys}))`
}

function toItem(row: Selectable<AuditRow>): AuditItem {
  const { id, at, actor, action, subject, reason } = row
  return { id, at, actor, action, subject, reason, before: parsed(row.before), after: parsed(row.after) }
}

function parsed(text: string | null): unknown {
  return text === null ? null : (JSON.parse(text) as unknown)
}

export interface AuditCheck {
  checked: number
  /** Pass it as `afterId` for the next chunk. */
  lastId: number
  /** The first row that does not match the one before it; null if absent. */
  brokenAt: number | null
  done: boolean
}

const beginning = '0'.repeat(64)

/** Checks a chunk of the chain: every row must have the right hash and carry the hash of the row before it. */
async function verifyAudit(
  { db }: Connection,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<AuditCheck> {
  const before = await db.selectFrom('audit').select('hash').where('id', '=', afterId).executeTakeFirst()
  // The last row of the previous chunk is missing.
  if (afterId > 0 && !before) return { checked: 0, lastId: afterId, brokenAt: afterId, done: true }
  const rows = await db.selectFrom('audit').selectAll().where('id', '>', afterId).orderBy('id').limit(limit).execute()
  let link = before?.hash ?? beginning
  for (const [index, row] of rows.entries()) {
    if (row.previous_hash !== link || row.hash !== auditHash(row)) {
      return { checked: index, lastId: row.id, brokenAt: row.id, done: true }
    }
    link = row.hash
  }
  return { checked: rows.length, lastId: rows.at(-1)?.id ?? afterId, brokenAt: null, done: rows.length < limit }
}

/** Appends an entry for an action that changed nothing, such as an operator viewing a record. */
async function recordAudit({ db: tx, dialect }: Connection, entry: AuditEntry): Promise<void> {
  await appendAudit(tx, dialect, entry)
}

export const auditOperations = {
  listAudit: report(listAudit),
  auditChoices: report(auditChoices),
  verifyAudit: report(verifyAudit),
  recordAudit: write(recordAudit),
}
export type AuditStore = Subject<typeof auditOperations>
