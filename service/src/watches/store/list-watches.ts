import type { Kind } from '@vitae/contract'
import { appendAudit } from '../../audit/audit.ts'
import type { Connection } from '../../database/engine/dialect.ts'
import { isAmong } from '../../database/sql/expressions.ts'
import { Failure } from '../../foundation/failure.ts'
import type { StoredWatch } from './watch-view.ts'

interface ListWatches {
  environmentId?: number
  project?: string | null
  environment?: string | null
  kind?: Kind | null
  /** Only these kinds; null = both. */
  kinds?: readonly Kind[] | null
  /** True: only paused watches. */
  paused?: boolean
  after: string | null
  limit: number
}

export interface ListedWatch extends StoredWatch {
  project: string
  environment: string
  /** The last event about the record that its environment got. */
  changed_type: string | null
  changed_at: number | null
}

/** Lists watches in the order of their ids: those of one environment, or all that match the filters. */
export async function listWatches({ db }: Connection, args: ListWatches): Promise<ListedWatch[]> {
  const { environmentId, project, environment, kind, kinds, after, limit } = args
  const rows = await db
    .selectFrom('watches')
    .innerJoin('environments', 'environments.id', 'watches.account_id')
    .selectAll('watches')
    .select(['environments.project', 'environments.name as environment'])
    .$if(environmentId !== undefined, (query) => query.where('account_id', '=', environmentId ?? 0))
    .$if(typeof project === 'string', (query) => query.where('project', '=', project ?? ''))
    .$if(typeof environment === 'string', (query) => query.where('environments.name', '=', environment ?? ''))
    .$if(typeof kind === 'string', (query) => query.where('kind', '=', kind ?? 'people'))
    .$if(Array.isArray(kinds), (query) => query.where(isAmong('kind', kinds ?? [])))
    .$if(args.paused === true, (query) => query.where('paused', 'is not', null))
    .where('watches.id', '>', after ?? '')
    .orderBy('watches.id')
    .limit(limit)
    .execute()
  const changes = await lastChanges(db, rows)
  return rows.map((row) => ({ ...row, ...(changes.get(changeKey(row)) ?? { changed_type: null, changed_at: null }) }))
}

type Change = Pick<ListedWatch, 'changed_type' | 'changed_at'>

async function lastChanges(db: Connection['db'], rows: readonly StoredWatch[]): Promise<Map<string, Change>> {
  const ids = rows.flatMap((row) => row.entity_id ?? [])
  if (ids.length === 0) return new Map()
  const events = await db
    .selectFrom('events')
    .select(['account_id', 'entity_id', 'type', 'at'])
    .where('entity_id', 'in', ids)
    .where('account_id', 'in', [...new Set(rows.map((row) => row.account_id))])
    .orderBy('id')
    .execute()
  return new Map(events.map((event) => [changeKey(event), { changed_type: event.type, changed_at: event.at }]))
}

function changeKey({ account_id, entity_id }: { account_id: number | null; entity_id: number | null }): string {
  return `${account_id} ${entity_id}`
}

interface RemoveWatch {
  id: string
  /** The caller's environment; null = an operator of one project or of all. */
  environmentId: number | null
  project?: string | null
  /** The endpoints that the caller's key may use; null = all. */
  kinds?: readonly Kind[] | null
  actor: string | null
  at: number
}

/** Removes a watch; false if the environment has no watch with this id. */
export async function removeWatch(
  { db: tx, dialect }: Connection,
  { id, environmentId, project = null, kinds = null, actor, at }: RemoveWatch,
): Promise<boolean> {
  const ofProject = tx
    .selectFrom('environments')
    .select('id')
    .where('project', '=', project ?? '')
  const removed = await tx
    .deleteFrom('watches')
    .where('id', '=', id)
    .$if(environmentId !== null, (query) => query.where('account_id', '=', environmentId ?? 0))
    .$if(project !== null, (query) => query.where('account_id', 'in', ofProject))
    .returning(['account_id', 'kind'])
    .executeTakeFirst()
  // The failure takes the removal back.
  if (removed && kinds && !kinds.includes(removed.kind)) throw new Failure('endpoint_not_allowed')
  if (removed && actor !== null) {
    const place = tx.selectFrom('environments').select(['project', 'name as environment'])
    const before = await place.where('id', '=', removed.account_id).executeTakeFirst()
    await appendAudit(tx, dialect, { at, actor, action: 'watches.remove', subject: id, before })
  }
  return removed !== undefined
}
