import { sql, type RawBuilder } from 'kysely'
import type { Dialect, Tx } from '../dialect.ts'
import { dayMs } from '../../foundation/clock.ts'

/** Adds calls that are about to be removed to the counts of their days. */
export async function aggregateCalls(tx: Tx, table: string, condition: RawBuilder<unknown>): Promise<void> {
  const day = sql`at - at % ${sql.lit(dayMs)}`
  await sql`
    insert into usage_days (day, account_id, key_id, mode, kind, status, source, tag, calls, credits)
    select ${day}, account_id, key_id, mode, kind, status, coalesce(source, ''), coalesce(tag, ''),
      count(*) + coalesce(sum(repeats), 0), sum(credits)
    from ${sql.table(table)} where ${condition}
    group by ${day}, account_id, key_id, mode, kind, status, coalesce(source, ''), coalesce(tag, '')
    on conflict (day, account_id, key_id, mode, kind, status, source, tag)
    do update set calls = usage_days.calls + excluded.calls, credits = usage_days.credits + excluded.credits`.execute(
    tx,
  )
  // The sums of a day do not change; only its remaining rows become fewer.
  await sql`
    update summed_days set rows = summed_days.rows - removed.rows
    from (select ${day} as day, count(*) as rows from ${sql.table(table)} where ${condition} group by ${day}) as removed
    where summed_days.what = 'calls' and summed_days.day = removed.day`.execute(tx)
  await sql`
    insert into statement_sums (account_id, month, what, name, each, kind, source, tag, calls, amount)
    select entry.account_id, entry.month, 'line', coalesce(price, ''), entry.amount, removed.kind, coalesce(source, ''),
      coalesce(tag, ''), count(*), sum(entry.amount)
    from (select * from ${sql.table(table)} where ${condition}) as removed
      join ledger_entries as entry on entry.request_id = removed.request_id
    where entry.kind in ('charge', 'capture') and removed.status = 200 and ${isOpen('entry.account_id', sql`entry.month`)}
    group by 1, 2, 3, 4, 5, 6, 7, 8
    ${addToSums}`.execute(tx)
}

const addToSums = sql`on conflict (account_id, month, what, name, each, kind, source, tag)
  do update set calls = statement_sums.calls + excluded.calls, amount = statement_sums.amount + excluded.amount`

function isOpen(account: string, month: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`not exists (select 1 from statements
    where statements.account_id = ${sql.ref(account)} and statements.month >= ${month})`
}

/** Adds the provider costs of removed calls to the sums of their month, while its statement is not closed. */
export async function aggregateCosts(
  tx: Tx,
  dialect: Dialect,
  table: string,
  condition: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    insert into statement_sums (account_id, month, what, name, each, kind, source, tag, calls, amount)
    select account_id, month, 'cost', provider, 0, '', '', '', calls, amount
    from (${providerCosts(dialect, table, condition)}) as costs
    where ${isOpen('costs.account_id', sql`costs.month`)}
    ${addToSums}`.execute(tx)
}

/**
 * The provider costs of calls in millionths, by environment, month and provider. `details` is the table of their
 * explanations.
 */
export function providerCosts(dialect: Dialect, details: string, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const isPostgres = dialect === 'postgres'
  const [attempts, value] = isPostgres
    ? [sql`json_array_elements(cast(details.explanation as json) -> 'attempts') as attempt`, sql`attempt`]
    : [sql`json_each(details.explanation, '$.attempts') as attempt`, sql`attempt.value`]
  const cost = isPostgres ? sql`cast(attempt ->> 'cost' as numeric)` : sql`json_extract(attempt.value, '$.cost')`
  const month = isPostgres
    ? sql`to_char(to_timestamp(calls.at / 1000) at time zone 'UTC', 'YYYY-MM')`
    : sql`strftime('%Y-%m', calls.at / 1000, 'unixepoch')`
  return sql`
    select calls.account_id as account_id, ${month} as month, ${value} ->> 'provider' as provider, count(*) as calls,
      cast(sum(cast(round(${cost} * 1000000) as bigint)) as bigint) as amount
    from ${sql.table(details)} as details join calls on calls.request_id = details.request_id
      cross join ${attempts}
    where ${condition} and ${cost} > 0 and details.explanation not like '%"presumed":true%'
    group by 1, 2, 3`
}
