import { sql } from 'kysely'
import type { Connection, Tx } from '../../database/dialect.ts'
import type { Difference, LedgerReport } from './verify-ledger.ts'

/**
 * Checks the newest part of the ledger, in a moment however long the ledger is: what environments hold against the open
 * holds, and each of the newest charges against its call. `verifyLedger` recomputes everything.
 */
export async function verifyNewestEntries({ db: tx }: Connection, { limit }: { limit: number }): Promise<LedgerReport> {
  const charges = await newestCharges(tx, limit)
  const wrong = charges.flatMap(({ request, amount, credits }): Difference[] =>
    amount === credits ? [] : [{ what: `charge of call ${request}`, expected: amount, actual: credits }],
  )
  const differences = [...(await compareHeld(tx)), ...wrong]
  return { ok: differences.length === 0, entries: charges.length, differences }
}

async function newestCharges(tx: Tx, limit: number): Promise<{ request: string; amount: number; credits: number }[]> {
  const { rows } = await sql<{ request: string; amount: number; credits: number }>`
    select calls.request_id as request, newest.amount as amount, calls.credits as credits
    from (select request_id, kind, amount from ledger_entries order by id desc limit ${limit}) as newest
    join calls on calls.request_id = newest.request_id where newest.kind in ('charge', 'capture')`.execute(tx)
  return rows
}

async function compareHeld(tx: Tx): Promise<Difference[]> {
  const { rows } = await sql<{ project: string; name: string; expected: number; actual: number }>`
    select project, name, coalesce(open.amount, 0) as expected, held as actual
    from environments left join
      (select account_id, cast(sum(amount) as bigint) as amount from holds group by account_id) as open
      on open.account_id = environments.id
    where held <> coalesce(open.amount, 0)`.execute(tx)
  return rows.map(({ project, name, expected, actual }) => ({ what: `held of ${project}/${name}`, expected, actual }))
}
