import { sql } from 'kysely'
import type { Kind } from '@vitae/contract'
import type { Dialect, Tx } from '../../database/dialect.ts'
import { rawStatement, rawStatementList, runRawStatement } from '../../database/sql/raw-statement.ts'
import type { EntityWordRow } from '../../database/tables/records.ts'
import { recordInBody, searchTexts, type SearchTexts } from '../entities/search-texts.ts'

// The list of records is sorted and filtered by these facts, so that they stand where its indexes are.
const facts = 'version_id = v.id, provider = v.provider, fetched_at = v.fetched_at, thin = v.thin'
// A record without a name leaves the one that was known.
const serve = rawStatement(`
  update entities set ${facts}, name = coalesce(cast(? as text), entities.name)
  from versions as v where v.id = ? and entities.id = ?`)
const setVersion = rawStatement('update entities set version_id = ? where id = ?')
const selectWords = rawStatement('select words from entities where id = ?')
const writeWords = rawStatement('update entities set words = ? where id = ?')
const insertWordRows = 'insert into entity_words (kind, word, entity_id) values [items] on conflict do nothing'

interface NewlyServed {
  kind: Kind
  entityId: number
  versionId: number
}

/** Serves the first version of an entity that was written with its facts and words. */
export async function serveFirstVersion(
  tx: Tx,
  dialect: Dialect,
  served: NewlyServed,
  texts: SearchTexts,
): Promise<void> {
  await runRawStatement(tx, setVersion, dialect, [served.versionId, served.entityId])
  await insertWords(tx, dialect, served, texts)
}

/** Makes a new version the one that is served and that the search finds. */
export async function serveNewVersion(
  tx: Tx,
  dialect: Dialect,
  served: NewlyServed,
  texts: SearchTexts,
): Promise<void> {
  const { entityId, versionId } = served
  await runRawStatement(tx, serve, dialect, [texts.name, versionId, entityId])
  const [before] = await runRawStatement<{ words: string | null }>(tx, selectWords, dialect, [entityId])
  if (texts.words === '' || before?.words === texts.words) return
  if (before?.words) await forgetWords(tx, [entityId])
  await insertWords(tx, dialect, served, texts)
  await runRawStatement(tx, writeWords, dialect, [texts.words, entityId])
}

async function insertWords(
  tx: Tx,
  dialect: Dialect,
  { kind, entityId }: NewlyServed,
  { words }: SearchTexts,
): Promise<void> {
  if (words === '') return
  const values = words.split(' ').flatMap((word) => [kind, word, entityId])
  await runRawStatement(tx, rawStatementList(insertWordRows, '(?, ?, ?)', values.length / 3), dialect, values)
}

/** Makes a version that is stored already the one that is served: nothing of the one before it is searched for any more. */
export async function serveStoredVersion(tx: Tx, entityId: number, versionId: number): Promise<void> {
  const { body, kind } = await tx
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .select(['versions.body', 'entities.kind'])
    .where('versions.id', '=', versionId)
    .executeTakeFirstOrThrow()
  const { name, words } = searchTexts(recordInBody(body))
  await forgetWords(tx, [entityId])
  await sql`update entities set ${sql.raw(facts)}, name = ${name}, words = ${words}
    from versions as v where v.id = ${versionId} and entities.id = ${entityId}`.execute(tx)
  const rows = wordRows(kind, entityId, words)
  if (rows.length > 0) await tx.insertInto('entity_words').values(rows).execute()
}

/** The rows by which the search finds an entity. */
export function wordRows(kind: Kind, entityId: number, words: string): EntityWordRow[] {
  return words === '' ? [] : words.split(' ').map((word) => ({ kind, word, entity_id: entityId }))
}

/** Removes entities from the search. */
export async function forgetWords(tx: Tx, entityIds: readonly number[]): Promise<void> {
  const rows = await tx.selectFrom('entities').select(['id', 'kind', 'words']).where('id', 'in', entityIds).execute()
  for (const { id, kind, words } of rows) {
    if (!words) continue
    await tx
      .deleteFrom('entity_words')
      .where('kind', '=', kind)
      .where('word', 'in', words.split(' '))
      .where('entity_id', '=', id)
      .execute()
  }
}
