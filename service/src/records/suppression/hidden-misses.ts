import type { Connection, Dialect, Tx } from '../../database/dialect.ts'
import { rawStatement, rawStatementList, runRawStatement } from '../../database/sql/raw-statement.ts'
import { inChunks } from '../in-chunks.ts'

/*
 * A name that nobody knows is remembered as a miss. One that leads to a suppressed subject must look the same, also after a
 * restart and on another node, and may not be stored: its keyed hash is, with the time.
 */
const note = rawStatement(
  'insert into hidden_misses (hash, at) values (?, ?) on conflict (hash) do update set at = excluded.at',
)

/** Remembers such a miss inside someone's transaction. */
export async function insertHiddenMiss(tx: Tx, dialect: Dialect, hash: string, at: number): Promise<void> {
  await runRawStatement(tx, note, dialect, [hash, at])
}

/** Remembers such a miss before it is answered, as a miss of the provider is. */
export async function noteHiddenMiss(
  { db, dialect }: Connection,
  { hash, at }: { hash: string; at: number },
): Promise<void> {
  await insertHiddenMiss(db, dialect, hash, at)
}

/** When each of some names was last asked for without an answer, as far as that is hidden. */
export async function hiddenMissesAmong(
  db: Connection['db'],
  dialect: Dialect,
  hashes: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const chunk of inChunks(hashes, 1_000)) {
    const text = rawStatementList('select hash, at from hidden_misses where hash in ([items])', '?', chunk.length)
    const rows = await runRawStatement<{ hash: string; at: number }>(db, text, dialect, chunk)
    for (const { hash, at } of rows) found.set(hash, at)
  }
  return found
}

/** Forgets a chunk of what was asked for before a moment. */
export async function forgetHiddenMisses(tx: Tx, { before, limit }: { before: number; limit: number }): Promise<void> {
  const old = tx.selectFrom('hidden_misses').select('hash').where('at', '<', before).limit(limit)
  await tx.deleteFrom('hidden_misses').where('hash', 'in', old).execute()
}
