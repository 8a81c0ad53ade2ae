import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../dialect.ts'
import { runRawStatement, type RawStatement } from '../sql/raw-statement.ts'
import type { Tables } from '../tables/tables.ts'
import { withConnection } from './one-connection.ts'

type Parameters = readonly (string | number | null | Uint8Array)[]

/** A few milliseconds of reads. */
const togetherAtMost = 32
const waiting = new WeakMap<Kysely<Tables>, (() => void)[]>()

/**
 * Reads with one raw statement, outside of any transaction. On the embedded engine it goes past Kysely, whose layers
 * cost more than the statement, and all reads that wait for the only connection have it together.
 */
export function readRawStatement<Row>({ db, dialect, direct }: Database, text: RawStatement, parameters: Parameters) {
  if (!direct) return runRawStatement<Row>(db, text, dialect, parameters)
  return new Promise<Row[]>((resolve, reject) => {
    const read = () => {
      try {
        resolve(direct.run(text[dialect], parameters) as Row[])
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)))
      }
    }
    const others = waiting.get(db)
    if (others && others.length < togetherAtMost) return void others.push(read)
    const reads = [read]
    waiting.set(db, reads)
    withConnection(direct, () => {
      if (waiting.get(db) === reads) waiting.delete(db)
      for (const each of reads) each()
      // What has arrived meanwhile, a charge perhaps, goes before the next ones.
      return reads.length === togetherAtMost ? nextTurn() : undefined
    }).catch(reject)
  })
}
