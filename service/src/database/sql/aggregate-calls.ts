import { sql, type RawBuilder } from 'kysely'
import type { Dialect, Tx } from '../engine/dialect.ts'
import { dayMs } from '../../foundation/clock.ts'
import { finalRows } from './summed-days.ts'

/** Adds calls that came after retention had emptied their day to its sums, without their durations. */
export async function addLateCalls(tx: Tx, table: string, condition: RawBuilder<unknown>): Promise<void> {
  const late = sql`${sql.table(table)} where ${condition}
    and at - at % ${sql.lit(dayMs)} in (select day from summed_days where what = 'calls' and rows = ${sql.lit(finalRows)})`
  const counted = sql`count(*) + coalesce(sum(repeats), 0), sum(credits)`
  const facts = sql`at - at % ${sql.lit(dayMs)}, account_id, mode, kind, status, coalesce(source, '')`
  await sql`
    insert into key_days (day, account_id, mode, kind, status, source, key_id, tag, calls, credits)
    select ${facts}, key_id, coalesce(tag, ''), ${counted} from ${late} group by 1, 2, 3, 4, 5, 6, 7, 8
    on conflict (day, account_id, key_id, mode, kind, status, source, tag) do update
    set calls = key_days.calls + excluded.calls, credits = key_days.credits + excluded.credits`.execute(tx)
  await sql`
    insert into environment_days (day, account_id, mode, kind, status, source, durations, calls, credits)
    select ${facts}, '', ${counted} from ${late} group by 1, 2, 3, 4, 5, 6
    on conflict (day, account_id, mode, kind, status, source) do update
    set calls = environment_days.calls + excluded.calls, credits = environment_days.credits + excluded.credits`.execute(
    tx,
  )
}

/** Adds the charges of calls that are about to be removed to the sums of their month, while its statement is not closed. */
export async function aggregateCharges(tx: Tx, table: string, condition: RawBuilder<unknown>): Promise<void> {
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
  const isPostgres = dialect.name === 'postgres'
  const [attempts, value] = isPostgres
    ? [sql`json_array_elements(cast(details.explanation as json) -> 'attempts') as attempt`, sql`attempt`]
    : [sql`json_each(details.explanation, '$.attempts') as attempt`, sql`attempt.value`]
  const cost = isPostgres ? sql`cast(attempt ->> 'cost' as numeric)` : sql`json_extract(attempt.value, '$.cost')`
  return sql`
    select calls.account_id as account_id, ${dialect.utcMonth(sql`calls.at`)} as month, ${value} ->> 'provider' as provider, count(*) as calls,
      cast(sum(cast(round(${cost} * 1000000) as bigint)) as bigint) as amount
    from ${sql.table(details)} as details join calls on calls.request_id = details.request_id
      cross join ${attempts}
    where ${condition} and ${cost} > 0 and details.explanation not like '%"presumed":true%'
    group by 1, 2, 3`
}
