import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { grantRecurringJob } from '../../src/app/jobs/grant-recurring.ts'
import { systemClock } from '../../src/foundation/clock.ts'
import { openOwnDatabase, type OwnDatabase } from '../harness/engines.ts'
import { goodPerson, Gate, ScriptedUpstream } from '../harness/scripted-provider.ts'
import { hasEngines, until } from '../harness/scale-out-engine.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'

const redisUrl = process.env['TEST_REDIS_URL'] ?? ''
const daySeconds = 86_400
/** The clock error of each node in seconds. The first one is right. */
const skews = [0, -2.5, -10, 10, -120, 120, -daySeconds, daySeconds, 610 * daySeconds] as const
/** VITAE_HOLD_SECONDS is 60. */
const servesPaid = (seconds: number) => Math.abs(seconds) < 60

describe.skipIf(!hasEngines)('nodes with different clocks', () => {
  let database: OwnDatabase
  let upstream: ScriptedUpstream
  let nodes: TestService[]
  let right: TestService

  beforeAll(async () => {
    database = await openOwnDatabase()
    upstream = await new ScriptedUpstream().start()
    nodes = []
    for (const seconds of skews) {
      const machineClock = { ...systemClock, now: () => Date.now() + seconds * 1_000 }
      const env = { DATABASE_URL: database.url, REDIS_URL: redisUrl, ...upstream.env, VITAE_HOLD_SECONDS: '60' }
      nodes.push(await startTestService({ machineClock, credits: 0, env }))
    }
    right = nodes[0] ?? expect.fail()
  })
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await upstream.close()
    await database.drop()
  })

  const call = async (node: TestService, key: string, id = 'ada') => {
    const { status, text, json } = await node.person(id, '', { ApiKey: key })
    const { code = text } = json as { code?: string }
    return status === 200 ? '200' : `${status} ${code}`
  }
  const onAll = (key: string) => Promise.all(nodes.map((node) => call(node, key)))

  test('a key that is revoked, or rotated without overlap, on any node is refused by every node from then on', async () => {
    for (const [by, how] of [
      [nodes[0], 'revoke'],
      [nodes[2], 'revoke'],
      [nodes[7], 'rotate'],
      [nodes[8], 'revoke'],
    ] as const) {
      const { key, keyId, balance } = await right.newCaller(50)
      const before = await onAll(key)
      const paid = await balance()
      await by?.admin('POST', `/keys/${keyId}/${how}`, how === 'rotate' ? { overlap: '0s' } : {})

      const after = await Promise.all([onAll(key), onAll(key)])

      expect(before).toEqual(skews.map((seconds) => (servesPaid(seconds) ? '200' : '503 overloaded')))
      expect(new Set(after.flat())).toEqual(new Set(['401 revoked_api_key']))
      expect(await balance()).toBe(paid)
    }
  })

  test('a scheduled end is the same moment on every node', async () => {
    const [expiring, rotated] = [await right.newCaller(500), await right.newCaller(500)]
    const expireIn = (ms: number) =>
      right.admin('PATCH', `/keys/${expiring.keyId}`, { expires_at: new Date(Date.now() + ms).toISOString() })
    await expireIn(3_600_000)
    const early = await onAll(expiring.key)
    await expireIn(1_000)
    await nodes[6]?.admin('POST', `/keys/${rotated.keyId}/rotate`, { overlap: '1s' })

    await until(async () => (await call(right, expiring.key)).startsWith('401'))
    await until(async () => (await call(right, rotated.key)).startsWith('401'))
    // The nodes' estimates of the database clock differ by some milliseconds.
    await new Promise((resolve) => setTimeout(resolve, 200))
    const late = await Promise.all([onAll(expiring.key), onAll(rotated.key)])

    expect(early).toEqual(skews.map((seconds) => (servesPaid(seconds) ? '200' : '503 overloaded')))
    expect(late.map((ends) => [...new Set(ends)])).toEqual([['401 expired_api_key'], ['401 revoked_api_key']])
  })

  test('no node releases the hold of a call that runs on another one, for any clock error', async () => {
    const { key, project } = await right.newCaller(1)
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)
    const running = call(right, key, 'held-by-a-call')
    await gate.reached
    upstream.script = goodPerson

    for (const { service } of nodes)
      await service.store.credits.releaseHolds({ at: service.clock.now(), all: false, longestMs: 120_000 })
    const held = await right.balance('production', project)
    gate.open()

    expect(held).toMatchObject({ balance: 1, held: 1 })
    expect(await running).toBe('200')
  })

  test("a node grants no month that is in the database's future, and its settings start with the right month", async () => {
    const { project, balance } = await right.newCaller(0)
    const far = nodes[8] ?? expect.fail()
    await far.admin('POST', '/credits/recurring', { project, environment: 'production', monthly: 5, carry_over: true })
    const { store, clock, log } = far.service

    const job = grantRecurringJob({ store, clock, log })
    await job.run()
    const { granted } = await store.grants.grantDueMonths({ at: clock.now() })

    expect(granted).toBe(0)
    expect(await balance()).toBe(0)
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000)
  })

  test('a node with a wrong clock reports it in /readyz, the doctor, the console and the metrics', async () => {
    const { key } = await right.makeKey({ mode: 'test' })
    for (const [index, node] of nodes.entries()) {
      const seconds = skews[index] ?? 0
      const { checks } = (await node.get('/readyz')).json as { checks: Record<string, unknown> }
      const metrics = (await node.get('/metrics')).text
      const { attention } = await node.admin<{ attention: { kind: string; level: string }[] }>('GET', '/overview')
      const findings = await node.service.diagnose()

      const isOff = !servesPaid(seconds)
      expect(checks).toMatchObject({ clock: seconds === 0 ? 'ok' : 'differs' })
      expect(Math.abs(Number(checks['clock_ahead_ms']) - seconds * 1_000)).toBeLessThan(1_000)
      expect(Number(/^vitae_clock_ahead_seconds (\S+)$/m.exec(metrics)?.[1])).toBeCloseTo(seconds, 0)
      const found = attention.filter(({ kind }) => kind === 'clock').map(({ level }) => level)
      expect(found).toEqual(seconds === 0 ? [] : [isOff ? 'danger' : 'warning'])
      const { state } = findings.find(({ name }) => name === 'clock') ?? {}
      expect(state).toBe(seconds === 0 ? 'ok' : isOff ? 'error' : 'warning')
      expect(await call(node, key)).toBe('200')
    }
  })
})
