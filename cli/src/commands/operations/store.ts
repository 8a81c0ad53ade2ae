import type { Command } from 'commander'
import { card, print } from '../../terminal/output.ts'
import { confirm } from '../../terminal/confirm.ts'
import type { GlobalOptions } from '../../admin/with-admin.ts'

interface MoveOptions {
  from: string
  to: string
}

/** `vitae store move` */
export function storeCommands(program: Command): void {
  program
    .command('store')
    .description('the store as a whole')
    .command('move')
    .description('copy a store from the embedded engine to PostgreSQL, or back, and verify the copy')
    .requiredOption('--from <place>', 'a data folder or a postgres:// URL; no service may run on it')
    .requiredOption('--to <place>', 'an empty data folder or database')
    .addHelpText(
      'after',
      `
Examples:
  $ vitae store move --from /var/lib/vitae --to postgres://vitae:secret@db.internal/vitae
  $ vitae store move --from postgres://vitae:secret@db.internal/vitae --to ./data

The source stays unchanged. Before the copy can be served, every table is read back and compared by row count and checksum,
and the ledger is recomputed.`,
    )
    .action(async (options: MoveOptions, command: Command) => {
      const { json, yes } = command.optsWithGlobals<GlobalOptions>()
      await confirm({ yes }, `Copy the store of ${withoutPassword(options.from)} to ${withoutPassword(options.to)}?`)
      const { moveStore } = await import('@vitae/service/move')
      const moved = await moveStore({ ...options, onProgress: progress() })
      const { from, to, rows, ledgerEntries, secretMoved, tables } = moved
      const next = secretMoved
        ? `The secret key was copied too. Start the service with ${to.includes('://') ? 'DATABASE_URL' : 'VITAE_DATA_DIR'} set to the new place.`
        : 'The secret key was not copied: set VITAE_SECRET_KEY to that of the source before the first start.'
      const view = { from, to, rows, ledger_entries: ledgerEntries, secret_moved: secretMoved, next }
      print(json, { ...view, tables }, () => card(view))
    })
}

/** Shows progress on one line of a terminal; without a terminal, one line per finished table. */
function progress(): (at: { table: string; rows: number; of: number }) => void {
  let shown = ''
  return ({ table, rows, of }) => {
    // A table may end with fewer rows than it was counted to have.
    if (process.stderr.isTTY && shown !== table && shown !== '') process.stderr.write('\n')
    const isDone = rows >= of
    shown = isDone ? '' : table
    const text = `${table.padEnd(20)} ${rows.toLocaleString('en-US')} of ${of.toLocaleString('en-US')}`
    if (process.stderr.isTTY) process.stderr.write(`\r${text}${isDone ? '\n' : ''}`)
    else if (isDone) process.stderr.write(`${text}\n`)
  }
}

function withoutPassword(place: string): string {
  return place.replace(/:[^:@/]+@/, '@')
}
