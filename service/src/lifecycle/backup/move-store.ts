import { verifyLedger } from '../../credits/store/verify-ledger.ts'
import { systemClock } from '../../foundation/clock.ts'
import { StartError } from '../../foundation/data-folder.ts'
import { copyTable, countRows, tallyTable, type MoveSide, type Tally } from '../../database/move/copy-table.ts'
import { movedTableNames, type MovedTable } from '../../database/move/moved-tables.ts'
import { openSource, openTarget, type MoveEndpoint } from './move-endpoint.ts'
import { readSequences, writeSequences } from '../../database/move/sequences.ts'

export interface MoveWish {
  /** A data folder, or a postgres:// URL. */
  from: string
  to: string
  onProgress?: (progress: { table: MovedTable; rows: number; of: number }) => void
}

export interface Moved {
  from: string
  to: string
  tables: ({ table: MovedTable } & Tally)[]
  rows: number
  ledgerEntries: number
  /** Whether the secret went along; where it did not, the operator has to set it. */
  secretMoved: boolean
}

/**
 * Copies a whole store to the other engine. Everything is read back and compared, row by row in sums and by the ledger's
 * own arithmetic, before the copy becomes a store; a failure before that leaves the target empty.
 */
export async function moveStore(wish: MoveWish): Promise<Moved> {
  const now = systemClock.now()
  const from = await openSource(wish.from, now)
  try {
    const to = await openTarget(wish.to, now)
    try {
      await refuseFull(to)
      await refuseInexact(from)
      const tables = await copyAll(from, to, wish.onProgress)
      const secret = await from.secret()
      const secretMoved = secret !== null && (await to.keepSecret(secret))
      const entries = tables.find(({ table }) => table === 'ledger_entries')?.rows ?? 0
      const rows = tables.reduce((sum, table) => sum + table.rows, 0)
      to.accept()
      return { from: from.name, to: to.name, tables, rows, ledgerEntries: entries, secretMoved }
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

async function refuseFull({ side, name }: MoveEndpoint): Promise<void> {
  for (const table of movedTableNames) {
    // A service that was once started there wrote its settings; they are no data.
    if (table === 'settings' || (await countRows(side, table)) === 0) continue
    throw new StartError(`${name} is not empty (${table} has rows): --to wants an empty folder or database`)
  }
}

async function refuseInexact({ database, name }: MoveEndpoint): Promise<void> {
  const { ok, differences } = await database.read((connection) => verifyLedger(connection))
  if (!ok) throw new StartError(`the ledger in ${name} is not exact: ${differences[0]?.what ?? ''}`)
}

/** One transaction on either side: one moment of the source, all or nothing in the target. */
async function copyAll(
  from: MoveEndpoint,
  to: MoveEndpoint,
  onProgress: MoveWish['onProgress'],
): Promise<Moved['tables']> {
  const isPostgres = from.side.dialect === 'postgres'
  const begin = from.side.db.transaction()
  const reading = isPostgres ? begin.setIsolationLevel('repeatable read') : begin
  const copied = await reading.execute((source) =>
    to.side.db.transaction().execute(async (target) => {
      const ends = { from: { ...from.side, db: source }, to: { ...to.side, db: target } }
      await target.deleteFrom('settings').execute()
      const tables: Moved['tables'] = []
      for (const table of movedTableNames) tables.push({ table, ...(await copyOne(ends, table, onProgress)) })
      await writeSequences(ends.to, await readSequences(ends.from))
      return tables
    }),
  )
  await refuseInexact(to)
  return copied
}

async function copyOne(
  { from, to }: { from: MoveSide; to: MoveSide },
  table: MovedTable,
  onProgress: MoveWish['onProgress'],
): Promise<Tally> {
  const of = await countRows(from, table)
  const read = await copyTable(from, to, table, (rows) => onProgress?.({ table, rows, of }))
  const written = await tallyTable(to, table)
  if (read.rows !== written.rows || read.checksum !== written.checksum)
    throw new StartError(`${table} did not arrive as it left: ${read.rows} rows read, ${written.rows} found`)
  return written
}
