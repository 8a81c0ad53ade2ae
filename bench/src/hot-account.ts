/**
 * Several nodes charge one account at once; measures the rate, and the bytes that a charge leaves: `node
 * bench/src/hot-account.ts`. Needs its own PostgreSQL in TEST_POSTGRES_URL. Each node has its own pool and its own
 * group commit, as in the service.
 */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { creditOperations } from '../../service/src/credits/operations.ts'
import { SettlementQueue } from '../../service/src/credits/settlement-queue.ts'
import { makePartitions } from '../../service/src/database/postgres/partitions.ts'
import { migrate } from '../../service/src/database/migrations/migrate.ts'
import { openPostgres, quick } from '../../service/src/database/postgres/postgres.ts'
import { poolDatabase } from '../../service/src/database/postgres/pool-database.ts'
import { newRequestId } from '../../service/src/foundation/request-id.ts'
import { postgresDialect } from '../../service/src/database/postgres/postgres-dialect.ts'

const { values } = parseArgs({
  options: { charges: { type: 'string', default: '20000' }, waiting: { type: 'string', default: '64' } },
})
const charges = Number(values.charges)
const waiting = Number(values.waiting)
const server = process.env['TEST_POSTGRES_URL']
if (!server) throw new Error('hot-account.ts wants TEST_POSTGRES_URL')

const schema = `hot_${randomBytes(6).toString('hex')}`
const url = new URL(server)
url.searchParams.set('options', `-c search_path=${schema}`)
const client = new pg.Client(url.href)
await client.connect()
await client.query(`create schema ${schema}`)
try {
  const { db } = openPostgres(url.href, console.error)
  await migrate(db, postgresDialect, Date.now())
  await makePartitions(poolDatabase(db), { now: Date.now() })
  await client.query(`insert into projects (name, created_at) values ('hot', 0)`)
  await client.query(
    `insert into environments (id, project, name, balance, created_at) values (1, 'hot', 'production', 1e9, 0)`,
  )
  await client.query(`insert into keys (id, hash, display, project, environment_id, mode, created_at, spend_id)
    values ('key', 'hash', 'vt', 'hot', 1, 'live', 0, 'key')`)
  const results = []
  for (const nodes of [1, 2, 3]) results.push(await run(nodes))
  console.log(JSON.stringify({ results, bytesPerCharge: await bytesPerCharge(charges * 3) }, null, 2))
  await db.destroy()
} finally {
  await client.query(`drop schema ${schema} cascade`)
  await client.end()
}

async function run(count: number) {
  const sizes: number[] = []
  const pools = Array.from({ length: count }, () => openPostgres(url.href, console.error, quick).db)
  const nodes = pools.map((db) => {
    const settle = (text: string) => creditOperations.settle(poolDatabase(db), text)
    return new SettlementQueue({ settle }, { batchesAtOnce: 3, onBatch: (size) => sizes.push(size) })
  })
  const began = performance.now()
  await Promise.all(nodes.map((node) => charge(node, charges / count)))
  const seconds = (performance.now() - began) / 1_000
  await Promise.all(pools.map((db) => db.destroy()))
  return {
    nodes: count,
    chargesPerSecond: Math.round(charges / seconds),
    meanBatch: Math.round(charges / sizes.length),
  }
}

/** Makes `count` charges with the callers of one node, each with one call at a time. */
async function charge(node: SettlementQueue, count: number): Promise<void> {
  let left = count
  const caller = async () => {
    while (left-- > 0) {
      await node.settle({
        type: 'charge',
        requestId: newRequestId(),
        keyId: 'key',
        environmentId: 1,
        at: Date.now(),
        idempotency: null,
        price: 1,
        extras: 0,
        repeatFreeSince: null,
        call: {
          kind: 'people',
          source: 'store',
          identifier: null,
          entityId: 1,
          versionId: 1,
          fetchId: 1,
          durationMs: 1,
          tag: null,
          price: null,
        },
      })
    }
  }
  await Promise.all(Array.from({ length: waiting }, caller))
}

async function bytesPerCharge(count: number): Promise<{ callLog: number; ledger: number }> {
  const { rows } = await client.query<{ calls: string; ledger: string }>(`
    select sum(pg_total_relation_size(inhrelid)) as calls, pg_total_relation_size('ledger_entries') as ledger
    from pg_inherits where inhparent = 'calls'::regclass`)
  return { callLog: Math.round(Number(rows[0]?.calls) / count), ledger: Math.round(Number(rows[0]?.ledger) / count) }
}
