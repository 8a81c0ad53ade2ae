import { reading } from '../../../src/database/sqlite/reader/reports.ts'
import { openSqliteStore } from '../../../src/database/sqlite/open-sqlite-store.ts'

/** A program that requests a report that never ends, and prints the id of the process that runs it. */
const [path = ''] = process.argv.slice(2)
const operationsModule = new URL('odd-reports.ts', import.meta.url).href
const store = await openSqliteStore(
  { path, operationsModule, now: 0 },
  {
    reading: {
      ...reading,
      start(...args) {
        const child = reading.start(...args)
        process.stdout.write(`${child.pid}\n`)
        return child
      },
    },
  },
)
await store.run('odd.endless', null)
