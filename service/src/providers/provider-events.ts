import type { Database, Tx } from '../database/dialect.ts'
import type { NewEvent } from '../events/event.ts'
import { writeEvents } from '../events/write-events.ts'
import { isoTime } from '../foundation/clock.ts'

interface Seen {
  /** Providers whose circuit breaker has opened since the last time, and what their last fault was. */
  opened: { provider: string; reason: string | null }[]
  /** Providers that answer, and when they last did. */
  answering: { provider: string; at: number }[]
  at: number
}

/**
 * Notifies that providers are down or answer again, as one node sees it: each is notified once for all nodes, because what is
 * known to be down is kept in the database. Also a provider that was down when its node ended is notified as back.
 */
export async function noteProviders(database: Database, { opened, answering, at }: Seen): Promise<void> {
  const down = await database.read(({ db }) =>
    db.selectFrom('provider_states').select('provider').where('down_since', 'is not', null).execute(),
  )
  const isDown = new Set(down.map((row) => row.provider))
  const falling = opened.filter(({ provider }) => !isDown.has(provider))
  const rising = answering.filter(({ provider }) => isDown.has(provider))
  if (falling.length + rising.length === 0) return
  await database.write(async ({ db: tx, dialect }) => {
    const events: NewEvent[] = []
    for (const { provider, reason } of falling)
      if (await markDown(tx, provider, at))
        events.push({ type: 'provider.down', at, accountId: null, data: { provider, reason } })
    for (const { provider, at: answeredAt } of rising) {
      const since = await markUp(tx, provider, answeredAt)
      if (since === null) continue
      const data = { provider, down_since: isoTime(since) }
      events.push({ type: 'provider.recovered', at, accountId: null, data })
    }
    await writeEvents(tx, dialect, events)
  })
}

/** False where another node was first. */
async function markDown(tx: Tx, provider: string, at: number): Promise<boolean> {
  const marked = await tx
    .insertInto('provider_states')
    .values({ provider, paused: 0, changed_at: 0, down_since: at })
    .onConflict((conflict) =>
      conflict.column('provider').doUpdateSet({ down_since: at }).where('provider_states.down_since', 'is', null),
    )
    .returning('provider')
    .executeTakeFirst()
  return marked !== undefined
}

/** Since when it was down; null where it was not, or has not answered since. */
async function markUp(tx: Tx, provider: string, answeredAt: number): Promise<number | null> {
  const row = await tx
    .selectFrom('provider_states')
    .select('down_since')
    .where('provider', '=', provider)
    .executeTakeFirst()
  const since = row?.down_since ?? null
  if (since === null || since >= answeredAt) return null
  const marked = await tx
    .updateTable('provider_states')
    .set({ down_since: null })
    .where('provider', '=', provider)
    .where('down_since', '=', since)
    .returning('provider')
    .executeTakeFirst()
  return marked ? since : null
}
