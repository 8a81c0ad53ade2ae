import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../../src/database/postgres/postgres.ts'
import { openOwnDatabase, type OwnDatabase } from '../../harness/engines.ts'
import { Gate, goodPerson, ScriptedUpstream } from '../../harness/scripted-provider.ts'
import { freePort } from '../../harness/start-engines.ts'
import { ChaosLoad } from '../../cluster/chaos-load.ts'
import { hasEngines, until } from '../../harness/scale-out-engine.ts'
import { admin, burst, lookUp, newKey, NodeProcess } from '../../harness/node-processes.ts'

/** The child processes of a process. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

/** The CPU time that a process has used so far, in ticks. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

/** The number of calls that all workers have answered, and the workers' names. */
async function scrape(url: string): Promise<{ calls: number; workers: Set<string> }> {
  // A scrape that meets a dying worker gets nothing.
  const response = await fetch(`${url}/metrics`, { headers: separately }).catch(() => null)
  const text = (await response?.text()) ?? ''
  expect(text.match(/^# TYPE vitae_call_seconds /gm)?.length ?? 1).toBe(1)
  const counts = text.matchAll(/^vitae_call_seconds_count\{.*status="200"\} (\d+)$/gm)
  return {
    calls: Array.from(counts, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0),
    workers: new Set(Array.from(text.matchAll(/^vitae_cache_bytes\{worker="(\d+)"\}/gm), ([, worker = '']) => worker)),
  }
}

/** Separate connections, so that the calls reach every worker. */
const separately = { connection: 'close' }

describe.skipIf(!hasEngines)('VITAE_WORKERS=2', () => {
  const upstream = new ScriptedUpstream()
  let adminUrl: string
  let database: OwnDatabase
  let service: NodeProcess

  const bothListen = () => until(async () => (await scrape(adminUrl)).workers.size === 2)
  const start = async () => {
    await service.start()
    await bothListen()
  }

  beforeAll(async () => {
    await upstream.start()
    database = await openOwnDatabase()
    const adminPort = await freePort()
    adminUrl = `http://127.0.0.1:${adminPort}`
    service = new NodeProcess(await freePort(), {
      VITAE_WORKERS: '2',
      VITAE_ADMIN_PORT: String(adminPort),
      VITAE_UPSTREAM: 'mirror',
      VITAE_MIRROR_KEY: 'secret',
      VITAE_HOLD_SECONDS: '3',
      ...upstream.env,
      DATABASE_URL: database.url,
      REDIS_URL: process.env['TEST_REDIS_URL'] ?? '',
    })
    await start()
  })
  afterAll(async () => {
    await service?.close()
    await upstream.close()
    await database?.drop()
  })

  test('calls are answered by both processes', async () => {
    const { key } = await newKey(adminUrl, 'both', 1_000)
    const workers = childrenOf(service.pid)
    expect(workers).toHaveLength(2)
    const before = workers.map(ticksOf)

    expect(await burst(200, 16, () => lookUp(service.url, key, 'ada-fiction', separately))).toEqual({ 200: 200 })

    for (const [index, pid] of workers.entries()) expect(ticksOf(pid)).toBeGreaterThan(before[index] ?? Infinity)
  })

  test('no limit is exceeded across them', async () => {
    const { key } = await newKey(adminUrl, 'limits', 1_000, { rate: '100/1h' })

    const ends = await burst(150, 16, () => lookUp(service.url, key, 'ada-fiction', separately))

    // On a busy machine a worker may lose Redis for a moment. Then each applies its share, which is stricter, never
    // looser.
    expect(ends['200']).toBeLessThanOrEqual(100)
    expect(ends['200']).toBeGreaterThanOrEqual(50)
    expect((ends['200'] ?? 0) + (ends['429 rate_limit_exceeded'] ?? 0)).toBe(150)
  })

  test('a scrape through any worker shows all of them, even a replaced one', async () => {
    const { key } = await newKey(adminUrl, 'scraped', 1_000)
    const before = await scrape(adminUrl)
    expect(await burst(100, 16, () => lookUp(service.url, key, 'ada-fiction', separately))).toEqual({ 200: 100 })

    const scrapes = await Promise.all(Array.from({ length: 8 }, () => scrape(adminUrl)))

    for (const { calls, workers } of scrapes) {
      expect(workers).toEqual(new Set(['1', '2']))
      expect(calls - before.calls).toBe(100)
    }
    const [victim = 0] = childrenOf(service.pid)
    process.kill(victim, 'SIGKILL')
    await until(() => !childrenOf(service.pid).includes(victim))
    await bothListen()
    expect(service.said).toContain('a worker died and is replaced')
  })

  test('a revoked key, even one that no ledger checks, is refused by the very next call of each', async () => {
    const made = { project: 'revoking', environment: 'production', mode: 'test' }
    const { id, key } = await admin<{ id: string; key: string }>(adminUrl, 'POST', '/keys', made)
    expect(await burst(20, 4, () => lookUp(service.url, key, 'ada-fiction', separately))).toEqual({ 200: 20 })

    await admin(adminUrl, 'POST', `/keys/${id}/revoke`)

    const after = await burst(100, 8, () => lookUp(service.url, key, 'ada-fiction', separately))
    expect(after).toEqual({ '401 revoked_api_key': 100 })
  })

  test('a worker killed under load loses no charge, is replaced, and its holds are released', async () => {
    const { key, balance } = await newKey(adminUrl, 'killed', 100_000)
    const load = new ChaosLoad([service.url], key, 12)
    const [victim = 0] = childrenOf(service.pid)
    load.start()

    await load.answeredMore(50)
    process.kill(victim, 'SIGKILL')
    await load.answeredMore(50)
    await until(() => !childrenOf(service.pid).includes(victim))
    await bothListen()
    await load.finish()

    const path = '/credits/balance?project=killed&environment=production'
    await until(async () => (await admin<{ held: number }>(adminUrl, 'GET', path)).held === 0)
    expect(100_000 - (await balance())).toBe(load.answered)
    expect(await admin(adminUrl, 'GET', '/ledger/verify')).toMatchObject({ ok: true })
  })

  test('operators are served only on the admin port, and callers only on theirs', async () => {
    const { key } = await newKey(adminUrl, 'apart', 10)

    const statuses = (url: string) =>
      burst(20, 4, async () => (await fetch(url, { headers: { ApiKey: key, ...separately } })).status)
    expect(await statuses(`${adminUrl}/metrics`)).toEqual({ 200: 20 })
    expect(await statuses(`${service.url}/metrics`)).toEqual({ 404: 20 })
    expect(await statuses(`${adminUrl}/v1/people/profile?profile_id=ada`)).toEqual({ 404: 20 })
    const written: unknown = JSON.parse(readFileSync(join(service.folder, 'service.json'), 'utf8'))
    expect(written).toEqual({ url: adminUrl, public_url: service.url, pid: service.pid })
  })

  test('each worker is a separate node', async () => {
    const { db } = openPostgres(database.url, () => undefined)
    const living = async () => {
      const now = sql<number>`extract(epoch from clock_timestamp()) * 1000`
      return (
        await db
          .selectFrom('nodes')
          .select('id')
          .where('seen_at', '>', sql<number>`${now} - 3000`)
          .execute()
      ).length
    }

    await expect.poll(living, { timeout: 20_000 }).toBe(2)

    await db.destroy()
  })

  test('after SIGTERM to all processes, calls in progress finish and all processes exit with code 0', async () => {
    const { key } = await newKey(adminUrl, 'stopping', 100)
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)
    const calls = burst(10, 10, () => lookUp(service.url, key, 'cleo-fiction'))
    const path = '/credits/balance?project=stopping&environment=production'
    await until(async () => (await admin<{ held: number }>(adminUrl, 'GET', path)).held === 10)
    const workers = childrenOf(service.pid)

    // systemd signals all processes like this, and a terminal does with SIGINT.
    for (const pid of workers) process.kill(pid, 'SIGTERM')
    const ended = service.end('SIGTERM')
    gate.open()

    expect(await calls).toEqual({ 200: 10 })
    expect(await ended).toBe(0)
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect(existsSync(join(service.folder, 'service.json'))).toBe(false)
    upstream.script = goodPerson
    await start()
  })
})
