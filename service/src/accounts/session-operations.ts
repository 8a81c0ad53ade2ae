import { read, single, write, type Subject } from '../database/engine/operation.ts'
import { sql } from 'kysely'
import { appendAudit } from '../audit/audit.ts'
import type { Connection } from '../database/engine/dialect.ts'
import type { SessionRow } from '../database/tables/operators.ts'
import { isAhead } from '../foundation/clock.ts'
import { containing, pageOf } from '../database/sql/expressions.ts'

/** How often the last use of a session is stored. */
const noteUseMs = 60_000
const idLength = 18

/** Opens a session and deletes expired ones. `subject` is the person's id at the identity provider. */
async function openSession(
  { db: tx, dialect }: Connection,
  { session, subject }: { session: SessionRow; subject: string | null },
): Promise<void> {
  await tx.deleteFrom('sessions').where('expires_at', '<=', session.created_at).execute()
  await tx.insertInto('sessions').values(session).execute()
  const { actor, method, role, project, address, created_at: at } = session
  const after = { method, role, project, address, ...(subject === null ? {} : { subject }) }
  await appendAudit(tx, dialect, { at, actor, action: 'session.open', subject: sessionId(session), after })
}

/** How a session is found. `unattended` requests, from a page that nobody touches, do not keep it alive. */
interface FoundBy {
  hash: string
  at: number
  idleMs: number
  unattended: boolean
}

/** The session of a hash, unless it has expired or was idle for too long. */
async function findSession({ db }: Connection, args: FoundBy): Promise<SessionRow | null> {
  const row = await db.selectFrom('sessions').selectAll().where('hash', '=', args.hash).executeTakeFirst()
  // A session opened while the clock was ahead would last longer than any other.
  if (
    !row ||
    isAhead(row.created_at, args.at) ||
    row.expires_at <= args.at ||
    lastUse(row) <= args.at - args.idleMs - noteUseMs
  )
    return null
  // A use recorded while the clock was ahead is recorded again.
  if (!args.unattended && Math.abs(args.at - lastUse(row)) > noteUseMs)
    await db.updateTable('sessions').set({ seen_at: args.at }).where('hash', '=', row.hash).execute()
  return row
}

/** Ends the session of a hash when its owner signs out or in again. */
async function closeSession({ db }: Connection, args: { hash: string }): Promise<void> {
  await db.deleteFrom('sessions').where('hash', '=', args.hash).execute()
}

/** The open sessions, newest first: all of them, or those whose name contains a text, in pages. */
async function listSessions(
  { db }: Connection,
  args: { at: number; text?: string; limit?: number; after?: [createdAt: number, id: string] | null },
): Promise<SessionRow[]> {
  const { at, text, limit, after } = args
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('expires_at', '>', at)
    .$if(text !== undefined, (query) => query.where(containing(['actor'], text ?? '')))
    .$if(Boolean(after), (query) =>
      query.where(pageOf(sql`created_at`, 'hash', [after?.[0] ?? 0, startOf(after?.[1] ?? '')], true)),
    )
    .orderBy('created_at', 'desc')
    .orderBy('hash', 'desc')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute()
}

/** Ends one session, or all sessions of a person; returns the ids of the ended ones. */
async function endSessions(
  { db: tx, dialect }: Connection,
  args: { which: { id: string } | { actors: string[] }; reason: string | null; actor: string; at: number },
): Promise<string[]> {
  const { which, reason, actor, at } = args
  const rows = await tx
    .deleteFrom('sessions')
    .where((where) => ('id' in which ? where('hash', 'like', hashesOf(which.id)) : where('actor', 'in', which.actors)))
    .returning(['hash', 'actor'])
    .execute()
  for (const row of rows)
    await appendAudit(tx, dialect, {
      at,
      actor,
      action: 'session.end',
      subject: sessionId(row),
      reason,
      before: { actor: row.actor },
    })
  return rows.map(sessionId)
}

/** The last use, accurate to `noteUseMs`. */
function lastUse({ seen_at: seenAt, created_at: createdAt }: SessionRow): number {
  return seenAt ?? createdAt
}

/** The id of a session: the beginning of its hash, which grants no access. */
export function sessionId({ hash }: { hash: string }): string {
  return `ses_${hash.slice(0, idLength)}`
}

/** The LIKE pattern of the hashes with this id; for an invalid id, a pattern that matches none. */
function hashesOf(id: string): string {
  const start = startOf(id)
  return start.length === idLength ? `${start}%` : 'none'
}

/** The beginning of the hash for this id. */
function startOf(id: string): string {
  return /^ses_([\da-f]+)$/.exec(id)?.[1] ?? ''
}

export const sessionOperations = {
  openSession: write(openSession),
  // It also records the use of the session.
  findSession: single(findSession, 'quick'),
  closeSession: single(closeSession),
  listSessions: read(listSessions),
  endSessions: write(endSessions),
}
export type SessionStore = Subject<typeof sessionOperations>
