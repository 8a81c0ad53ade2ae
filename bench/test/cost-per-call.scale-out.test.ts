import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { countPostgres, countRedis } from '../../service/test/harness/counting-way.ts'
import { openOwnDatabase, type OwnDatabase } from '../../service/test/harness/engines.ts'
import { hasEngines } from '../../service/test/harness/scale-out-engine.ts'
import { openCountingService, type CountingService } from './counting-service.ts'

describe.skipIf(!hasEngines)('the cost of a hot store answer on PostgreSQL and Redis', () => {
  let database: OwnDatabase
  let service: CountingService

  beforeAll(async () => {
    database = await openOwnDatabase()
    service = await openCountingService({
      DATABASE_URL: database.url,
      REDIS_URL: process.env['TEST_REDIS_URL'] ?? '',
    })
    await service.get('live', 'ada-example')
  })
  afterAll(async () => {
    await service?.close()
    await database?.drop()
  })
  afterEach(() => void vi.restoreAllMocks())

  /** Counts the rate-limit commands to Redis, without the occasional health checks. */
  function countRoundTrips(): () => number {
    const sent = vi.spyOn(Redis.prototype, 'sendCommand')
    return () => sent.mock.calls.filter(([command]) => command.name.startsWith('eval')).length
  }

  test('is one message to the store, one write to the caller and one round trip to Redis', async () => {
    const roundTrips = countRoundTrips()

    const costs = await service.costOf(async () => {
      for (let call = 0; call < 10; call++) await service.get('live', 'ada-example')
    })

    expect(costs).toMatchObject({ messages: { 'credits.settle': 10 }, upstreamCalls: 0, writes: 10 })
    expect(Object.keys(costs.messages)).toEqual(['credits.settle'])
    expect(roundTrips()).toBe(10)
  })

  test('no statement of a settlement is parsed twice on one connection', async () => {
    const parsed = vi.spyOn(pg.Connection.prototype, 'parse')
    for (let call = 0; call < 20; call++) await service.get('live', 'ada-example')

    const seen = new Map<unknown, Set<string>>()
    const again = parsed.mock.calls.filter(([{ text }], index) => {
      const texts = seen.get(parsed.mock.contexts[index]) ?? new Set()
      seen.set(parsed.mock.contexts[index], texts)
      return texts.has(text) || !texts.add(text)
    })

    expect(again.map(([{ text }]) => text).filter((text) => /environments|entries|calls/.test(text))).toEqual([])
  })

  test('calls that arrive together share their round trips to Redis and their settlements', async () => {
    const calls = 64
    const roundTrips = countRoundTrips()

    const { messages } = await service.costOf(() => service.getPipelined(calls, 'ada-example'))

    expect(roundTrips()).toBeLessThanOrEqual(calls / 8)
    expect(messages['credits.settle']).toBeLessThanOrEqual(calls / 8)
  })
})

describe.skipIf(!hasEngines)('the cost of a live miss on PostgreSQL and Redis', () => {
  test('is at most 9 messages to PostgreSQL and 7 to Redis', async () => {
    const database = await openOwnDatabase()
    const postgres = await countPostgres(database.url)
    const redis = await countRedis(process.env['TEST_REDIS_URL'] ?? '')
    const service = await openCountingService({ DATABASE_URL: postgres.url, REDIS_URL: redis.url })
    const misses = 50
    const during = async (work: () => Promise<unknown>) => {
      const [began, toPostgres, toRedis] = [performance.now(), postgres.messages, redis.messages]
      await work()
      const ms = performance.now() - began
      return { ms, postgres: postgres.messages - toPostgres, redis: redis.messages - toRedis }
    }
    const miss = async (name: string) => {
      for (let call = 0; call < misses; call++) await service.get('live', `${name}-${call}`)
    }
    try {
      await miss('first')
      // Heartbeats and jobs send messages too, with or without calls.
      const idle = await during(() => new Promise((resolve) => setTimeout(resolve, 2_000)))
      const busy = await during(() => miss('miss'))

      const perMiss = (of: 'postgres' | 'redis') => (busy[of] - (idle[of] * busy.ms) / idle.ms) / misses
      expect(perMiss('postgres')).toBeLessThanOrEqual(9.5)
      expect(perMiss('redis')).toBeLessThanOrEqual(7)
      if (process.env['VITAE_TEST_FIGURES'])
        console.log({ postgres: perMiss('postgres'), redis: perMiss('redis'), idle })
    } finally {
      await service.close()
      for (const way of [postgres, redis]) way.close()
      await database.drop()
    }
  })
})
