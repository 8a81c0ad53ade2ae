import { setImmediate as nextTurn, setTimeout as paceOfCaller } from 'node:timers/promises'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import type { LimitedRate, RateVerdict } from '../../src/accounts/rate-limits/rate-limiter.ts'
import type { Engine } from '../../src/app/deps/engine.ts'
import type { Rate } from '../../src/foundation/rate.ts'
import { busyMachine } from '../harness/child-service.ts'
import { cuttableWay, hasEngines, openNode, ownDatabase, ownRedis, until } from '../harness/scale-out-engine.ts'

const id = 'key-of-ada'
const longWindow = { limit: 90, windowMs: 60_000 }
const shortWindow = { limit: 60, windowMs: 4_000 }

/** The number of calls that each node allows, one after another and all at once. */
async function calls(nodes: readonly Engine[], perNode: number, rate = longWindow): Promise<number[]> {
  return Promise.all(
    nodes.map(async ({ limiter }) => {
      const verdicts = await Promise.all(Array.from({ length: perNode }, async () => limiter.take(id, rate)))
      return verdicts.filter((verdict) => verdict.allowed).length
    }),
  )
}

const take = async ({ limiter }: Engine, caller: string, rate: Rate) => limiter.take(caller, rate)

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

async function openNodes(count: number, redisUrl: string | null): Promise<Engine[]> {
  const databaseUrl = await ownDatabase()
  return Promise.all(Array.from({ length: count }, () => openNode(databaseUrl, redisUrl)))
}

/** Waits until the nodes know every window of this length, as they do when they have run for longer than that. */
async function knowing(nodes: readonly Engine[], { windowMs }: Rate): Promise<void> {
  await until(() => nodes.every(({ limiter }) => limiter.state!().knownForMs > windowMs))
}

/** A final verdict: "not yet agreed" is a refusal for one second, so ask again, as a caller would. */
async function finalVerdict(node: Engine, caller: string, rate: LimitedRate): Promise<RateVerdict> {
  for (;;) {
    const verdict = await node.limiter.take(caller, rate)
    if (verdict.allowed || verdict.resetSeconds > 1) return verdict
    await paceOfCaller(20)
  }
}

/** The number of calls that are allowed until each node refuses. */
async function untilRefused(nodes: readonly Engine[], caller: string, rate: LimitedRate): Promise<number> {
  let allowed = 0
  for (const node of nodes) while ((await finalVerdict(node, caller, rate)).allowed) allowed++
  return allowed
}

/** An allowed call: it counted at some moment between its question and its verdict. */
interface Allowed {
  askedAt: number
  at: number
}

/** Callers that take all they get from every node; returns the allowed calls per limit. */
function greedyCallers(nodes: readonly Engine[], rates: readonly Rate[]) {
  const allowedCalls = rates.map((): Allowed[] => [])
  let isOver = false
  const callers = nodes.flatMap((node) =>
    rates.map(async (rate, index) => {
      while (!isOver) {
        const askedAt = performance.now()
        const verdicts = await Promise.all(
          Array.from({ length: rate.limit + 1 }, async () => node.limiter.take(`greedy-${index}`, rate)),
        )
        for (const { allowed } of verdicts) if (allowed) allowedCalls[index]!.push({ askedAt, at: performance.now() })
        await paceOfCaller(100)
      }
    }),
  )
  return {
    allowedCalls,
    end: async () => {
      isOver = true
      await Promise.all(callers)
    },
  }
}

/**
 * The calls of each fixed window. Nodes record a call up to a quarter of a window late, and while limits are divided each
 * begins its windows by itself. So a call near the end of a window belongs to the next one only if this one is full.
 */
function callsPerWindow(calls: readonly Allowed[], { limit, windowMs }: LimitedRate): number[] {
  const counts: number[] = []
  let first: Allowed = { askedAt: -Infinity, at: -Infinity }
  for (const call of calls.toSorted((one, other) => one.at - other.at)) {
    // A busy machine hears of a verdict late, so the call may be as old as its question.
    const isSurelyNext = call.askedAt - first.at > windowMs * 1.25
    const isNext = isSurelyNext || (call.at - first.askedAt > windowMs * 0.75 && (counts.at(-1) ?? 0) >= limit)
    if (isNext) {
      counts.push(0)
      first = call
    }
    // The call that began the window may be heard of after later ones.
    first = { askedAt: Math.min(first.askedAt, call.askedAt), at: first.at }
    counts.push((counts.pop() ?? 0) + 1)
  }
  return counts
}

/** Each takes half a minute of windows. A frozen Redis is lost like a killed one, after a timeout. */
const losses = [
  'killed',
  'cut off from one node',
  ...(process.env['VITAE_TEST_LONG'] ? (['frozen'] as const) : []),
] as const

describe.skipIf(!hasEngines)('limits across nodes', () => {
  test('exactly the limit is allowed, whichever node is asked, and refused calls get the reset time', async () => {
    const redis = await ownRedis()
    const nodes = await openNodes(3, redis.url)

    expect(sum(await calls(nodes, 60))).toBe(90)
    const refused = await nodes[1]?.limiter.take(id, longWindow)
    expect(refused).toMatchObject({ allowed: false, limit: 90, remaining: 0 })
    expect(refused?.resetSeconds).toBeGreaterThan(40)
  })

  test('for any calls on two nodes, each allowed call has its own position in the limit, and the rest are refused', async () => {
    const redis = await ownRedis()
    const nodes = await openNodes(2, redis.url)
    const bursts = fc.array(
      fc.record({ node: fc.nat(1), calls: fc.integer({ min: 1, max: 20 }), waits: fc.boolean() }),
      {
        minLength: 1,
        maxLength: 8,
      },
    )
    let run = 0

    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), bursts, async (limit, given) => {
        const [caller, rate] = [`caller-${run++}`, { limit, windowMs: 60_000 }]
        const asked: Promise<RateVerdict>[] = []
        for (const { node, calls, waits } of given) {
          for (let call = 0; call < calls; call++) asked.push(take(nodes[node]!, caller, rate))
          // The next burst arrives in another turn, or after the verdicts.
          await (waits ? Promise.all(asked) : nextTurn())
        }
        const verdicts = await Promise.all(asked)

        const left = verdicts.filter(({ allowed }) => allowed).map(({ remaining }) => remaining)
        const admitted = Math.min(limit, asked.length)
        expect(left.toSorted((a, b) => b - a)).toEqual(
          Array.from({ length: admitted }, (_, index) => limit - 1 - index),
        )
        const refused = verdicts.filter(({ allowed }) => !allowed)
        expect(refused.every(({ remaining, resetSeconds }) => remaining === 0 && resetSeconds > 40)).toBe(true)
      }),
      { numRuns: 25 },
    )
  })

  test('calls of one key in one turn of the event loop make one round trip to Redis', async () => {
    const redis = await ownRedis()
    const nodes = await openNodes(1, redis.url)
    const operator = new Redis(redis.url)
    const counts = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await operator.info('commandstats'))?.[1])
    await calls(nodes, 1)
    const before = await counts()

    expect(sum(await calls(nodes, 100))).toBe(89)

    expect((await counts()) - before).toBe(1)
    operator.disconnect()
  })

  test('returned units can be taken again, and refused calls use none', async () => {
    const redis = await ownRedis()
    const [one, two] = await openNodes(2, redis.url)
    const rate = { limit: 2, windowMs: 60_000 }
    await calls([one!, two!], 5, rate)

    await one!.limiter.giveBack(id, rate)

    expect(sum(await calls([two!], 5, rate))).toBe(1)
  })

  test.each(losses)(
    'Redis %s under greedy callers: no window has more calls than its limit, and later all of it is granted again',
    async (how) => {
      const redis = await ownRedis()
      const way = await cuttableWay(redis.url)
      const databaseUrl = await ownDatabase()
      const urls = [how === 'cut off from one node' ? way.url : redis.url, redis.url, redis.url]
      const fixed = how === 'frozen' ? {} : busyMachine
      const nodes = await Promise.all(urls.map((url) => openNode(databaseUrl, url, {}, fixed)))
      // The second limit is smaller than the number of nodes.
      const rates = [60, 2].map((limit) => ({ limit, windowMs: 4_000 }))
      await knowing(nodes, rates[0]!)
      const callers = greedyCallers(nodes, rates)
      const windows = (index: number) => callsPerWindow(callers.allowedCalls[index]!, rates[index]!)
      await until(() => windows(0).length >= 2)

      if (how === 'killed') await redis.kill()
      else if (how === 'frozen') redis.freeze()
      else way.cut()
      await until(() => nodes.some((node) => node.limiter.state!().isDivided))
      const atLoss = windows(0).length
      await until(() => windows(0).length >= atLoss + 2)
      if (how === 'killed') await redis.restart()
      redis.thaw()
      way.mend()
      await until(() => nodes.every((node) => node.peers.connected))
      // Long enough for Redis to count alone again.
      const atReturn = windows(0).length
      await until(() => windows(0).length >= atReturn + 5)
      await callers.end()

      for (const [index, { limit }] of rates.entries())
        expect(Math.max(...windows(index)), windows(index).join()).toBe(limit)
    },
  )

  test('a node that loses Redis while an earlier alarm ends grants nothing until all know of this loss', async () => {
    const redis = await ownRedis()
    const way = await cuttableWay(redis.url)
    const databaseUrl = await ownDatabase()
    const nodes = await Promise.all([way.url, redis.url, redis.url].map((url) => openNode(databaseUrl, url)))
    await knowing(nodes, shortWindow)
    const [cutOff, ...others] = nodes as [Engine, ...Engine[]]
    const {
      nodes: { beat },
      nodes: { raiseAlarm },
    } = cutOff.store
    const [answered, heartbeat, alarm] = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
    const earlier = await others[0]!.store.nodes.raiseAlarm(null)
    cutOff.store.nodes.beat = async (own) => {
      const state = await beat(own)
      if (own.heard < earlier || state.behind > 0) return state
      answered!.resolve()
      await heartbeat!.promise
      return state
    }
    cutOff.store.nodes.raiseAlarm = async (args) => alarm!.promise.then(() => raiseAlarm(args))
    await answered!.promise

    way.cut()
    await until(() => !cutOff.peers.connected)
    heartbeat!.resolve()
    const alone = take(cutOff, id, shortWindow)
    const granted = await calls(others, shortWindow.limit, shortWindow)
    alarm!.resolve()
    const grantedAlone = (await alone).allowed ? 1 : 0

    expect(sum(granted) + grantedAlone).toBe(shortWindow.limit)
  })

  test('without Redis running windows are closed until they end, new ones are divided, and misses continue', async () => {
    const redis = await ownRedis()
    const nodes = await openNodes(3, redis.url)
    const rate = { limit: 91, windowMs: 8_000 }
    const misses = { limit: 9, windowMs: 3_600_000, opensAtOnce: true }
    await knowing(nodes, rate)
    expect(await untilRefused(nodes, 'misses', misses)).toBe(9)
    const heard = nodes
      .slice(1)
      .map(({ peers }) => new Promise<void>((resolve) => peers.listen((item) => item.topic === 'windows' && resolve())))
    const began = performance.now()
    expect((await take(nodes[0]!, 'running', rate)).allowed).toBe(true)
    await Promise.all(heard)

    await redis.kill()
    await until(() => nodes.every((node) => !node.peers.connected))
    const asked = performance.now()
    const [closed, fresh, missed] = await Promise.all([
      Promise.all(nodes.map((node) => finalVerdict(node, 'running', rate))),
      untilRefused(nodes, 'fresh', rate),
      untilRefused(nodes, 'misses', misses),
    ])

    // On a busy machine the windows may have ended meanwhile.
    const [isRunning, isOneWindow] = [began, asked].map((since) => performance.now() - since < rate.windowMs)
    if (isRunning) expect(closed.every(({ allowed, resetSeconds }) => !allowed && resetSeconds <= 8)).toBe(true)
    // 91 / 3, with the one that remains for the first node, unless its place has just changed.
    if (isOneWindow) expect([90, 91]).toContain(fresh)
    // Each has its part, unless a busy machine has used it at an earlier loss.
    expect(missed).toBeLessThanOrEqual(9)
    await paceOfCaller(Math.max(...closed.map(({ resetSeconds }) => resetSeconds)) * 1_000)
    expect((await take(nodes[1]!, 'running', rate)).allowed).toBe(true)
  })

  test('a window that begins while a node cannot hear of it is not granted again by that node', async () => {
    const redis = await ownRedis()
    const way = await cuttableWay(redis.url)
    const databaseUrl = await ownDatabase()
    const [cut, other] = await Promise.all([way.url, redis.url].map((url) => openNode(databaseUrl, url)))
    const rate = { limit: 40, windowMs: 9_000 }
    await knowing([cut!, other!], rate)
    const began = performance.now()

    way.cut()
    const before = sum(await calls([other!], 40, rate))
    const after = await untilRefused([cut!], id, rate)

    // On a busy machine the window may have ended meanwhile.
    const isOneWindow = performance.now() - began < rate.windowMs
    expect(before + (isOneWindow ? after : 0)).toBe(40)
  })

  test('a node that starts while Redis is gone waits for one window before it grants its part', async () => {
    const redis = await ownRedis()
    await redis.kill()
    const node = await openNode(await ownDatabase(), redis.url, {}, {})
    const rate = { limit: 5, windowMs: 2_000 }

    const first = await finalVerdict(node, id, rate)
    await until(async () => (await take(node, id, rate)).allowed)

    expect(first).toMatchObject({ allowed: false, remaining: 0 })
    expect(node.limiter.state!()).toMatchObject({ isDivided: true })
  })

  test.each(['restarts empty', 'is flushed'] as const)(
    'Redis %s under running nodes: the running window stays within its limit',
    async (how) => {
      const redis = await ownRedis()
      const nodes = await openNodes(2, redis.url)
      expect(sum(await calls([nodes[0]!], 80))).toBe(80)

      if (how === 'is flushed') {
        const operator = new Redis(redis.url)
        await operator.flushall()
        operator.disconnect()
      } else {
        await redis.kill()
        await until(() => nodes.every((node) => !node.peers.connected))
        await redis.restart()
        await until(() => nodes.every((node) => node.peers.connected))
      }

      expect(await untilRefused([nodes[1]!, nodes[0]!], id, longWindow)).toBeLessThanOrEqual(10)
    },
  )

  test('a node without REDIS_URL that is alone grants its limit from the start', async () => {
    const [node] = await openNodes(1, null)

    expect(await untilRefused([node!], id, longWindow)).toBe(90)
  })
})
