import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openOwnDatabase, type OwnDatabase } from '../../harness/engines.ts'
import { Gate, goodPerson, ScriptedUpstream } from '../../harness/scripted-provider.ts'
import { freePort } from '../../harness/start-engines.ts'
import { ChaosLoad } from '../../cluster/chaos-load.ts'
import { hasEngines, until } from '../../harness/scale-out-engine.ts'
import { admin, burst, lookUp, newKey, NodeProcess } from '../../harness/node-processes.ts'

const engines = [{ name: 'embedded' }, ...(hasEngines ? [{ name: 'PostgreSQL and Redis' }] : [])]

/** The children of a process, as the kernel knows them. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

/** What a process has used of the processor so far, in ticks. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

/** How many calls all workers have answered, by their own count, and which workers those are. */
async function scrape(url: string): Promise<{ calls: number; workers: Set<string> }> {
  // One that meets a worker as it dies sees nothing.
  const response = await fetch(`${url}/metrics`, { headers: separately }).catch(() => null)
  const text = (await response?.text()) ?? ''
  expect(text.match(/^# TYPE vitae_call_seconds /gm)?.length ?? 1).toBe(1)
  const counts = text.matchAll(/^vitae_call_seconds_count\{.*status="200"\} (\d+)$/gm)
  return {
    calls: Array.from(counts, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0),
    workers: new Set(Array.from(text.matchAll(/^vitae_cache_bytes\{worker="(\d+)"\}/gm), ([, worker = '']) => worker)),
  }
}

/** Calls over connections of their own, so that they meet every worker. */
const separately = { connection: 'close' }

describe.each(engines)('VITAE_WORKERS=2 on $name', ({ name }) => {
  const upstream = new ScriptedUpstream()
  let database: OwnDatabase | null = null
  let service: NodeProcess

  beforeAll(async () => {
    await upstream.start()
    const isScaleOut = name !== 'embedded'
    if (isScaleOut) database = await openOwnDatabase()
    service = new NodeProcess(await freePort(), {
      VITAE_WORKERS: '2',
      VITAE_UPSTREAM: 'mirror',
      VITAE_MIRROR_KEY: 'secret',
      VITAE_HOLD_SECONDS: '3',
      ...upstream.env,
      ...(database ? { DATABASE_URL: database.url, REDIS_URL: process.env['TEST_REDIS_URL'] ?? '' } : {}),
    })
    await service.start()
  }, 120_000)
  afterAll(async () => {
    await service?.close()
    await upstream.close()
    await database?.drop()
  })

  test('calls are answered by both processes', async () => {
    const { key } = await newKey(service.url, 'both', 1_000)
    const workers = childrenOf(service.pid)
    expect(workers).toHaveLength(2)
    const before = workers.map(ticksOf)

    expect(await burst(200, 16, () => lookUp(service.url, key, 'ada-fiction', separately))).toEqual({ 200: 200 })

    for (const [index, pid] of workers.entries()) expect(ticksOf(pid)).toBeGreaterThan(before[index] ?? Infinity)
  })

  test('limits are exact across them', async () => {
    const { key } = await newKey(service.url, 'limits', 1_000, { rate: '100/600s' })

    const ends = await burst(150, 16, () => lookUp(service.url, key, 'ada-fiction', separately))

    expect(ends).toEqual({ 200: 100, '429 rate_limit_exceeded': 50 })
  })

  test('what is left of a limit is counted down once per call, whichever answers', async () => {
    const { key } = await newKey(service.url, 'countdown', 1_000, { rate: '600/600s' })
    const left: number[] = []

    await burst(600, 64, async () => {
      const response = await fetch(`${service.url}/v1/people/profile?profile_id=ada-fiction`, {
        headers: { ApiKey: key, ...separately },
      })
      await response.arrayBuffer()
      left.push(Number(response.headers.get('x-ratelimit-remaining')))
      return response.status
    })

    expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 600 }, (_, index) => index))
  })

  test('a scrape sees every worker, whichever it meets, and one that was replaced too', async () => {
    const { key } = await newKey(service.url, 'scraped', 1_000)
    const before = await scrape(service.url)
    expect(await burst(100, 16, () => lookUp(service.url, key, 'ada-fiction', separately))).toEqual({ 200: 100 })

    const scrapes = await Promise.all(Array.from({ length: 8 }, () => scrape(service.url)))

    for (const { calls, workers } of scrapes) {
      expect(workers).toEqual(new Set(['1', '2']))
      expect(calls - before.calls).toBe(100)
    }
    const [victim = 0] = childrenOf(service.pid)
    process.kill(victim, 'SIGKILL')
    await until(() => !childrenOf(service.pid).includes(victim))
    await until(async () => (await scrape(service.url)).workers.size === 2)
  })

  test('misses on both are one upstream call', async () => {
    const { key } = await newKey(service.url, 'misses', 1_000)
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)
    const path = '/credits/balance?project=misses&environment=production'

    const calls = burst(20, 20, () => lookUp(service.url, key, 'bea-fiction', separately))
    await until(async () => (await admin<{ held: number }>(service.url, 'GET', path)).held === 20)
    gate.open()

    expect(await calls).toEqual({ 200: 20 })
    expect(upstream.asked.filter((asked) => asked === 'bea-fiction')).toHaveLength(1)
    upstream.script = goodPerson
  })

  test('a revoked key, also one that no ledger watches over, is refused by the very next call of each', async () => {
    const made = { project: 'revoking', environment: 'production', mode: 'test' }
    const { id, key } = await admin<{ id: string; key: string }>(service.url, 'POST', '/keys', made)
    expect(await burst(20, 4, () => lookUp(service.url, key, 'ada-fiction', separately))).toEqual({ 200: 20 })

    await admin(service.url, 'POST', `/keys/${id}/revoke`)

    const after = await burst(100, 8, () => lookUp(service.url, key, 'ada-fiction', separately))
    expect(after).toEqual({ '401 revoked_api_key': 100 })
  })

  test('a worker killed under load loses no charge, is replaced, and what it held comes back', async () => {
    const { key, balance } = await newKey(service.url, 'killed', 100_000)
    const load = new ChaosLoad([service.url], key, 12)
    const [victim = 0] = childrenOf(service.pid)
    load.start()

    await load.answeredMore(50)
    process.kill(victim, 'SIGKILL')
    await load.answeredMore(50)
    await until(() => childrenOf(service.pid).length === 2 && !childrenOf(service.pid).includes(victim))
    await load.finish()

    const path = '/credits/balance?project=killed&environment=production'
    await until(async () => (await admin<{ held: number }>(service.url, 'GET', path)).held === 0)
    expect(100_000 - (await balance())).toBe(load.answered)
    expect(await admin(service.url, 'GET', '/ledger/verify')).toMatchObject({ ok: true })
  })

  test('told to stop, it finishes what it has begun, and then every process is gone', async () => {
    const { key } = await newKey(service.url, 'stopping', 100)
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)
    const calls = burst(10, 10, () => lookUp(service.url, key, 'cleo-fiction'))
    const path = '/credits/balance?project=stopping&environment=production'
    await until(async () => (await admin<{ held: number }>(service.url, 'GET', path)).held === 10)
    const workers = childrenOf(service.pid)

    const ended = service.end('SIGTERM')
    gate.open()

    expect(await calls).toEqual({ 200: 10 })
    await ended
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    upstream.script = goodPerson
    await service.start()
  })
})

test('workers share an admin port of their own: operators are served there and callers are not, and the reverse', async () => {
  const adminPort = await freePort()
  const service = new NodeProcess(await freePort(), { VITAE_WORKERS: '2', VITAE_ADMIN_PORT: String(adminPort) })
  const adminUrl = `http://127.0.0.1:${adminPort}`
  try {
    await service.start()

    const { key } = await newKey(adminUrl, 'apart', 10)

    const statuses = (url: string) =>
      burst(20, 4, async () => (await fetch(url, { headers: { ApiKey: key, ...separately } })).status)
    expect(await statuses(`${adminUrl}/metrics`)).toEqual({ 200: 20 })
    expect(await statuses(`${service.url}/metrics`)).toEqual({ 404: 20 })
    expect(await statuses(`${adminUrl}/v1/people/profile?profile_id=ada`)).toEqual({ 404: 20 })
    expect((await scrape(adminUrl)).workers.size).toBe(2)
    const written: unknown = JSON.parse(readFileSync(join(service.folder, 'service.json'), 'utf8'))
    expect(written).toMatchObject({ url: adminUrl, public_url: service.url })
  } finally {
    await service.close()
  }
})

test('an admin port that another program has is named at the start', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const service = new NodeProcess(await freePort(), { VITAE_WORKERS: '2', VITAE_ADMIN_PORT: String(port) })
  try {
    await expect(service.start()).rejects.toThrow(`${port} on 127.0.0.1 is in use`)
  } finally {
    await service.close()
    taken.close()
  }
})
