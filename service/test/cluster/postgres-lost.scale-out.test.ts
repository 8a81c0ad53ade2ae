import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasEngines, ownRedis, until } from '../harness/scale-out-engine.ts'
import { openServices } from '../harness/node-services.ts'
import { startOwnPostgres, type OwnPostgres } from '../harness/own-postgres.ts'

let postgres: OwnPostgres | null = null

beforeAll(async () => {
  if (hasEngines) postgres = await startOwnPostgres()
})
afterAll(async () => postgres?.close())

/** Measures the time of an answer. */
async function timed<Answer>(answer: Promise<Answer>): Promise<{ answer: Answer; seconds: number }> {
  const started = performance.now()
  return { answer: await answer, seconds: (performance.now() - started) / 1_000 }
}

describe.skipIf(!hasEngines)('PostgreSQL lost', () => {
  test.each(['stopped', 'frozen'] as const)(
    '%s: every lookup is 503 within seconds, even for a cached record and key, nothing is billed, and service resumes when it is back',
    async (how) => {
      if (!postgres) return
      const redis = await ownRedis()
      const { services } = await openServices([redis.url, redis.url], {}, postgres.url, { postgresPatience: 1 })
      const [one, two] = [services[0]!, services[1]!]
      await until(async () => (await one.person('ada-fiction')).status === 200)
      const { balance } = await one.balance()

      if (how === 'stopped') await postgres.stopAtOnce()
      else postgres.freeze()
      // At once, because each waits for as long as PostgreSQL has to answer.
      const [known, unknown, ready] = await Promise.all([
        timed(one.person('ada-fiction')),
        timed(two.person(`bea-fiction-${how}`)),
        timed(two.get('/readyz')),
      ])

      expect([known.answer.status, known.answer.json['code']]).toEqual([503, 'store_unavailable'])
      expect([unknown.answer.status, unknown.answer.json['code']]).toEqual([503, 'store_unavailable'])
      expect(known.answer.headers.get('retry-after')).toBe('1')
      expect(ready.answer).toMatchObject({
        status: 503,
        json: { status: 'not_ready', checks: { store: 'unreachable' } },
      })
      expect((await one.get('/healthz')).status).toBe(200)
      expect(Math.max(known.seconds, unknown.seconds, ready.seconds)).toBeLessThan(20)

      if (how === 'stopped') await postgres.start()
      else postgres.thaw()
      await until(async () => (await two.get('/readyz')).status === 200)

      await until(async () => (await one.person('ada-fiction')).status === 200)
      expect((await one.balance()).balance).toBeLessThan(balance)
      expect((await one.admin<{ ok: boolean }>('GET', '/ledger/verify')).ok).toBe(true)
    },
  )
})
