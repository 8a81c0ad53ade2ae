import { setTimeout as pause } from 'node:timers/promises'
import type { Batch } from '@vitae/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { busyMachine, serveWith } from '../harness/child-service.ts'
import { admin, newKey, startNodes, type NodeProcess } from '../harness/node-processes.ts'
import { startOwnPostgres, type OwnPostgres } from '../harness/own-postgres.ts'
import { hasEngines, until } from '../harness/scale-out-engine.ts'
import { BatchCaller } from './batch-caller.ts'

const isLong = process.env['VITAE_TEST_LONG'] === '1'
const rows = Number(process.env['VITAE_TEST_BATCH_ROWS'] ?? (isLong ? 100_000 : 200))
/** The other rows repeat one of these, and are not paid again. */
const distinct = isLong ? 5_000 : 50
/** The number of faults after the takeover. */
const faults = isLong ? 20 : 1
const granted = 10_000_000

let postgres: OwnPostgres | null = null
let upstream: FakeProvider
let nodes: NodeProcess[] = []

beforeAll(async () => {
  if (!hasEngines) return
  postgres = await startOwnPostgres()
  if (!postgres) return
  upstream = await startFakeProvider({ provider: 'mirror', logLimit: 0 })
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: process.env['TEST_REDIS_URL'] ?? '',
    VITAE_UPSTREAM: 'mirror',
    VITAE_MIRROR_URL: upstream.url,
    VITAE_MIRROR_KEY: upstream.key,
    VITAE_NOT_FOUND_RATE: '1000000/1h',
    VITAE_HOLD_SECONDS: '5',
    LOG_LEVEL: 'silent',
  }
  // The database ends the transaction of a frozen node.
  // Only one of them stays alive, so the short form starts two.
  nodes = await startNodes(isLong ? 3 : 2, env, serveWith({ ...busyMachine, postgresPatience: 1 }))
})

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()))
  await upstream?.close()
  await postgres?.close()
})

/** A caller that retries while a node or the database is down. */
async function patiently<T>(ask: (url: string) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask(nodes[attempt % nodes.length]?.url ?? '')
    } catch {
      await pause(50)
    }
  }
}

/**
 * Kills all nodes except one. Outside it is unknown which node runs the batch, so it is either killed or the remaining
 * one.
 */
async function killNodesButOne(turn: number): Promise<void> {
  const dying = nodes.filter((_, index) => index !== turn % nodes.length)
  await Promise.all(dying.map((node) => node.end('SIGKILL')))
  await pause(Math.random() * 200)
  await Promise.all(dying.map((node) => node.start()))
}

async function stopPostgres(): Promise<void> {
  await postgres?.stopAtOnce()
  await pause(Math.random() * 400)
  await postgres?.start()
}

/** The batch as any healthy node shows it. */
function show(key: string, id: string): Promise<Batch> {
  return patiently(async (url) => {
    const batch = await new BatchCaller(url, key).show(id)
    // A node that has lost PostgreSQL answers 503.
    if (!batch.counts) throw new Error('not now')
    return batch
  })
}

/** Submits a batch that only dying nodes can have started, and waits until the remaining node has taken it over. */
async function submitToDyingNodes(key: string, ids: string[]): Promise<string> {
  const [left, ...dying] = nodes
  const waiting = Promise.withResolvers<void>()
  upstream.until = waiting.promise
  // While it is frozen it runs no batch.
  process.kill(left?.pid ?? 0, 'SIGSTOP')
  const before = new BatchCaller(dying[0]?.url ?? '', key)
  const id = await before.submit({ kind: 'people', ids })
  await before.until(id, ({ status }) => status === 'running')
  await Promise.all(dying.map((node) => node.end('SIGKILL')))
  process.kill(left?.pid ?? 0, 'SIGCONT')
  upstream.until = null
  waiting.resolve()
  await new BatchCaller(left?.url ?? '', key).until(
    id,
    // A node that lost its connections while frozen first answers 503.
    (batch) => 'counts' in batch && batch.counts.waiting < ids.length,
  )
  await Promise.all(dying.map((node) => node.start()))
  return id
}

describe.skipIf(!hasEngines)('batches on several nodes', () => {
  test(
    `the batch of a dead node is taken over, and none of its ${rows} rows is lost or billed twice when nodes and PostgreSQL die`,
    { timeout: isLong ? 3_600_000 : 600_000 },
    async () => {
      const [first] = nodes
      if (!first) return
      const { key, balance } = await newKey(first.url, 'batch-nodes', granted)
      const ids = Array.from({ length: rows }, (_, index) =>
        index % 20 === 3 ? `missing-${index}` : `nodes-${index % distinct}`,
      )
      const known = ids.filter((id) => !id.startsWith('missing-'))
      const found = known.length
      const paid = new Set(known).size

      const id = await submitToDyingNodes(key, ids)
      for (let fault = 1; fault <= faults; fault++) {
        const enough = (rows / (faults + 1)) * fault
        await until(async () => rows - (await show(key, id)).counts.waiting >= enough, 1_800_000)
        await (fault % 2 === 1 ? stopPostgres() : killNodesButOne(fault))
      }
      await until(async () => (await show(key, id)).status === 'completed', 1_800_000)
      const batch = await show(key, id)
      const disturbed = await patiently((url) => new BatchCaller(url, key).digests(id))
      await until(async () => (await patiently((url) => held(url))) === 0)
      const spent = granted - (await patiently(balance))
      const again = await patiently((url) => new BatchCaller(url, key).submit({ kind: 'people', ids }))
      await until(async () => (await show(key, again)).status === 'completed', 1_800_000)
      const undisturbed = await patiently((url) => new BatchCaller(url, key).digests(again))

      expect(batch).toMatchObject({ credits_spent: paid, counts: { found, not_found: rows - found, failed: 0 } })
      expect(spent).toBe(paid)
      expect(disturbed.map((digest) => Number(digest.split(' ')[0]))).toEqual(ids.map((_, index) => index + 1))
      expect(disturbed.filter((digest, index) => digest !== undisturbed[index])).toEqual([])
      expect(await patiently((url) => admin(url, 'GET', '/ledger/verify'))).toMatchObject({ ok: true, differences: [] })
    },
  )
})

async function held(url: string): Promise<number> {
  const account = 'project=batch-nodes&environment=production'
  return (await admin<{ held: number }>(url, 'GET', `/credits/balance?${account}`)).held
}
