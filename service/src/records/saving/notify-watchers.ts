import { personParts, type Kind } from '@vitae/contract'
import type { Dialect, Tx } from '../../database/engine/dialect.ts'
import type { NewEvent } from '../../events/outbox/event.ts'
import { writeEvents } from '../../events/outbox/event-upkeep.ts'
import { mayUse, ownImport, readRoute, type Route } from '../../foundation/environments/route.ts'
import type { MergedSide } from '../rows/add-version.ts'
import { unpack } from '../../database/packing/pack.ts'
import { judgeChanges, judgedAtMost, judgedBytesAtMost, sideOf } from '../changes/judge-changes.ts'
import type { Change } from '../changes/diff-values.ts'
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
  /** The records merged into this one by the save; usually empty. */
  sides: readonly MergedSide[]
}

/**
 * Notifies the environments that watch a record about the changes of a new version, in the transaction that saves it.
 * Each change is in one event. A record that nobody watches costs one read.
 */
export async function notifyWatchers(tx: Tx, dialect: Dialect, saved: Saved): Promise<void> {
  const watchers = await watchersOf(tx, saved.entityId)
  if (watchers.length === 0) return
  const events: NewEvent[] = []
  const sideOfWatcher = (id: number) => saved.sides.find(({ watchedBy }) => watchedBy.has(id)) ?? null
  for (const [side, ofSide] of Map.groupBy(watchers, ({ environmentId }) => sideOfWatcher(environmentId)))
    for (const [route, some] of Map.groupBy(ofSide, (watcher) => watcher.route)) {
      const environmentIds = some.map(({ environmentId }) => environmentId)
      events.push(...(await eventsFor(tx, saved, { side, route: readRoute(route) }, environmentIds)))
    }
  await writeEvents(tx, dialect, events)
}

interface Sight {
  /** The record that the environments watched, if the save merged it with another one. */
  side: MergedSide | null
  /** Environments are not notified about data of providers that are off their route. */
  route: Route
}

/** The events for environments that see the same versions. */
async function eventsFor(tx: Tx, saved: Saved, sight: Sight, environmentIds: readonly number[]): Promise<NewEvent[]> {
  const { kind, entityId, key, after, source, at } = saved
  const { side, route } = sight
  if (!mayUse(route, after.provider) || (!side && !(await differsFromOwn(tx, saved)))) return []
  const { seen, unseen } = seenBy(side, await earlierVersions(tx, saved, route))
  const earlier = [...seen, ...unseen]
  const facts = [...earlier.map(storedFacts), factsOf(after)]
  const judged = judgeChanges(kind, [...earlier.map(storedSide), sideOf(after, after.body)])
  return judged.slice(seen.length).flatMap(({ changes, from }, index) => {
    const [before, to] = [facts[from ?? -1], facts[seen.length + index]]
    if (!before || !to) return []
    const notified = Map.groupBy(changes.filter(isNotified), (change) => eventOf(kind, change))
    return [...notified].flatMap(([type, some]): NewEvent[] => {
      const data = { kind, id: key, changes: some, from: before, to, provider: to.provider, source }
      return environmentIds.map((environmentId) => ({ type, at, environmentId, entityId, data }))
    })
  })
}

/**
 * The versions that were already compared for a watcher and, after a merge, newer versions of the other record: their
 * changes are news too.
 */
function seenBy<V extends { id: number; provider: string; fetched_at: number }>(
  side: MergedSide | null,
  versions: readonly V[],
): { seen: V[]; unseen: V[] } {
  const seen = versions.filter(({ id }) => !side || side.versionIds.has(id))
  const isNewer = (one: V) => seen.every((own) => own.provider !== one.provider || own.fetched_at < one.fetched_at)
  return { seen, unseen: versions.filter((one) => !seen.includes(one) && isNewer(one)) }
}

/** Most refreshes repeat the last answer of their provider. Then no other version is read. */
async function differsFromOwn(tx: Tx, saved: Saved): Promise<boolean> {
  const own = await before(tx, saved).where('provider', '=', saved.after.provider).limit(1).executeTakeFirst()
  return own !== undefined && Buffer.compare(unpack(own.body), saved.after.body) !== 0
}

const readAtOnce = 20

/** The versions of the route's providers before the new one, oldest first. */
async function earlierVersions(tx: Tx, saved: Saved, route: Route) {
  const versions: StoredVersion[] = []
  let bytes = saved.after.body.byteLength
  while (versions.length < judgedAtMost) {
    const rows = await before(tx, saved)
      .$if(route !== null, (query) => query.where('provider', 'in', [...(route ?? []), ownImport]))
      .limit(readAtOnce)
      .offset(versions.length)
      .execute()
    for (const row of rows) {
      const body = unpack(row.body)
      bytes += body.byteLength
      if (bytes > judgedBytesAtMost && versions.length > 0) return versions.toReversed()
      versions.push({ ...row, body })
    }
    if (rows.length < readAtOnce) break
  }
  return versions.toReversed()
}

type StoredVersion = Awaited<ReturnType<ReturnType<typeof before>['execute']>>[number]

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

function storedSide(row: StoredVersion) {
  return sideOf({ ...row, thin: row.thin === 1 }, row.body)
}

type RecordEvent = 'person.job_changed' | 'person.promoted' | 'person.changed' | 'company.changed'

function eventOf(kind: Kind, change: Change): RecordEvent {
  if (kind === 'companies') return 'company.changed'
  if (change.kind === 'job_change' || change.kind === 'return') return 'person.job_changed'
  return change.kind === 'promotion' ? 'person.promoted' : 'person.changed'
}

const partFields = new Set<string>(Object.values(personParts))

/**
 * Differences between two providers are not news. Optional parts are left out: not every key may see them, and not
 * every fetch asks for them.
 */
export function isNotified({ kind, path }: Change): boolean {
  return kind !== 'source_changed' && !partFields.has(/^\w+/.exec(path)?.[0] ?? '')
}

type Facts = Pick<Saved['after'], 'versionId' | 'provider' | 'fetchedAt' | 'sourceUpdatedAt'>

/** A version as an event describes it. */
function factsOf({ versionId: version, provider, fetchedAt, sourceUpdatedAt }: Facts) {
  return { version, provider, fetched_at: isoTime(fetchedAt), source_updated_at: isoTime(sourceUpdatedAt) }
}

function storedFacts(row: { id: number; provider: string; fetched_at: number; source_updated_at: number | null }) {
  const { id: versionId, provider, fetched_at: fetchedAt, source_updated_at: sourceUpdatedAt } = row
  return factsOf({ versionId, provider, fetchedAt, sourceUpdatedAt })
}

/**
 * The environments that watch a record and may be notified: their watch has paid for the record at least once, and its
 * key may still pay.
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
