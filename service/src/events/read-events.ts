import type { EventType, Kind, VitaeEvent } from '@vitae/contract'
import type { Connection, Database } from '../database/dialect.ts'
import { jsonText } from '../database/sql/json-text.ts'
import type { StoredEvent } from './event.ts'
import { publishEvents } from './publish-events.ts'

export interface ReadEvents {
  /** The position of the last event that was read; 0 = from the first that is kept. */
  after: number
  limit: number
  now: number
  /** Only what this environment may hear: its own events and those of the whole service. Absent = all events. */
  accountId?: number
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

async function selectEvents({ db, dialect }: Connection, args: ReadEvents): Promise<StoredEvent[]> {
  const { after, limit, accountId, project, types, kinds = null } = args
  const kind = jsonText(dialect, 'data', ['kind'])
  const rows = await db
    .selectFrom('events')
    .leftJoin('environments', 'environments.id', 'events.account_id')
    .select(['events.id', 'public_id', 'position', 'type', 'at', 'account_id', 'entity_id', 'data'])
    .select(['environments.project', 'environments.name as environment'])
    .where('position', '>', after)
    .$if(accountId !== undefined, (query) =>
      query.where((eb) => eb.or([eb('account_id', '=', accountId ?? 0), eb('account_id', 'is', null)])),
    )
    .$if(project !== undefined, (query) =>
      query.where((eb) => eb.or([eb('environments.project', '=', project ?? ''), eb('account_id', 'is', null)])),
    )
    .$if(Array.isArray(types), (query) => query.where('type', 'in', [...(types ?? []), '']))
    .$if(kinds !== null, (query) =>
      query.where((eb) => eb.or([eb(kind, 'is', null), eb(kind, 'in', [...(kinds ?? [])])])),
    )
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    rowId: row.id,
    position: row.position ?? 0,
    accountId: row.account_id,
    entityId: row.entity_id,
    event: eventOf(row),
  }))
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
    at: new Date(row.at).toISOString(),
    project: row.project,
    environment: row.environment,
    data: JSON.parse(row.data) as unknown,
  }
}
