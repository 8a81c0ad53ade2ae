import type { Kind } from '@vitae/contract'
import type { Connection } from '../../database/engine/dialect.ts'
import { recordInBody, recordName } from '../rows/search-texts.ts'
import { nameIn, recordNamesContradict, type RecordName } from '../names/record-names.ts'

/** One of the names of an entity, and the fetches that returned it. */
export interface SuspectName {
  name: string
  providers: string[]
  /** Fetch ids, oldest first. */
  fetches: number[]
  lastFetchedAt: number
}

export interface Suspect {
  entityId: number
  kind: Kind
  key: string
  names: SuspectName[]
}

export interface SuspectPage {
  items: Suspect[]
  /** The last entity of this page; null at the end. */
  next: number | null
}

/** Entities read per page: a page may have no suspect and still have a next page. */
const readAtOnce = 500
/** The maximum number of versions of an entity that are compared, newest first. */
const comparedVersions = 100

/** The next stored entities whose versions have contradicting names. */
export async function findSuspects(
  database: Connection,
  { kind, after, limit }: { kind?: Kind; after: number; limit: number },
): Promise<SuspectPage> {
  const rows = await database.db
    .selectFrom('entities')
    .select(['id', 'kind', 'key'])
    .where('id', '>', after)
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? 'people'))
    .orderBy('id')
    .limit(readAtOnce)
    .execute()
  const items: Suspect[] = []
  for (const { id, kind: of, key } of rows) {
    const names = await contradictoryNames(database, id)
    if (names.length > 0) items.push({ entityId: id, kind: of, key, names })
    if (items.length === limit) return { items, next: id }
  }
  return { items, next: rows.length < readAtOnce ? null : (rows.at(-1)?.id ?? null) }
}

/** The suspects among the given entities. */
export async function suspectsAmong(
  database: Connection,
  { entityIds }: { entityIds: number[] },
): Promise<{ entityId: number; names: SuspectName[] }[]> {
  const found: { entityId: number; names: SuspectName[] }[] = []
  for (const entityId of entityIds) {
    const names = await contradictoryNames(database, entityId)
    if (names.length > 0) found.push({ entityId, names })
  }
  return found
}

interface Group extends SuspectName {
  all: RecordName[]
}

/** The names of an entity if some contradict each other; otherwise empty. */
async function contradictoryNames({ db }: Connection, entityId: number): Promise<SuspectName[]> {
  const rows = await db
    .selectFrom('versions')
    .select(['fetch_id', 'provider', 'fetched_at', 'body'])
    .where('entity_id', '=', entityId)
    .orderBy('id', 'desc')
    .limit(comparedVersions)
    .execute()
  if (rows.length < 2) return []
  const groups: Group[] = []
  for (const { fetch_id: fetchId, provider, fetched_at: fetchedAt, body } of rows.toReversed()) {
    const record = recordInBody(body)
    const name = nameIn(record)
    if (!name) continue
    const fetches = fetchId === null ? [] : [fetchId]
    const known = groups.find(({ all }) => all.some((one) => !recordNamesContradict(one, name)))
    if (!known) {
      const text = recordName(record) ?? ''
      groups.push({ name: text, providers: [provider], fetches, lastFetchedAt: fetchedAt, all: [name] })
      continue
    }
    known.all.push(name)
    known.fetches.push(...fetches)
    known.lastFetchedAt = Math.max(known.lastFetchedAt, fetchedAt)
    if (!known.providers.includes(provider)) known.providers.push(provider)
  }
  return groups.length < 2 ? [] : groups.map(({ all: _all, ...name }) => name)
}
