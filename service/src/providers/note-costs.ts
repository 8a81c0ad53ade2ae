import type { Connection, Tx } from '../database/engine/dialect.ts'
import type { NewEvent } from '../events/outbox/event.ts'
import { writeEvents } from '../events/outbox/event-upkeep.ts'
import { decimalOf, inMillionths } from '../foundation/money.ts'

interface Prices {
  /** The price of an answered call, by provider. */
  prices: Record<string, number>
  currency: string
  since: number
  at: number
}

/**
 * Writes an event if a provider reports more than its configured price: credits for a free call, or more than one credit per request.
 * One event per price, and another one only for a higher report, because the cost of answers varies.
 */
export async function noteCosts(
  { db: tx, dialect }: Connection,
  { prices, currency, since, at }: Prices,
): Promise<void> {
  const events: NewEvent[] = []
  for (const [provider, price] of Object.entries(prices)) {
    const report = await highestReport(tx, provider, since)
    if (!report || report.each <= (price === 0 ? 0 : 1)) continue
    const configured = decimalOf(inMillionths(price))
    const name = `events.cost_differs.${provider}`
    const before = await tx.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
    const [notedPrice, notedEach] = (before?.value ?? '').split(' ')
    if (notedPrice === configured && Number(notedEach) >= report.each) continue
    const value = `${configured} ${report.each}`
    const noted = await tx
      .insertInto('settings')
      .values({ name, value })
      // Another node may have been faster.
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ value })
          .where('settings.value', '=', before?.value ?? ''),
      )
      .returning('name')
      .executeTakeFirst()
    const data = { provider, configured, currency, requests: report.requests, reported: report.cost }
    if (noted) events.push({ type: 'provider.cost_differs', at, environmentId: null, data })
  }
  await writeEvents(tx, dialect, events)
}

interface Report {
  cost: number
  requests: number
  /** Credits per request. */
  each: number
}

/** Finds the report with the most credits per request. */
async function highestReport(tx: Tx, provider: string, since: number): Promise<Report | undefined> {
  const reports = await tx
    .selectFrom('fetches')
    .select(['cost', 'requests'])
    .distinct()
    .where('at', '>=', since)
    .where('provider', '=', provider)
    .where('cost', '>', 0)
    .execute()
  return reports
    .map(({ cost, requests }) => ({ cost: cost ?? 0, requests: requests || 1, each: (cost ?? 0) / (requests || 1) }))
    .toSorted((one, other) => other.each - one.each)[0]
}
