import type { Tx } from '../../../database/dialect.ts'

/** Shorter answers, such as "ok", name nobody. */
const shortestAnswer = 16

/** What receivers answered to events about these records, as the store's files hold it. */
export async function deliveryAnswers(tx: Tx, entityIds: readonly number[]): Promise<Uint8Array[]> {
  const rows = await tx
    .selectFrom('webhook_deliveries')
    .select('answer')
    .where('entity_id', 'in', [...entityIds, -1])
    .execute()
  return rows.flatMap(({ answer }) => (answer.length < shortestAnswer ? [] : [new Uint8Array(Buffer.from(answer))]))
}

/** Removes the log of deliveries of events about these records, and what is still to be delivered. */
export async function removeDeliveries(tx: Tx, entityIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('webhook_deliveries')
    .where('entity_id', 'in', [...entityIds, -1])
    .execute()
  await tx
    .deleteFrom('webhook_retries')
    .where('entity_id', 'in', [...entityIds, -1])
    .execute()
}
