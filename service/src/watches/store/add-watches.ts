import { randomBytes } from 'node:crypto'
import type { Kind } from '@vitae/contract'
import { appendAudit } from '../../audit/audit.ts'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import { Failure } from '../../foundation/failure.ts'
import { identifierKey, type Identifier } from '../../foundation/identifier.ts'
import { aliasIn } from '../../records/rows/alias-rows.ts'
import { inChunks } from '../../database/sql/prepared.ts'
import { setWatchBudget } from './watch-budget.ts'
import type { StoredWatch } from './watch-view.ts'
import { dayMs } from '../../foundation/clock.ts'

export interface NewWatch {
  identifier: Identifier
  /** Undefined: an existing watch keeps its interval, a new one gets the default. */
  everyDays?: number | undefined
  note?: string | null | undefined
}

export interface AddWatches {
  environmentId: number
  /** The key that pays from now on. */
  keyId: string
  watches: NewWatch[]
  /** The maximum number of watches per environment. */
  atMost: number
  /** Undefined: the spending limit of the environment's watches stays unchanged. */
  maxCreditsPerMonth?: number | null | undefined
  /** The operator; null = a caller with its own key. */
  actor: string | null
  at: number
}

export interface AddedWatch {
  watch: StoredWatch
  isNew: boolean
}

const usualDays = 7
/** First refreshes of one environment are at least this far apart, so that a long list does not delay other watches. */
export const firstRefreshesApartMs = 1_000
/** The number of newest calls that are searched for an answer that the environment has already paid for. */
const recentCalls = 5_000

/**
 * Adds watches in the given order. An existing watch takes the new settings; if it is paused, the key of this call pays
 * for it from now on. A record that the environment has just paid for needs no first refresh.
 */
export async function addWatches({ db: tx, dialect }: Connection, args: AddWatches): Promise<AddedWatch[]> {
  const { environmentId, actor, at, maxCreditsPerMonth } = args
  if (maxCreditsPerMonth !== undefined) await setWatchBudget(tx, { environmentId, maxCredits: maxCreditsPerMonth, at })
  const added: AddedWatch[] = []
  const slots = {
    free: await firstFreeSlot(tx, environmentId, at),
    left: args.atMost - (await countWatches({ db: tx }, environmentId)),
  }
  const paidAt = await recentlyPaid(tx, environmentId)
  for (const chunk of inChunks(args.watches, 200)) {
    const entities = await entitiesOf(tx, chunk)
    for (const watch of chunk) {
      const entityId = entities.get(identifierKey(watch.identifier)) ?? null
      const known = await findWatch(tx, environmentId, watch.identifier, entityId)
      added.push(
        known ? await changeWatch(tx, known, watch, args) : await insertWatch(tx, watch, args, entityId, paidAt, slots),
      )
    }
  }
  if (actor !== null) {
    const after = {
      environment: environmentId,
      key: args.keyId,
      new: added.filter((one) => one.isNew).length,
      of: added.length,
    }
    await appendAudit(tx, dialect, {
      at,
      actor,
      action: 'watches.add',
      subject: await placeOf(tx, environmentId),
      after: { ...after, maxCreditsPerMonth },
    })
  }
  return added
}

async function placeOf(tx: Tx, environmentId: number): Promise<string> {
  const { project, name } = await tx
    .selectFrom('environments')
    .select(['project', 'name'])
    .where('id', '=', environmentId)
    .executeTakeFirstOrThrow()
  return `${project}/${name}`
}

async function insertWatch(
  tx: Tx,
  asked: NewWatch,
  args: AddWatches,
  entityId: number | null,
  paidAt: ReadonlyMap<number, number>,
  slots: { free: number; left: number },
): Promise<AddedWatch> {
  const { environmentId, keyId, at } = args
  const { identifier, everyDays = usualDays, note = null } = asked
  const { kind, type, value } = identifier
  if (slots.left-- <= 0) throw tooManyWatches()
  const lookedAt = entityId === null ? null : (paidAt.get(entityId) ?? null)
  // A record that was paid for more than an interval ago is due.
  const isPaid = lookedAt !== null && at - lookedAt < everyDays * dayMs
  const watch: StoredWatch = {
    id: `wat_${randomBytes(12).toString('hex')}`,
    account_id: environmentId,
    key_id: keyId,
    kind,
    type,
    value,
    entity_id: isPaid ? entityId : null,
    every_days: everyDays,
    note,
    created_at: at,
    next_due: isPaid ? lookedAt + everyDays * dayMs : slots.free,
    claimed_until: 0,
    lease: 0,
    reserved: 0,
    looked_at: isPaid ? lookedAt : null,
    seen_at: isPaid ? lookedAt : null,
    result: null,
    paused: null,
  }
  if (!isPaid) slots.free += firstRefreshesApartMs
  const made = await tx
    .insertInto('watches')
    .values(watch)
    .onConflict((conflict) => conflict.columns(['account_id', 'kind', 'type', 'value']).doNothing())
    .executeTakeFirst()
  if (Number(made.numInsertedOrUpdatedRows ?? 0) > 0) return { watch, isNew: true }
  // A concurrent call has just created it.
  const known = await findWatch(tx, args.environmentId, asked.identifier, null)
  if (!known) throw new Error('a watch disappeared while it was added')
  return changeWatch(tx, known, asked, args)
}

async function changeWatch(
  tx: Tx,
  known: StoredWatch,
  { everyDays, note }: NewWatch,
  { keyId, at }: AddWatches,
): Promise<AddedWatch> {
  const change: Partial<StoredWatch> = {
    ...(everyDays === undefined || everyDays === known.every_days ? {} : rescheduled(known, everyDays, at)),
    ...(note === undefined ? {} : { note }),
    ...(known.paused === null ? {} : { key_id: keyId, paused: null }),
  }
  if (Object.keys(change).length > 0) await tx.updateTable('watches').set(change).where('id', '=', known.id).execute()
  return { watch: { ...known, ...change }, isNew: false }
}

/** Never while a refresh runs: next_due is part of its idempotency key. */
function rescheduled(known: StoredWatch, everyDays: number, at: number): Partial<StoredWatch> {
  if (known.claimed_until > at || known.looked_at === null) return { every_days: everyDays }
  return { every_days: everyDays, next_due: Math.max(at, known.looked_at + everyDays * dayMs) }
}

async function findWatch(
  tx: Tx,
  environmentId: number,
  { kind, type, value }: Identifier,
  entityId: number | null,
): Promise<StoredWatch | undefined> {
  const ofEnvironment = tx
    .selectFrom('watches')
    .selectAll()
    .where('account_id', '=', environmentId)
    .where('kind', '=', kind)
  const byName = await ofEnvironment.where('type', '=', type).where('value', '=', value).executeTakeFirst()
  if (byName || entityId === null) return byName
  return ofEnvironment.where('entity_id', '=', entityId).orderBy('created_at').orderBy('id').executeTakeFirst()
}

/** The entities that hold these names now. */
async function entitiesOf(tx: Tx, watches: readonly NewWatch[]): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const kind of ['people', 'companies'] as const satisfies Kind[]) {
    const names = watches.map((watch) => watch.identifier).filter((identifier) => identifier.kind === kind)
    if (names.length === 0) continue
    const rows = await tx
      .selectFrom('aliases')
      .select(['type', 'value', 'entity_id'])
      .where(aliasIn(kind, names))
      .where('withdrawn', '=', 0)
      .execute()
    for (const { type, value, entity_id: id } of rows)
      if (id !== null) found.set(identifierKey({ kind, type, value }), id)
  }
  return found
}

/** When the environment last paid for each record among the service's newest calls. */
async function recentlyPaid(tx: Tx, environmentId: number): Promise<Map<number, number>> {
  const newest = tx.selectFrom('calls').selectAll().orderBy('at', 'desc').limit(recentCalls).as('newest')
  const rows = await tx
    .selectFrom(newest)
    .select(['entity_id', (eb) => eb.fn.max('at').as('paid_at')])
    .where('account_id', '=', environmentId)
    .where('mode', '=', 'live')
    .where('status', '=', 200)
    .where('entity_id', 'is not', null)
    .groupBy('entity_id')
    .execute()
  return new Map(rows.flatMap(({ entity_id: id, paid_at: at }): [number, number][] => (id === null ? [] : [[id, at]])))
}

async function firstFreeSlot(tx: Tx, environmentId: number, at: number): Promise<number> {
  const row = await tx
    .selectFrom('watches')
    .select((eb) => [eb.fn.max('next_due').as('last'), eb.fn.countAll<number>().as('count')])
    .where('account_id', '=', environmentId)
    .where('looked_at', 'is', null)
    .executeTakeFirstOrThrow()
  // `max` of no rows is null, although its type does not say so.
  const last: number | null = row.last
  if (last === null) return at
  // After those that wait, and no later: times beyond that were written by a wrong clock.
  const behind = Math.min(last + firstRefreshesApartMs, at + Number(row.count) * firstRefreshesApartMs)
  return Math.max(at, behind)
}

/** The failure of a call that would exceed the environment's limit of watches. */
export function tooManyWatches(): Failure {
  return new Failure('conflict', {
    detail:
      'The environment has reached its limit of watches. Remove some, or ask the operator for another environment.',
  })
}

/** The number of watches of an environment. */
export async function countWatches({ db }: Pick<Connection, 'db'>, environmentId: number): Promise<number> {
  const row = await db
    .selectFrom('watches')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', environmentId)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}
