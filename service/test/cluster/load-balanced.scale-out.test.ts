import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openOwnDatabase } from '../harness/engines.ts'
import { Gate, goodPerson, ScriptedUpstream } from '../harness/scripted-provider.ts'
import { startRedis } from '../harness/start-engines.ts'
import { hasEngines, until } from '../harness/scale-out-engine.ts'
import {
  admin,
  burst,
  hasBalancer,
  lookUp,
  newKey,
  startBalancer,
  startNodes,
  type NodeProcess,
} from '../harness/node-processes.ts'

const isLong = process.env['VITAE_TEST_LONG'] === '1'
const laterCalls = isLong ? 10_000 : 200
const misses = isLong ? 1_000 : 200
const limit = isLong ? 1_000 : 200
const runs = hasEngines && hasBalancer
const busy = '503 store_unavailable'

interface Cluster {
  nodes: NodeProcess[]
  balancer: Awaited<ReturnType<typeof startBalancer>>
  redis: NonNullable<Awaited<ReturnType<typeof startRedis>>>
  close(): Promise<void>
}

const upstream = new ScriptedUpstream()
let nodes: NodeProcess[] = []
let balancer: Cluster['balancer']
let cluster: Cluster

/** Three nodes with their own database and Redis, behind a load balancer. */
async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-balanced-'))
  const database = await openOwnDatabase()
  const redis = await startRedis(folder)
  if (!redis) throw new Error('no redis-server')
  const started = await startNodes(3, {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    VITAE_UPSTREAM: 'mirror',
    VITAE_MIRROR_KEY: 'secret',
    VITAE_UPSTREAM_TIMEOUT_MS: '60000',
    VITAE_UPSTREAM_TOTAL_MS: '60000',
    ...upstream.env,
  })
  const inFront = await startBalancer(started)
  return {
    nodes: started,
    balancer: inFront,
    redis,
    async close() {
      await inFront.close()
      await Promise.all(started.map((node) => node.close()))
      await redis.stop()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

beforeAll(async () => {
  if (!runs) return
  await upstream.start()
  cluster = await startCluster()
  ;({ nodes, balancer } = cluster)
})

afterAll(async () => {
  if (!runs) return
  await cluster.close()
  await upstream.close()
})

const anyNode = () => nodes[0]?.url ?? ''

describe.skipIf(!runs)('three nodes behind a load balancer', () => {
  test(`${misses} concurrent misses make one upstream call, and each caller is charged once`, async () => {
    const { key, balance } = await newKey(anyNode(), 'coalescing', 2_000)
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)
    const held = async () =>
      (await admin<{ held: number }>(anyNode(), 'GET', '/credits/balance?project=coalescing&environment=production'))
        .held

    const calls = burst(misses, misses, () => lookUp(balancer.url, key, 'cora-fiction'))
    await until(async () => (await held()) === misses)
    gate.open()

    expect(await calls).toEqual({ 200: misses })
    expect(upstream.asked.filter((name) => name === 'cora-fiction')).toHaveLength(1)
    expect(await balance()).toBe(2_000 - misses)
  })

  test('a race for the last credits ends exactly at 0', async () => {
    upstream.script = goodPerson
    const { key, balance } = await newKey(anyNode(), 'last-credits', 100)

    const ask = async (index: number): Promise<string> => {
      const end = await lookUp(balancer.url, key, index % 2 ? 'ada-fiction' : `bea-${index}`)
      // The machine is busy with other tests.
      return end === busy ? ask(index) : end
    }
    const ends = await burst(400, 100, ask)

    expect(ends).toEqual({ 200: 100, '402 out_of_credits': 300 })
    expect(await balance()).toBe(0)
  })

  test('a rate limit is exceeded by 0 and undershot by at most 1 %', async () => {
    upstream.script = goodPerson
    const { key } = await newKey(anyNode(), 'limited', 10_000, { rate: `${limit}/600s` })
    const asked = limit * 1.3

    const ends = await burst(asked, 64, () => lookUp(balancer.url, key, 'ada-fiction'))

    expect(ends['200']).toBeLessThanOrEqual(limit)
    // A call that a busy machine could not serve has used its share of the limit.
    const taken = (ends['200'] ?? 0) + (ends[busy] ?? 0)
    expect(taken).toBeGreaterThanOrEqual(limit * 0.99)
    expect(taken + (ends['429 rate_limit_exceeded'] ?? 0)).toBe(asked)
  })

  test(`revoked on one node: 0 of ${laterCalls} later calls succeed on any`, async () => {
    upstream.script = goodPerson
    const { id, key, balance } = await newKey(anyNode(), 'revoked', 10_000)
    expect(await burst(30, 10, () => lookUp(balancer.url, key, 'ada-fiction'))).toEqual({ 200: 30 })

    await admin(nodes[1]?.url ?? '', 'POST', `/keys/${id}/revoke`)
    const ends = await burst(laterCalls, 64, () => lookUp(balancer.url, key, 'ada-fiction'))

    expect(ends).toEqual({ '401 revoked_api_key': laterCalls })
    expect(await balance()).toBe(10_000 - 30)
  })

  // The short form is in `cache-invalidation.scale-out.test.ts`, with a key that no ledger checks.
  test.runIf(isLong)(
    `revoked with Redis cut off, under load: 0 of ${laterCalls} later calls succeed on any`,
    async () => {
      const own = await startCluster()
      onTestFinished(own.close)
      upstream.script = goodPerson
      const { id, key, balance } = await newKey(own.nodes[0]?.url ?? '', 'cut-off', 10_000)
      expect(await burst(30, 10, () => lookUp(own.balancer.url, key, 'ada-fiction'))).toEqual({ 200: 30 })

      await own.redis.stop()
      await admin(own.nodes[2]?.url ?? '', 'POST', `/keys/${id}/revoke`)
      const ends = await burst(laterCalls, 64, () => lookUp(own.balancer.url, key, 'ada-fiction'))

      expect(ends['200'] ?? 0).toBe(0)
      expect(await balance()).toBe(10_000 - 30)
    },
  )
})
