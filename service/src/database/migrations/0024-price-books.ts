import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Price books, and by which of them a call was charged. */
export const priceBooks: Migration = {
  number: 24,
  name: 'price books',
  async up({ db }) {
    const statements = [
      `create table price_books (
        version bigint primary key, valid_from bigint not null, lines text not null, parts text not null,
        set_at bigint not null, actor text not null)`,
      `alter table calls add column price text`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
