import { eventTypes, type EventType, type Kind, type VitaeEvent, type EventFeed } from '@vitae/contract'
import { sql } from 'kysely'
import type { Connection, Database } from '../database/dialect.ts'
import type { StoredEvent } from './event.ts'
import { publishEvents } from './publish-events.ts'
import { isoTime } from '../foundation/clock.ts'
import { isAmong, jsonText } from '../database/sql/expressions.ts'

export interface ReadEvents {
  /** The position of the last event that was read; 0 = from the first that is kept. */
  after: number
  limit: number
  now: number
  /** Only what this environment may hear: its own events and those of the whole service. Absent = all events. */
  environmentId?: number
  /** The same for all environments of a project. */
  project?: string
  types?: readonly EventType[] | null
  /** Only what is about these kinds or about none; null = all. */
  kinds?: readonly Kind[] | null
}

/** The next events after a position, in order. Whoever goes on from the last position meets every event exactly once. */
export async function readEvents(database: Database, args: ReadEvents): Promise<StoredEvent[]> {
  await publishEvents(database, args)
  return database.read((connection) => selectEvents(connection, args))
}

/** Those of them that have a place. */
export async function selectEvents(connection: Connection, args: ReadEvents): Promise<StoredEvent[]> {
  const { db } = connection
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
  const rows = await db
    .selectFrom('events')
    .leftJoin('environments', 'environments.id', 'events.account_id')
    .select(['events.id', 'public_id', 'position', 'type', 'at', 'account_id', 'entity_id', 'data'])
    .select(['environments.project', 'environments.name as environment'])
    .where('events.id', 'in', [...ids, 0])
    .orderBy('position')
    .execute()
  return rows.map((row) => ({
    rowId: row.id,
    position: row.position ?? 0,
    environmentId: row.account_id,
    entityId: row.entity_id,
    event: eventOf(row),
  }))
}

interface Place {
  id: number
  position: number | null
}

/** What one index holds in the order of positions: the events of an environment or of the whole service, of one type or of all. */
interface Part {
  /** Null = of the whole service; absent = everybody's. */
  environmentId?: number | null
  type?: EventType
}

/** SQLite joins at most 500 selects into one. */
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
 * The next events of some parts. Each is read in the order of an index and ends after a page, so a page costs the same wherever it
 * begins, however rare its types are, and whatever other environments were told meanwhile.
 */
export function nextPlaces(
  { db, dialect }: Connection,
  parts: readonly Part[],
  { after, limit, kinds = null }: ReadEvents,
) {
  const kind = jsonText(dialect, 'data', ['kind'])
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

/** A row, joined with its environment, as the event that everybody sees. */
export function eventOf(row: {
  public_id: string
  type: string
  at: number
  project: string | null
  environment: string | null
  data: string
}): VitaeEvent {
  return {
    id: row.public_id,
    // Written by `writeEvents`, as is the data.
    type: row.type as EventType,
    at: isoTime(row.at),
    project: row.project,
    environment: row.environment,
    data: JSON.parse(row.data) as unknown,
  }
}

/**
 * A page of the feed as JSON: the events after a position that have a place, and where to go on. As text, because to make it of 500 events
 * takes milliseconds, in which whoever serves callers would do nothing else.
 */
export async function feedPage(connection: Connection, args: ReadEvents): Promise<string> {
  const rows = await selectEvents(connection, args)
  const next = String(rows.at(-1)?.position ?? args.after)
  return JSON.stringify({ events: rows.map(({ event }) => event), next } satisfies EventFeed)
}

/** What reading the feed needs of the store. */
export interface FeedStore {
  publishEvents(args: ReadEvents): Promise<unknown>
  feedPage(args: ReadEvents): Promise<string>
}

/** The next page of the feed after a position. Only giving events their places is done where charges are. */
export async function readFeed(store: FeedStore, args: ReadEvents): Promise<string> {
  await store.publishEvents(args)
  return store.feedPage(args)
}
