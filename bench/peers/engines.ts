/**
 * PostgreSQL and Redis in one process tree, so that both can be pinned and their CPU time counted together. `node
 * bench/peers/engines.ts FILE` writes the URLs to FILE once both answer, and stops both on SIGTERM. A second argument is
 * the folder of a PostgreSQL that is kept for the next run.
 */
import { renameSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { startEngines } from '../../service/test/harness/start-engines.ts'

const [, , file, keptIn] = process.argv
if (file === undefined) throw new Error('engines.ts wants the name of a file for the addresses')

const engines = await startEngines({ durable: true, keptIn })
const stop = async () => {
  await engines.stop()
  process.exit()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())

const { postgresUrl, redisUrl } = engines
if (postgresUrl === null || redisUrl === null) {
  console.error(`PostgreSQL: ${postgresUrl ?? 'missing'}, Redis: ${redisUrl ?? 'missing'}`)
  await engines.stop()
  process.exit(1)
}
const client = new pg.Client(postgresUrl)
await client.connect()
const { rows } = await client.query<{ datname: string }>('select datname from pg_database')
const existing = new Set(rows.map(({ datname }) => datname))
for (const name of ['vitae', 'peer']) if (!existing.has(name)) await client.query(`create database ${name}`)
await client.end()
writeFileSync(`${file}.new`, JSON.stringify({ vitaeUrl: on('vitae'), peerUrl: on('peer'), redisUrl }))
renameSync(`${file}.new`, file)

function on(database: string): string {
  const url = new URL(postgresUrl ?? '')
  url.pathname = `/${database}`
  return url.href
}
