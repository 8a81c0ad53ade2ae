import type { Dialect } from '../engine/dialect.ts'
import type { Migration } from '../engine/migration.ts'

function joined(dialect: Dialect, text: string): string {
  return `${dialect.name === 'sqlite' ? 'group_concat' : 'string_agg'}(${text}, ' ')`
}

/** Durations in steps of at most ten percent, as they were when migration 44 was written. */
const step = `case
  when duration_ms < 100 then cast(duration_ms as integer)
  when duration_ms < 1000 then cast(duration_ms / 10 as integer) * 10
  when duration_ms < 10000 then cast(duration_ms / 100 as integer) * 100
  else cast(duration_ms / 1000 as integer) * 1000 end`

const tablesWithChecksum = [
  'ledger_entries',
  'idempotency',
  'calls',
  'call_details',
  'versions',
  'folds',
  'fetches',
  'mentions',
  'events',
]

/** Migrations 43 to 58; the next one is added at the end of the list. */
export const migrations43To58: readonly Migration[] = [
  /** No webhook keeps the order of events across a failure any more. Older nodes read the column, so it stays. */
  {
    number: 43,
    name: 'unordered webhooks',
    statements: ['update webhooks set ordered = 0 where ordered <> 0'],
  },
  /**
   * Sums of days cover removed calls, so that their own table goes. A day from which calls were removed becomes final:
   * more rows than it can have keep every node from summing it again (`isFinal`). Older nodes may read the table, which is empty,
   * but remove no calls.
   */
  {
    number: 44,
    name: 'final days',
    statements: ({ dialect }) => [
      `create temporary table removed_days as select distinct day from usage_days
        where day not in (select day from summed_days where what = 'calls')`,
      `create temporary table removed_calls as
        select day, account_id, key_id, mode, kind, status, source, tag, calls, credits, cast(null as text) as durations
        from usage_days where day in (select day from removed_days)
        union all
        select day, account_id, key_id, mode, kind, status, source, tag, sum(calls), sum(credits),
          ${joined(dialect, "step || ':' || calls")}
        from (select at - at % 86400000 as day, account_id, key_id, mode, kind, status, coalesce(source, '') as source,
            coalesce(tag, '') as tag, ${step} as step, count(*) + coalesce(sum(repeats), 0) as calls,
            sum(credits) as credits
          from calls where at < (select max(day) + 86400000 from removed_days)
            and at - at % 86400000 in (select day from removed_days)
          group by 1, 2, 3, 4, 5, 6, 7, 8, 9) as counted
        group by 1, 2, 3, 4, 5, 6, 7, 8`,
      `insert into key_days (day, account_id, key_id, mode, kind, status, source, tag, calls, credits)
        select day, account_id, key_id, mode, kind, status, source, tag, sum(calls), sum(credits)
        from removed_calls group by 1, 2, 3, 4, 5, 6, 7, 8`,
      `insert into environment_days (day, account_id, mode, kind, status, source, calls, credits, durations)
        select day, account_id, mode, kind, status, source, sum(calls), sum(credits),
          coalesce(${joined(dialect, 'durations')}, '')
        from removed_calls group by 1, 2, 3, 4, 5, 6`,
      `insert into summed_days (what, day, rows, sums, made)
        select 'calls', day, (select count(*) from calls where at >= day and at < day + 86400000), count(*), 0
        from removed_calls group by day`,
      `update summed_days set rows = rows + ${2 ** 52}
        where what = 'calls' and day in (select day from usage_days)`,
      'drop table removed_calls',
      'drop table removed_days',
      ...(dialect.name === 'sqlite'
        ? ['drop table usage_days']
        : ['delete from usage_days', 'alter table usage_days add constraint no_more check (calls < 0)']),
    ],
  },
  /** Whole lists as files, in compressed parts, so that every node can serve them. They are kept for a day. */
  {
    number: 45,
    name: 'exports',
    statements: ({ types }) => [
      `create table exports (
        id text primary key, actor text not null, role text not null, project text, list text not null, ask text not null,
        names_records integer not null, state text not null, detail text, row_count bigint not null default 0,
        byte_count bigint not null default 0, created_at bigint not null, expires_at bigint not null,
        runner text, lease_until bigint not null default 0, lease bigint not null default 0)`,
      'create index exports_by_expiry on exports (expires_at)',
      `create table export_parts (
        export_id text not null, number integer not null, body ${types.blob} not null, primary key (export_id, number))`,
    ],
  },
  /**
   * Rewrites of PostgreSQL's tables, which remove the bytes of deleted rows, and the one that ends each erasure: 0 if
   * no bytes are left, null while it is in progress. Erasures of older nodes end with their own rewrite.
   */
  {
    number: 46,
    name: 'daily rewrites',
    statements: [
      'create table rewrites (number bigint primary key, since bigint not null, began_at bigint, ended_at bigint)',
      'alter table suppressions add column rewrite_number bigint default 0',
    ],
  },
  /**
   * Nodes number their notices of begun rate-limit windows; null is a node of an earlier version. Only those use the
   * reports of rates.
   */
  {
    number: 47,
    name: 'window notices',
    statements: ({ dialect }) => [
      'alter table nodes add column notices bigint',
      ...(dialect.name === 'sqlite' ? ['drop table rate_reports'] : []),
    ],
  },
  /** Changes nothing, but keeps versions from opening the store that cannot read records packed with a dictionary. */
  { number: 48, name: 'dictionary' },
  /** A checksum of each row, see `packing/row-checksum.ts`; null in rows of earlier versions. */
  {
    number: 49,
    name: 'row checksums',
    statements: tablesWithChecksum.map((table) => `alter table ${table} add column checksum integer`),
  },
]
