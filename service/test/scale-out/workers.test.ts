import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openOwnDatabase, type OwnDatabase } from '../engines.ts'
import { Gate, goodPerson, ScriptedUpstream } from '../lookup/scripted-upstream.ts'
import { freePort } from '../start-engines.ts'
import { ChaosLoad } from './chaos-load.ts'
import { hasEngines, until } from './grounds.ts'
import { admin, burst, lookUp, newKey, NodeProcess } from './processes.ts'

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
  })
})
