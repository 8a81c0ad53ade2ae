import { eventTypes, type EventType, type Kind, type VitaeEvent } from '@vitae/contract'
import { sql } from 'kysely'
import type { Connection, Database } from '../../database/engine/dialect.ts'
import type { StoredEvent } from './event.ts'
import { publishEvents } from './publish-events.ts'
import { isoTime } from '../../foundation/clock.ts'
import { codedBody, type CodedBytes, type Coding } from '../../foundation/compress.ts'
import { isAmong } from '../../database/sql/expressions.ts'

export interface ReadEvents {
  /** The position of the last event read; 0 = from the first stored one. */
  after: number
  limit: number
  now: number
  /** Only events for this environment: its own and those of the whole service. Absent = all events. */
  environmentId?: number
  /** The same for all environments of a project. */
  project?: string
  types?: readonly EventType[] | null
  /** Only events about these kinds, or about no kind; null = all. */
  kinds?: readonly Kind[] | null
}

/**
 * The next events after a position, in order. A reader that continues from the last position sees every event exactly
 * once.
 */
export async function readEvents(database: Database, args: ReadEvents): Promise<StoredEvent[]> {
  await publishEvents(database, args)
  return database.read((connection) => selectEvents(connection, args))
}

/** The next events that already have a position. */
export async function selectEvents(connection: Connection, args: ReadEvents): Promise<StoredEvent[]> {
  const rows = await selectRows(connection, args)
  return rows.map((row) => ({
    rowId: row.id,
    position: row.position ?? 0,
    environmentId: row.account_id,
    entityId: row.entity_id,
    event: eventOf(row),
  }))
}

async function selectRows(connection: Connection, args: ReadEvents) {
  const { db, dialect } = connection
  const places: Place[] = []
  const parts = await partsOf(db, args)
  for (let from = 0; from < parts.length; from += partsAtOnce) {
    const { rows } = await nextPlaces(connection, parts.slice(from, from + partsAtOnce), args).execute(db)
    places.push(...rows)
  }
  const ids = places
    .toSorted((a, b) => Number(a.position) - Number(b.position))
    .slice(0, args.limit)
    .map(({ id }) => id)
  return db
    .selectFrom('events')
    .leftJoin('environments', 'environments.id', 'events.account_id')
    .select(['events.id', 'public_id', 'position', 'type', 'at', 'account_id', 'entity_id', 'data'])
    .select(['environments.project', 'environments.name as environment'])
    .where(dialect.isAmong('events.id', 'bigint', ids))
    .orderBy('position')
    .execute()
}

interface Place {
  id: number
  position: number | null
}

/**
 * The content of one index in the order of positions: the events of an environment or of the whole service, of one type
 * or all.
 */
interface Part {
  /** Null = of the whole service; absent = of everyone. */
  environmentId?: number | null
  type?: EventType
}

/** SQLite allows at most 500 selects in one compound statement. */
const partsAtOnce = 100

const kindOf = { person: 'people', company: 'companies' } as const

async function partsOf(
  db: Connection['db'],
  { environmentId, project, types, kinds = null }: ReadEvents,
): Promise<Part[]> {
  const ofOwners: Part[] =
    environmentId !== undefined
      ? [{ environmentId }, { environmentId: null }]
      : project !== undefined
        ? [...(await environmentsOf(db, project)), { environmentId: null }]
        : [{}]
  if (!Array.isArray(types) && kinds === null) return ofOwners
  const asked = (types ?? eventTypes).filter((type) => {
    const kind = Object.entries(kindOf).find(([prefix]) => type.startsWith(`${prefix}.`))?.[1]
    return kind === undefined || (kinds?.includes(kind) ?? true)
  })
  return ofOwners.flatMap((owner) => asked.map((type) => ({ ...owner, type })))
}

async function environmentsOf(db: Connection['db'], project: string): Promise<Part[]> {
  const rows = await db.selectFrom('environments').select('id').where('project', '=', project).execute()
  return rows.map(({ id }) => ({ environmentId: id }))
}

/**
 * The next events of some parts. Each part is read in the order of an index and stops after a page. So a page costs the
 * same wherever it begins, however rare its types are, and however many events other environments have.
 */
export function nextPlaces(
  { db, dialect }: Connection,
  parts: readonly Part[],
  { after, limit, kinds = null }: ReadEvents,
) {
  const kind = dialect.jsonText('data', ['kind'])
  const selects = parts.map(({ environmentId, type }) => {
    const next = db
      .selectFrom('events')
      .select(['id', 'position'])
      .where('position', '>', after)
      .$if(typeof environmentId === 'number', (query) => query.where('account_id', '=', environmentId ?? 0))
      .$if(environmentId === null, (query) => query.where('account_id', 'is', null))
      .$if(type !== undefined, (query) => query.where('type', '=', type ?? ''))
      .$if(kinds !== null, (query) => query.where(sql<boolean>`(${kind} is null or ${isAmong(kind, kinds ?? [])})`))
      .orderBy('position')
      .limit(limit)
    return sql`select id, position from (${next}) as part`
  })
  return sql<Place>`${sql.join(selects, sql` union all `)}`
}

/** An event's row, joined with its environment. */
interface EventRow {
  public_id: string
  type: string
  at: number
  project: string | null
  environment: string | null
  data: string
}

/** Converts a row to an event. */
export function eventOf(row: EventRow): VitaeEvent {
  return { ...headOf(row), data: JSON.parse(row.data) as unknown }
}

/** The same as JSON. The data is JSON already, so it is not parsed. */
function eventText(row: EventRow): string {
  return `${JSON.stringify(headOf(row)).slice(0, -1)},"data":${row.data}}`
}

function headOf({ public_id: id, type, at, project, environment }: EventRow) {
  // Written by `writeEvents`, like the data.
  return { id, type: type as EventType, at: isoTime(at), project, environment }
}

/** The content of a page of the feed, and its compression. */
type ReadPage = ReadEvents & { coding: Coding | null }

/**
 * A page of the feed as JSON: the events after a position, and where to continue. It is built and compressed here,
 * because a page of 500 events would take the process that serves callers milliseconds, and much memory to collect.
 */
export async function feedPage(connection: Connection, args: ReadPage): Promise<CodedBytes> {
  const rows = await selectRows(connection, args)
  const next = String(rows.at(-1)?.position ?? args.after)
  return codedBody(`{"events":[${rows.map(eventText).join(',')}],"next":${JSON.stringify(next)}}`, args.coding)
}

/** The store operations that the feed and the list of changes need. */
export interface FeedStore {
  publishEvents(args: ReadEvents): Promise<unknown>
  feedPage(args: ReadPage): Promise<CodedBytes>
  changesPage(args: ReadEvents): Promise<string>
}

/** The next page of the feed after a position. Only the assignment of positions runs where charges are settled. */
export async function readFeed(store: FeedStore, args: ReadPage): Promise<CodedBytes> {
  await store.publishEvents(args)
  return store.feedPage(args)
}
