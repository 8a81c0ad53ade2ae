import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/**
 * What is left of calls that retention removes: their number and credits by the day, so that usage still adds up to the ledger.
 * Of calls that were removed before this table was there the ledger knows all but what they were about.
 */
export const usageDays: Migration = {
  number: 8,
  name: 'usage-days',
  async up({ db }) {
    const statements = [
      `create table usage_days (
        day bigint not null, account_id bigint not null, key_id text not null, mode text not null, kind text not null,
        status integer not null, source text not null, tag text not null, calls bigint not null, credits bigint not null,
        primary key (day, account_id, key_id, mode, kind, status, source, tag))`,
      `insert into usage_days (day, account_id, key_id, mode, kind, status, source, tag, calls, credits)
        select at - at % 86400000, account_id, key_id, 'live', '', 200, '', '', count(*), sum(amount)
        from ledger_entries
        where kind in ('charge', 'capture') and at < coalesce((select min(at) from calls), 9007199254740991)
        group by at - at % 86400000, account_id, key_id`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
