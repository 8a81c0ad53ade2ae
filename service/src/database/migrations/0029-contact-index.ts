import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** What leads from e-mail addresses, phone numbers and whole questions to entities: keyed hashes, never the texts. */
export const contactIndex: Migration = {
  number: 29,
  name: 'contact index',
  async up({ db }) {
    const statements = [
      `create table contact_index (
        kind text not null,
        type text not null,
        value text not null,
        entity_id bigint not null,
        origin text not null,
        likelihood double precision not null,
        matched_on text not null,
        at bigint not null,
        primary key (value, entity_id)
      )`,
      'create index contact_index_by_entity on contact_index (entity_id)',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
