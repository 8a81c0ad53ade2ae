import type { Role } from '@vitae/contract/admin'
import { read, write, type Subject } from '../database/engine/operation.ts'
import { sql } from 'kysely'
import { appendAudit } from '../audit/audit.ts'
import type { Connection } from '../database/engine/dialect.ts'
import type { AdminTokenRow } from '../database/tables/operators.ts'
import { Failure } from '../foundation/failure.ts'
import { isoTime } from '../foundation/clock.ts'
import { containing, pageOf } from '../database/sql/expressions.ts'

type TokenView = ReturnType<typeof tokenView>

async function createToken(
  { db: tx, dialect }: Connection,
  args: {
    id: string
    hash: string
    label: string | null
    role: Role
    project: string | null
    actor: string
    at: number
  },
): Promise<TokenView> {
  const { id, hash, label, role, project } = args
  const row: AdminTokenRow = {
    id,
    hash,
    label,
    role,
    project,
    created_at: args.at,
    last_used_at: null,
    revoked_at: null,
  }
  await tx.insertInto('admin_tokens').values(row).execute()
  const after = tokenView(row)
  await appendAudit(tx, dialect, { at: args.at, actor: args.actor, action: 'token.create', subject: id, after })
  return after
}

/** Filters and position of a token list; without a limit it has all tokens. */
interface TokenQuery {
  text?: string
  state?: 'active' | 'revoked'
  limit: number | null
  /** The last row of the previous page. */
  after: [createdAt: number, id: string] | null
}

/** Tokens, oldest first. */
async function listTokens({ db }: Connection, { text, state, limit, after }: TokenQuery): Promise<TokenView[]> {
  const rows = await db
    .selectFrom('admin_tokens')
    .selectAll()
    .$if(text !== undefined, (query) => query.where(containing(['label', 'id'], text ?? '')))
    .$if(state !== undefined, (query) => query.where('revoked_at', state === 'active' ? 'is' : 'is not', null))
    .$if(after !== null, (query) => query.where(pageOf(sql.ref('created_at'), 'id', after ?? [0, ''], false)))
    .orderBy('created_at')
    .orderBy('id')
    .$if(limit !== null, (query) => query.limit(limit ?? 0))
    .execute()
  return rows.map(tokenView)
}

/** Revokes a token and ends every console session that was opened with it. */
async function revokeToken(
  { db: tx, dialect }: Connection,
  args: { id: string; actor: string; at: number },
): Promise<TokenView> {
  const row = await tx.selectFrom('admin_tokens').selectAll().where('id', '=', args.id).executeTakeFirst()
  if (!row)
    throw new Failure('not_found', {
      detail: `There is no admin token ${args.id}.`,
      hint: '"vitae tokens list" shows all tokens.',
    })
  const revokedAt = row.revoked_at ?? args.at
  await tx.updateTable('admin_tokens').set({ revoked_at: revokedAt }).where('id', '=', args.id).execute()
  await tx.deleteFrom('sessions').where('token_id', '=', args.id).execute()
  await appendAudit(tx, dialect, { at: args.at, actor: args.actor, action: 'token.revoke', subject: args.id })
  return tokenView({ ...row, revoked_at: revokedAt })
}

async function findToken({ db }: Connection, args: { hash: string; at: number }): Promise<AdminTokenRow | null> {
  const row = await db.selectFrom('admin_tokens').selectAll().where('hash', '=', args.hash).executeTakeFirst()
  if (!row) return null
  const stale = row.last_used_at === null || args.at - row.last_used_at > 60_000
  if (stale) await db.updateTable('admin_tokens').set({ last_used_at: args.at }).where('id', '=', row.id).execute()
  return row
}

function tokenView(row: AdminTokenRow) {
  return {
    id: row.id,
    label: row.label,
    role: row.role,
    project: row.project,
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.last_used_at),
    revoked_at: isoTime(row.revoked_at),
  }
}

export const tokenOperations = {
  createToken: write(createToken),
  listTokens: read(listTokens),
  revokeToken: write(revokeToken),
  findToken: read(findToken, 'quick'),
}
export type TokenStore = Subject<typeof tokenOperations>
