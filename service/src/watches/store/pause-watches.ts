import type { Kind } from '@vitae/contract'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import type { NewEvent } from '../../events/outbox/event.ts'
import { writeEvents } from '../../events/outbox/event-upkeep.ts'
import { utcDay, utcMonth } from '../../foundation/clock.ts'
import { addSpent, budgetSpent } from './watch-budget.ts'

interface PauseWatches {
  keyId: string
  environmentId: number
  /** Only watches of this kind, if the key may still use the other endpoint. */
  kind: Kind | null
  /** Why the key may not pay. */
  reason: string
  at: number
}

/**
 * Pauses all watches that a key may no longer pay for, and notifies its environment in the same transaction:
 * `ceiling.reached` or `credits.low`.
 */
export async function pauseWatches({ db: tx, dialect }: Connection, args: PauseWatches): Promise<void> {
  const { keyId, environmentId, kind, reason, at } = args
  const ofKey = tx
    .updateTable('watches')
    .set({ paused: reason })
    .where('key_id', '=', keyId)
    .where('paused', 'is', null)
    .$if(kind !== null, (query) => query.where('kind', '=', kind ?? 'people'))
  const paused = Number((await ofKey.executeTakeFirst()).numUpdatedRows)
  await releaseReserved(tx, keyId)
  if (paused > 0) await writeEvents(tx, dialect, await pauseEvents(tx, { keyId, environmentId, reason, at, paused }))
}

/** Refused refreshes cost nothing. A refresh that runs under its own lease is not paused, and its reservation stays. */
async function releaseReserved(tx: Tx, keyId: string): Promise<void> {
  const refused = await tx
    .selectFrom('watches')
    .select(['id', 'account_id', 'reserved'])
    .where('key_id', '=', keyId)
    .where('paused', 'is not', null)
    .where('reserved', '>', 0)
    .execute()
  for (const { id, account_id, reserved } of refused) {
    await addSpent(tx, account_id, -reserved)
    await tx.updateTable('watches').set({ reserved: 0, claimed_until: 0 }).where('id', '=', id).execute()
  }
}

async function pauseEvents(
  tx: Tx,
  { keyId, environmentId, reason, at, paused }: Omit<PauseWatches, 'kind'> & { paused: number },
): Promise<NewEvent[]> {
  if (reason === 'out_of_credits') {
    const row = await tx
      .selectFrom('environments')
      .selectAll()
      .where('id', '=', environmentId)
      .executeTakeFirstOrThrow()
    const data = { balance: row.balance, threshold: row.alert_credits_below ?? 0, watches_paused: paused }
    return [{ type: 'credits.low', at, environmentId, data }]
  }
  if (reason !== 'credit_ceiling_reached') return []
  const key = await tx.selectFrom('keys').selectAll().where('id', '=', keyId).executeTakeFirstOrThrow()
  const month = await spentIn(tx, key.spend_id, utcMonth(at))
  const isMonth = key.ceiling !== null && (key.daily_ceiling === null || month >= key.ceiling)
  const period = isMonth ? utcMonth(at) : utcDay(at)
  const ceiling = (isMonth ? key.ceiling : key.daily_ceiling) ?? 0
  const spent = isMonth ? month : await spentIn(tx, key.spend_id, period)
  const percent = ceiling === 0 ? 100 : Math.floor((100 * spent) / ceiling)
  return [
    {
      type: 'ceiling.reached',
      at,
      environmentId,
      data: { key: keyId, period, spent, ceiling, percent, watches_paused: paused },
    },
  ]
}

async function spentIn(tx: Tx, spendId: string, period: string): Promise<number> {
  const row = await tx
    .selectFrom('spend_periods')
    .select(['captured', 'held'])
    .where('spend_id', '=', spendId)
    .where('period', '=', period)
    .executeTakeFirst()
  return row ? row.captured + row.held : 0
}

export interface PausedKey {
  keyId: string
  environmentId: number
  kind: Kind
}

/** The keys whose watches are paused because they could not pay. */
export async function pausedKeys({ db }: Connection, _args: null): Promise<PausedKey[]> {
  const rows = await db
    .selectFrom('watches')
    .select(['key_id', 'account_id', 'kind'])
    .distinct()
    .where('paused', 'is not', null)
    .where('paused', '<>', budgetSpent)
    .execute()
  return rows.map(({ key_id: keyId, account_id: environmentId, kind }) => ({ keyId, environmentId, kind }))
}

/** The key may pay again: its watches resume, and refreshes that became due meanwhile run once. */
export async function resumeWatches({ db }: Connection, { keyId, kind }: PausedKey): Promise<void> {
  await db
    .updateTable('watches')
    .set({ paused: null })
    .where('key_id', '=', keyId)
    .where('kind', '=', kind)
    .where('paused', 'is not', null)
    .where('paused', '<>', budgetSpent)
    .execute()
}
