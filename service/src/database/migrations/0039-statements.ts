import type { Migration } from '../engine/migration.ts'

/** Statements of closed months, and the remains of calls that retention removed before their month was closed. */
export const statements: Migration = {
  number: 39,
  name: 'statements',
  statements: [
    `create table statements (
      account_id bigint not null, month text not null, body text not null, digest text not null,
      last_entry bigint not null, closed_at bigint not null, primary key (account_id, month))`,
    `create table statement_sums (
      account_id bigint not null, month text not null, what text not null, name text not null, each bigint not null,
      kind text not null, source text not null, tag text not null, calls bigint not null, amount bigint not null,
      primary key (account_id, month, what, name, each, kind, source, tag))`,
  ],
}
