import { personParts, type Kind } from '@vitae/contract'
import type { Dialect, Tx } from '../../database/dialect.ts'
import type { NewEvent } from '../../events/event.ts'
import { writeEvents } from '../../events/event-upkeep.ts'
import { mayUse, ownImport, readRoute, type Route } from '../../foundation/environments/route.ts'
import { unpack } from '../versions/stored-copy.ts'
import { judgeChanges, judgedAtMost, sideOf } from './judge-changes.ts'
import type { Change } from './diff-values.ts'
import { isoTime } from '../../foundation/clock.ts'

interface Saved {
  kind: Kind
  entityId: number
  /** `member_urn` or `company_id`. */
  key: string
  after: {
    versionId: number
    provider: string
    fetchedAt: number
    sourceUpdatedAt: number | null
    thin: boolean
    unsaid?: string | null
    /** JSON of the full record. */
    body: Uint8Array
  }
  source: 'live' | 'imported'
  at: number
}

/**
 * Notifies the environments that watch a record of what a new version of it changed, in the transaction that saves it. Each
 * change is in one event. A record that nobody watches costs one read.
 */
export async function notifyWatchers(tx: Tx, dialect: Dialect, saved: Saved): Promise<void> {
  const watchers = await watchersOf(tx, saved.entityId)
  if (watchers.length === 0) return
  const events: NewEvent[] = []
  for (const [route, some] of Map.groupBy(watchers, (watcher) => watcher.route)) {
    const environmentIds = some.map(({ environmentId }) => environmentId)
    events.push(...(await eventsFor(tx, saved, readRoute(route), environmentIds)))
  }
  await writeEvents(tx, dialect, events)
}

/** The events for environments with one route: nobody hears what a provider said that may not answer them. */
async function eventsFor(tx: Tx, saved: Saved, route: Route, environmentIds: readonly number[]): Promise<NewEvent[]> {
  const { kind, entityId, key, after, source, at } = saved
  const { provider } = after
  if (!mayUse(route, provider) || !(await differsFromOwn(tx, saved))) return []
  const earlier = await earlierVersions(tx, saved, route)
  const sides = [...earlier.map(storedSide), sideOf(after, after.body)]
  const judged = judgeChanges(kind, sides).at(-1)
  const before = earlier[judged?.from ?? -1]
  if (!judged || !before) return []
  const from = {
    version: before.id,
    provider: before.provider,
    ...timesOf(before.fetched_at, before.source_updated_at),
  }
  const to = { version: after.versionId, provider, ...timesOf(after.fetchedAt, after.sourceUpdatedAt) }
  const events: NewEvent[] = []
  for (const [type, some] of Map.groupBy(judged.changes.filter(isNotified), (change) => eventOf(kind, change))) {
    const data = { kind, id: key, changes: some, from, to, provider, source }
    for (const environmentId of environmentIds) events.push({ type, at, environmentId, entityId, data })
  }
  return events
}

/** Most refreshes repeat the last answer of their provider: then no other version is read. */
async function differsFromOwn(tx: Tx, saved: Saved): Promise<boolean> {
  const own = await before(tx, saved).where('provider', '=', saved.after.provider).limit(1).executeTakeFirst()
  return own !== undefined && Buffer.compare(unpack(own.body), saved.after.body) !== 0
}

/** The versions of a route's providers before the new one, oldest first. */
async function earlierVersions(tx: Tx, saved: Saved, route: Route) {
  const rows = await before(tx, saved)
    .$if(route !== null, (query) => query.where('provider', 'in', [...(route ?? []), ownImport]))
    .limit(judgedAtMost)
    .execute()
  return rows.toReversed()
}

function before(tx: Tx, { entityId, after }: Saved) {
  return tx
    .selectFrom('versions')
    .select(['id', 'provider', 'fetched_at', 'source_updated_at', 'thin', 'body', 'unsaid'])
    .where('entity_id', '=', entityId)
    .where('id', '<', after.versionId)
    .where('fetched_at', '<=', after.fetchedAt)
    .orderBy('fetched_at', 'desc')
    .orderBy('id', 'desc')
}

function storedSide(row: { provider: string; thin: number; body: Uint8Array; unsaid: string | null }) {
  return sideOf({ ...row, thin: row.thin === 1 }, unpack(row.body))
}

type RecordEvent = 'person.job_changed' | 'person.promoted' | 'person.changed' | 'company.changed'

function eventOf(kind: Kind, change: Change): RecordEvent {
  if (kind === 'companies') return 'company.changed'
  if (change.kind === 'job_change' || change.kind === 'return') return 'person.job_changed'
  return change.kind === 'promotion' ? 'person.promoted' : 'person.changed'
}

const partFields = new Set<string>(Object.values(personParts))

/**
 * Two providers that describe the same thing differently are no news. The optional parts are left out: not every key
 * may see them, and not every fetch asks for them.
 */
export function isNotified({ kind, path }: Change): boolean {
  return kind !== 'source_changed' && !partFields.has(/^\w+/.exec(path)?.[0] ?? '')
}

function timesOf(fetchedAt: number, sourceUpdatedAt: number | null) {
  return { fetched_at: isoTime(fetchedAt), source_updated_at: isoTime(sourceUpdatedAt) }
}

/**
 * The environments that watch a record and may be notified of it: their watch has paid for the record at least once, and the
 * key that pays for it still may.
 */
async function watchersOf(tx: Tx, entityId: number): Promise<{ environmentId: number; route: string | null }[]> {
  const rows = await tx
    .selectFrom('watches')
    .innerJoin('environments', 'environments.id', 'watches.account_id')
    .select(['account_id', 'environments.route'])
    .distinct()
    .where('entity_id', '=', entityId)
    .where('paused', 'is', null)
    .orderBy('account_id')
    .execute()
  return rows.map(({ account_id: environmentId, route }) => ({ environmentId, route }))
}
