import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** The pages behind derived company ids, and of which merges environments have still to be notified. */
export const companyPages: Migration = {
  number: 18,
  name: 'company pages',
  async up({ db }) {
    const statements = [
      'create table company_pages (company_id text primary key, slug text not null)',
      'create index company_pages_by_slug on company_pages (slug)',
      'alter table merged_entities add column kind text',
      'alter table merged_entities add column key text',
      'alter table merged_entities add column at bigint',
      // What was merged before is no news.
      'alter table merged_entities add column notified integer not null default 1',
      'create index merged_entities_to_notify on merged_entities (id) where notified = 0',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
