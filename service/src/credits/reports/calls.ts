import { report, type Subject, type Operations } from '../../database/engine/operation.ts'
import type { DataSource, Kind } from '@vitae/contract'
import type { Connection } from '../../database/engine/dialect.ts'
import type { CallRow } from '../../database/tables/calls.ts'

/** A position in the call log, which is read from newest to oldest. */
export interface CallPlace {
  at: number
  requestId: string
}

export interface CallQuery {
  project?: string
  environment?: string
  keyId?: string
  kind?: Kind
  status?: number
  code?: string
  source?: DataSource
  tag?: string
  requestId?: string
  /** The member_urn or company_id of the served record. */
  record?: string
  since?: number
  until?: number
  before: CallPlace | null
  limit: number
}

export interface CallView {
  requestId: string
  at: number
  project: string
  environment: string
  keyId: string
  keyLabel: string | null
  keyDisplay: string | null
  mode: CallRow['mode']
  kind: Kind
  status: number
  code: string | null
  source: string | null
  credits: number
  /** The subject of the call; null after an erasure and for calls without a record. */
  entityId: number | null
  entityKey: string | null
  durationMs: number | null
  tag: string | null
  replayOf: string | null
}

interface CallSlice {
  calls: CallView[]
  /** How far the log was read; null at its end. */
  reached: CallPlace | null
}

/** Reads a limited part of the call log, so that a search for rare calls does not delay payments. */
async function callSlice({ db }: Connection, query: CallQuery & { rows: number }): Promise<CallSlice> {
  const reached = query.requestId === undefined ? await endOfSlice(db, query) : null
  const entityIds = query.record === undefined ? null : await idsOf(db, query.record)
  const calls = await selectCalls(db, query)
    .$if(entityIds !== null, (select) => select.where('calls.entity_id', 'in', [...(entityIds ?? []), -1]))
    .$if(reached !== null, (select) => select.where('calls.at', '>=', reached?.at ?? 0))
    .orderBy('calls.at', 'desc')
    .orderBy('calls.request_id', 'desc')
    .limit(query.limit)
    .execute()
  const within = reached ? calls.filter((call) => call.at > reached.at || call.requestId >= reached.requestId) : calls
  return { calls: within, reached }
}

/** The ids of a record and of those merged into it: calls keep the id under which they were answered. */
async function idsOf(db: Connection['db'], key: string): Promise<number[]> {
  const own = await db
    .selectFrom('entities')
    .select('id')
    .where('kind', 'in', ['people', 'companies'])
    .where('key', '=', key)
    .execute()
  const ids = own.map(({ id }) => id)
  if (ids.length === 0) return ids
  const merged = await db.selectFrom('merged_entities').select('id').where('into_id', 'in', ids).execute()
  return [...ids, ...merged.map(({ id }) => id)]
}

function selectCalls(db: Connection['db'], query: CallQuery) {
  const { project, environment, keyId, kind, status, code, source, tag, requestId } = query
  return inSpan(db, query)
    .innerJoin('environments', 'environments.id', 'calls.account_id')
    .leftJoin('keys', 'keys.id', 'calls.key_id')
    .leftJoin('merged_entities', 'merged_entities.id', 'calls.entity_id')
    .leftJoin('entities', (join) =>
      join.on((eb) => eb('entities.id', '=', eb.fn.coalesce('merged_entities.into_id', 'calls.entity_id'))),
    )
    .select(['calls.request_id as requestId', 'calls.at', 'environments.project', 'environments.name as environment'])
    .select(['calls.key_id as keyId', 'calls.mode', 'calls.kind', 'calls.status', 'calls.code', 'calls.source'])
    .select(['calls.credits', 'entities.key as entityKey', 'calls.duration_ms as durationMs'])
    .select(['calls.tag', 'calls.replay_of as replayOf', 'calls.entity_id as entityId'])
    .select(['keys.label as keyLabel', 'keys.display as keyDisplay'])
    .$if(requestId !== undefined, (select) => select.where('calls.request_id', '=', requestId ?? ''))
    .$if(project !== undefined, (select) => select.where('environments.project', '=', project ?? ''))
    .$if(environment !== undefined, (select) => select.where('environments.name', '=', environment ?? ''))
    .$if(keyId !== undefined, (select) => select.where('calls.key_id', '=', keyId ?? ''))
    .$if(kind !== undefined, (select) => select.where('calls.kind', '=', kind ?? 'people'))
    .$if(status !== undefined, (select) => select.where('calls.status', '=', status ?? 0))
    .$if(code !== undefined, (select) => select.where('calls.code', '=', code ?? ''))
    .$if(source !== undefined, (select) => select.where('calls.source', '=', source ?? ''))
    .$if(tag !== undefined, (select) => select.where('calls.tag', '=', tag ?? ''))
}

function inSpan(db: Connection['db'], { since, until, before }: CallQuery) {
  return db
    .selectFrom('calls')
    .$if(since !== undefined, (select) => select.where('calls.at', '>=', since ?? 0))
    .$if(until !== undefined, (select) => select.where('calls.at', '<', until ?? 0))
    .$if(before !== null, (select) =>
      select
        .where('calls.at', '<=', before?.at ?? 0)
        .where((eb) =>
          eb.or([eb('calls.at', '<', before?.at ?? 0), eb('calls.request_id', '<', before?.requestId ?? '')]),
        ),
    )
}

/** Counts in the index of the times only, and takes the whole millisecond at the end. Ids would be read from each row. */
async function endOfSlice(db: Connection['db'], query: CallQuery & { rows: number }): Promise<CallPlace | null> {
  const last = await db
    .selectFrom('calls')
    .select('at')
    .$if(query.since !== undefined, (select) => select.where('at', '>=', query.since ?? 0))
    .where('at', '<', Math.min(query.before?.at ?? Number.MAX_SAFE_INTEGER, query.until ?? Number.MAX_SAFE_INTEGER))
    .orderBy('at', 'desc')
    .limit(1)
    .offset(query.rows - 1)
    .executeTakeFirst()
  if (!last) return null
  const row = await db
    .selectFrom('calls')
    .select(['at', 'request_id as requestId'])
    .where('at', '=', last.at)
    .orderBy('request_id')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

export const callOperations = {
  callSlice: report(callSlice),
} satisfies Operations

const rowsAtOnce = 20_000
/** A page ends after this many slices even if few calls match; the next page continues there. */
const slicesAtMost = 25

/** A page of the call log, newest first; `next` is the start of the following page. */
export async function listCalls(
  store: { usage: Subject<typeof callOperations> },
  query: CallQuery,
): Promise<{ calls: CallView[]; next: CallPlace | null }> {
  const calls: CallView[] = []
  let before = query.before
  for (let slices = 1; ; slices++) {
    const limit = query.limit - calls.length
    const slice: CallSlice = await store.usage.callSlice({ ...query, before, limit, rows: rowsAtOnce })
    calls.push(...slice.calls)
    const last = calls.at(-1)
    if (last && calls.length === query.limit) return { calls, next: { at: last.at, requestId: last.requestId } }
    if (!slice.reached || slices === slicesAtMost) return { calls, next: slice.reached }
    before = slice.reached
  }
}
