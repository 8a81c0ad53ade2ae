import type { Transaction } from 'kysely'
import { searchWords } from '../../foundation/text/fold-text.ts'
import type { Tables } from '../tables/tables.ts'
import type { Migration } from '../engine/migration.ts'

/**
 * The operator's search by any word of a name, and a list of records that is sorted and filtered by indexes. Stored
 * records are found by their names at once, and by their current company from their next version on.
 */
export const recordSearch: Migration = {
  number: 2,
  name: 'record-search',
  statements({ dialect }) {
    // Compared as bytes on both engines, so that a prefix is one range.
    const word = dialect.name === 'postgres' ? 'text collate "C"' : 'text'
    const rows = dialect.name === 'sqlite' ? 'without rowid' : ''
    return [
      'alter table entities add column provider text',
      'alter table entities add column fetched_at bigint not null default 0',
      'alter table entities add column thin integer not null default 0',
      'alter table entities add column words text',
      `update entities set provider = v.provider, fetched_at = v.fetched_at, thin = v.thin
        from versions as v where v.id = entities.version_id`,
      `create table entity_words (
        kind text not null, word ${word} not null, entity_id bigint not null, primary key (kind, word, entity_id)) ${rows}`,
      'create index entities_by_time on entities (kind, fetched_at, id)',
      'create index entities_by_provider on entities (kind, provider, fetched_at, id)',
      'create index entities_thin on entities (kind, fetched_at, id) where thin = 1',
    ]
  },
  up: ({ db }) => writeWords(db),
}

const rowsAtOnce = 500

async function writeWords(db: Transaction<Tables>): Promise<void> {
  for (let after = 0; ;) {
    const page = await db
      .selectFrom('entities')
      .select(['id', 'kind', 'name'])
      .where('id', '>', after)
      .where('name', 'is not', null)
      .orderBy('id')
      .limit(rowsAtOnce)
      .execute()
    const last = page.at(-1)
    if (!last) return
    after = last.id
    for (const { id, kind, name } of page) {
      const words = searchWords([name ?? ''])
      await db
        .updateTable('entities')
        .set({ words: words.join(' ') })
        .where('id', '=', id)
        .execute()
      const rows = words.map((word) => ({ kind, word, entity_id: id }))
      if (rows.length > 0) await db.insertInto('entity_words').values(rows).execute()
    }
  }
}
