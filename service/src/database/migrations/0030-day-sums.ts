import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Calls and credits of days that are over, so that reports of months need not read every call again. */
export const daySums: Migration = {
  number: 30,
  name: 'day sums',
  async up({ db, dialect }) {
    const clustered = dialect === 'sqlite' ? 'without rowid' : ''
    const statements = [
      `create table summed_days (
        what text not null, day bigint not null, rows bigint not null, sums bigint not null, made bigint not null,
        primary key (what, day))`,
      `create table environment_days (
        day bigint not null, account_id bigint not null, mode text not null, kind text not null, status integer not null,
        source text not null, calls bigint not null, credits bigint not null, durations text not null,
        primary key (day, account_id, mode, kind, status, source)) ${clustered}`,
      `create table key_days (
        day bigint not null, account_id bigint not null, key_id text not null, mode text not null, kind text not null,
        status integer not null, source text not null, tag text not null, calls bigint not null, credits bigint not null,
        primary key (day, account_id, key_id, mode, kind, status, source, tag)) ${clustered}`,
      `create table provider_days (
        day bigint not null, provider text not null, kind text not null, outcome text not null, calls bigint not null,
        cost double precision not null, costed bigint not null, requests bigint not null,
        primary key (day, provider, kind, outcome)) ${clustered}`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
