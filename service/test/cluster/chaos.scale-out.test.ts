import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { startRedis } from '../harness/start-engines.ts'
import { ChaosLoad } from './chaos-load.ts'
import { hasEngines, until } from '../harness/scale-out-engine.ts'
import { startOwnPostgres, type OwnPostgres } from '../harness/own-postgres.ts'
import { admin, newKey, startNodes, type NodeProcess } from '../harness/node-processes.ts'

const isLong = process.env['VITAE_TEST_LONG'] === '1'
const cycles = Number(process.env['VITAE_TEST_CHAOS_CYCLES'] ?? (isLong ? 100 : 3))
const granted = 10_000_000

let folder: string
let postgres: OwnPostgres | null = null
let redis: NonNullable<Awaited<ReturnType<typeof startRedis>>>
let upstream: FakeProvider
let nodes: NodeProcess[] = []

beforeAll(async () => {
  if (!hasEngines) return
  folder = mkdtempSync(join(tmpdir(), 'vitae-chaos-'))
  postgres = await startOwnPostgres()
  const started = await startRedis(folder)
  if (!postgres || !started) return
  redis = started
  upstream = await startFakeProvider({ provider: 'mirror', latencyMs: 20, logLimit: 0 })
  nodes = await startNodes(3, {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    VITAE_UPSTREAM: 'mirror',
    VITAE_MIRROR_URL: upstream.url,
    VITAE_MIRROR_KEY: upstream.key,
    VITAE_HOLD_SECONDS: '5',
    VITAE_IDEMPOTENCY_WAIT_MS: '2000',
    LOG_LEVEL: 'silent',
  })
}, 180_000)

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()))
  await upstream?.close()
  await redis?.stop()
  await postgres?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
}, 60_000)

/** The random moment of a fault, not a wait for anything. */
const anyMoment = () => pause(Math.random() * 400)

async function killNode(): Promise<void> {
  const node = nodes[Math.floor(Math.random() * nodes.length)]
  await node?.end('SIGKILL')
  await anyMoment()
  await node?.start()
}

async function stopPostgres(): Promise<void> {
  await postgres?.stopAtOnce()
  await anyMoment()
  await postgres?.start()
}

async function killRedis(): Promise<void> {
  await redis.stop()
  await anyMoment()
  redis = (await startRedis(folder, redis.port)) ?? redis
}

async function freezeRedis(): Promise<void> {
  redis.process.kill('SIGSTOP')
  await pause(800 + Math.random() * 800)
  redis.process.kill('SIGCONT')
}

/** What happens at once in one cycle; three cycles see everything. */
const chaos = [[killNode, freezeRedis], [stopPostgres], [killRedis, killNode], [stopPostgres, killRedis]] as const

describe.skipIf(!hasEngines)('chaos', () => {
  test(
    `${cycles} cycles of killed nodes, PostgreSQL stopped at once, Redis killed and frozen, under load: no charge lost, none doubled`,
    { timeout: 120_000 + cycles * 60_000 },
    async () => {
      const url = nodes[0]?.url
      if (!url) return
      const { key, balance } = await newKey(url, 'chaos', granted)
      const load = new ChaosLoad(
        nodes.map((node) => node.url),
        key,
        16,
      )
      load.start()

      for (let cycle = 0; cycle < cycles; cycle++) {
        await load.answeredMore(50)
        await anyMoment()
        await Promise.all((chaos[cycle % chaos.length] ?? []).map((fault) => fault()))
      }
      await load.answeredMore(50)
      await load.finish()
      // What dead nodes held comes back when it has expired.
      const account = 'project=chaos&environment=production'
      await until(
        async () => (await admin<{ held: number }>(url, 'GET', `/credits/balance?${account}`)).held === 0,
        60_000,
      )

      console.log(
        `chaos: ${cycles} cycles, ${load.answered} calls, ends ${JSON.stringify(Object.fromEntries(load.ends))}`,
      )
      expect(granted - (await balance())).toBe(load.answered)
      expect(await admin(url, 'GET', '/ledger/verify')).toMatchObject({ ok: true, differences: [] })
      // An answer that was cut off after its charge is found again by its value, and then costs nothing.
      expect(load.charged).toBeLessThanOrEqual(load.answered)
      expect(load.failed).toBeGreaterThan(0)
    },
  )
})
