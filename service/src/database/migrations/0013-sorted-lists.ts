import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Lists of the console that are sorted and filtered in the store: each order and filter has its index. */
export const sortedLists: Migration = {
  number: 13,
  name: 'sorted lists',
  async up({ db }) {
    const statements = [
      'create index projects_by_time on projects (created_at, name)',
      'create index keys_by_time on keys (created_at, id)',
      'create index keys_by_project on keys (project, created_at, id)',
      'create index keys_by_use on keys (coalesce(last_used_at, 0), id)',
      'create index suppressions_by_time on suppressions (created_at, hash)',
      'create index suppressions_by_origin on suppressions (origin, created_at, hash)',
      'create index audit_by_subject on audit (subject, id)',
      'create index audit_by_actor on audit (actor, id)',
      'create index audit_by_action on audit (action, id)',
      'create index sessions_by_time on sessions (created_at, hash)',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
