/**
 * `node scripts/audit-ledger.ts`: an independent audit of the ledger. It knows only the tables, no code of the service.
 */
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { Client } from 'pg'

const usage = `node scripts/audit-ledger.ts FILE|postgres://... [--json]

Recomputes balances, holds, limits and receipts of a store from its rows, with SQL only, and lists all differences. It changes nothing.
Exits with 1 if it finds a difference. The store may be in use, on PostgreSQL and on SQLite, whose write-ahead log is read too.

Examples:
  node scripts/audit-ledger.ts data/vitae.db
  node scripts/audit-ledger.ts postgres://vitae@127.0.0.1/vitae --json`

/** A figure that differs from the one computed from the rows. */
export interface Finding {
  rule: string
  what: string
  expected: number
  actual: number
}

type Run = (sql: string) => Promise<Record<string, unknown>[]>

const balance = `case kind when 'grant' then amount when 'adjustment' then amount when 'charge' then -amount when 'capture' then -amount else 0 end`
const captured = `case when kind in ('charge', 'capture') then amount else 0 end`
const held = `case kind when 'hold' then amount when 'release' then -amount when 'capture' then -coalesce(held_amount, 0) else 0 end`
const spends = `kind in ('charge', 'capture')`
const sum = (change: string) => `cast(coalesce(sum(${change}), 0) as bigint)`

/** Compares the results of two queries row by row. A missing row counts as zero. */
function compared(expected: string, actual: string): string {
  return `select coalesce(e.what, a.what) as what, coalesce(e.figure, 0) as expected, coalesce(a.figure, 0) as actual
    from (${expected}) e full join (${actual}) a on a.what = e.what where coalesce(e.figure, 0) <> coalesce(a.figure, 0)`
}

const perEnvironment = (change: string) =>
  `select 'environment ' || account_id as what, ${sum(change)} as figure from ledger_entries group by account_id`
const perMonth = (change: string) => `select spend_id || ' in ' || month as what, ${sum(change)} as figure
  from ledger_entries where spend_id is not null group by spend_id, month`
const perBudget = (
  change: string,
) => `select 'environment ' || account_id || ' in ' || month as what, ${sum(change)} as figure
  from ledger_entries join environments on environments.id = account_id
  where spend_id is not null and monthly_budget is not null group by account_id, month`
const kept = (column: string, where: string) =>
  `select spend_id || ' in ' || period as what, ${column} as figure from spend_periods where ${where}`
const ofKey = `length(period) = 7 and spend_id not like 'environment %'`
const ofBudget = `length(period) = 7 and spend_id like 'environment %'`

/** An entry that ends a hold counts on the day of the hold. */
const perDay = (
  change: string,
  day: string,
) => `select spend_id || ' in ' || ${day} as what, ${sum(change)} as figure from (
    select entry.*, keys.days_from, coalesce((select placed.at from ledger_entries placed where placed.request_id = entry.hold_id
      and placed.kind = 'hold' and placed.id <= entry.id order by placed.id desc limit 1), entry.at) as counted_at
    from ledger_entries entry join keys on keys.id = entry.key_id where keys.days_from is not null) dated
  where counted_at - counted_at % 86400000 >= days_from group by spend_id, ${day}`

/** Marks days whose calls retention removes: then the sums of the day are all that is left of them. */
const countedRemoved = 2 ** 52
const removedDay = (day: string) =>
  `select 1 from summed_days where what = 'calls' and rows >= ${countedRemoved} and summed_days.day = ${day}`

/** Every rule as a query for the rows that break it. */
function rulesOf(day: string): Record<string, string> {
  return {
    'the balance is the sum of its entries': compared(
      perEnvironment(balance),
      `select 'environment ' || id as what, balance as figure from environments`,
    ),
    'what is held is the sum of its entries': compared(
      perEnvironment(held),
      `select 'environment ' || id as what, held as figure from environments`,
    ),
    'what is held is the sum of the holds': compared(
      `select 'environment ' || account_id as what, ${sum('amount')} as figure from holds group by account_id`,
      `select 'environment ' || id as what, held as figure from environments`,
    ),
    'a hold is there until its end, with its amount': compared(
      `select 'hold ' || hold_id as what, ${sum(held)} as figure from ledger_entries where hold_id is not null group by hold_id`,
      `select 'hold ' || id as what, amount as figure from holds`,
    ),
    'a hold ends once': `select 'hold ' || hold_id as what, sum(case when kind = 'hold' then 1 else 0 end) as expected,
      sum(case when kind = 'hold' then 0 else 1 end) as actual from ledger_entries where hold_id is not null
      group by hold_id having sum(case when kind = 'hold' then 0 else 1 end) > sum(case when kind = 'hold' then 1 else 0 end)`,
    'nobody spends more than there is': `select 'environment ' || id as what, balance as expected, held as actual
      from environments where held > balance and not exists (select 1 from ledger_entries
        where account_id = environments.id and kind = 'adjustment' and amount < 0)`,
    'captured in a month': compared(perMonth(captured), kept('captured', ofKey)),
    'held in a month': compared(perMonth(held), kept('held', ofKey)),
    'captured of a budget': compared(perBudget(captured), kept('captured', ofBudget)),
    'held of a budget': compared(perBudget(held), kept('held', ofBudget)),
    'captured in a day': compared(perDay(captured, day), kept('captured', 'length(period) = 10')),
    'held in a day': compared(perDay(held, day), kept('held', 'length(period) = 10')),
    'no key passes its ceiling': ceilings('ceiling', 7),
    'no key passes its daily ceiling': ceilings('daily_ceiling', 10),
    'a request is charged once': `select 'request ' || request_id as what, 1 as expected, count(*) as actual
      from ledger_entries where ${spends} and request_id is not null group by request_id having count(*) > 1`,
    'a charge has its receipt': `select 'request ' || entry.request_id as what, entry.amount as expected, coalesce(calls.credits, 0) as actual
      from ledger_entries entry left join calls on calls.request_id = entry.request_id
      where entry.${spends} and entry.request_id is not null and coalesce(calls.credits, -1) <> entry.amount
        and (calls.request_id is not null or entry.at > (select min(at) from calls))`,
    'a receipt has its charge': `select 'request ' || calls.request_id as what, 0 as expected, calls.credits as actual
      from calls where credits <> 0 and not exists (select 1 from ledger_entries entry
        where entry.request_id = calls.request_id and entry.${spends} and entry.account_id = calls.account_id)`,
    'receipts and folded days are all that was charged': compared(
      `select 'environment ' || account_id as what, ${sum(captured)} as figure from ledger_entries group by account_id`,
      `select 'environment ' || account_id as what, ${sum('credits')} as figure from (select account_id, credits from calls
          where not exists (${removedDay('calls.at - calls.at % 86400000')})
        union all select account_id, credits from key_days where exists (${removedDay('key_days.day')})
        union all select account_id, credits from calls where exists (${removedDay('calls.at - calls.at % 86400000')} and rows = ${countedRemoved})
        ) told group by account_id`,
    ),
    'a running call has its hold': `select 'request ' || request_id as what, 1 as expected, 0 as actual from idempotency
      where state = 'running' and not exists (select 1 from holds where holds.id = idempotency.request_id)`,
  }
}

/**
 * A chain of rotated keys shares its ceiling. Keys with a later changed ceiling are skipped, because they may have
 * spent more before.
 */
function ceilings(column: string, length: number): string {
  return `select 'key ' || chain.spend_id || ' in ' || period as what, most as expected, captured + spend_periods.held as actual
    from (select spend_id, max(${column}) as most from keys group by spend_id having count(*) = count(${column})) chain
    join spend_periods on spend_periods.spend_id = chain.spend_id and length(period) = ${length}
    where captured + spend_periods.held > most and not exists (select 1 from audit join keys on keys.id = audit.subject
      where keys.spend_id = chain.spend_id and action = 'key.update')`
}

/** The UTC day of a time, as `2026-11-14`. */
const dayOf = {
  sqlite: `date(counted_at / 1000, 'unixepoch')`,
  postgres: `to_char(to_timestamp(counted_at / 1000) at time zone 'UTC', 'YYYY-MM-DD')`,
}

/** All rows of a store that break a rule. */
export async function auditLedger(run: Run, engine: 'sqlite' | 'postgres'): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [rule, sql] of Object.entries(rulesOf(dayOf[engine])))
    for (const { what, expected, actual } of await run(sql))
      findings.push({ rule, what: String(what), expected: Number(expected), actual: Number(actual) })
  return findings
}

/** Reads an SQLite file in one snapshot. */
async function auditSqlite(path: string): Promise<Finding[]> {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    database.exec('begin')
    return await auditLedger(async (sql) => database.prepare(sql).all(), 'sqlite')
  } finally {
    database.close()
  }
}

/** Reads a PostgreSQL store in one snapshot. */
async function auditPostgres(url: string): Promise<Finding[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    return await auditLedger(async (sql) => (await client.query<Record<string, unknown>>(sql)).rows, 'postgres')
  } finally {
    await client.end()
  }
}

/** Audits a store by its URL or path, and returns the findings as texts. */
export async function auditWords(store: string): Promise<string[]> {
  const findings = await (/^postgres(ql)?:/.test(store) ? auditPostgres(store) : auditSqlite(store))
  return findings.map(({ rule, what, expected, actual }) => `${rule}: ${what} has ${actual} and not ${expected}`)
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  })
  const [store] = positionals
  if (values.help || store === undefined) console.log(usage)
  else {
    const words = await auditWords(store)
    console.log(values.json ? JSON.stringify({ findings: words }) : words.join('\n') || 'Everything agrees.')
    process.exitCode = words.length > 0 ? 1 : 0
  }
}
