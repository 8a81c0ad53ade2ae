import type { Connection } from '../database/dialect.ts'
import type { NewEvent } from '../events/event.ts'
import { writeEvents } from '../events/event-upkeep.ts'
import { decimalOf, inMillionths } from '../foundation/money.ts'

interface Prices {
  /** The price of an answered call, by provider. */
  prices: Record<string, number>
  currency: string
  since: number
  at: number
}

/**
 * Notifies that a provider reports a higher cost than its configured price, once per price and report: credits for a
 * free call, or more than one credit per request.
 */
export async function noteCosts(
  { db: tx, dialect }: Connection,
  { prices, currency, since, at }: Prices,
): Promise<void> {
  const events: NewEvent[] = []
  for (const [provider, price] of Object.entries(prices)) {
    const reports = await tx
      .selectFrom('fetches')
      .select(['cost', 'requests'])
      .distinct()
      .where('at', '>=', since)
      .where('provider', '=', provider)
      .where('cost', '>', 0)
      .orderBy('cost', 'desc')
      .limit(10)
      .execute()
    const differs = reports.find(({ cost, requests }) => (cost ?? 0) > (price === 0 ? 0 : (requests ?? 1)))
    if (!differs) continue
    const { cost, requests } = differs
    const configured = decimalOf(inMillionths(price))
    const value = `${configured} ${cost}/${requests}`
    const noted = await tx
      .insertInto('settings')
      .values({ name: `events.cost_differs.${provider}`, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }).where('settings.value', '!=', value))
      .returning('name')
      .executeTakeFirst()
    const data = { provider, configured, currency, requests: requests ?? 1, reported: cost ?? 0 }
    if (noted) events.push({ type: 'provider.cost_differs', at, environmentId: null, data })
  }
  await writeEvents(tx, dialect, events)
}
