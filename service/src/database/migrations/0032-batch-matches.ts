import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Rows of batches that are matches, that come with other columns, and that share one answer with others that ask for the same. */
export const batchMatches: Migration = {
  number: 32,
  name: 'batch matches',
  async up({ db }) {
    const statements = [
      'alter table batch_rows add column subject text',
      'alter table batch_rows add column names text',
      'alter table batch_rows add column question text',
      'alter table batch_rows add column columns text',
      'alter table batch_results add column detail text',
      'alter table batch_results add column likelihood double precision',
      'alter table batch_results add column matched_on text',
      'create index batch_results_request on batch_results (batch_id, request_id)',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
