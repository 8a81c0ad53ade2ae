import { expect, test } from 'vitest'
import fc from 'fast-check'
import { type FailureCode, failures } from '../../contract/src/index.ts'
import { VitaeConnectionError, VitaeRateLimitExceededError } from '../src/index.ts'
import { retryDelay } from '../src/calls/retry-delay.ts'
import { person } from './people.ts'
import { failed, found, openScriptedServer, type Seen } from './scripted-server.ts'
import { fakeTiming, openClient, rejection } from './test-client.ts'

const keysOf = (seen: Seen[]) => new Set(seen.map(({ headers }) => headers['idempotency-key']))
const codes = Object.keys(failures) as FailureCode[]

test.each(codes.filter((code) => failures[code].retryable))(
  '%s is retried with the same Idempotency-Key',
  async (code) => {
    const server = await openScriptedServer(failed(code), failed(code), found(person()))

    const answer = await openClient(server.url).client.people.profile('mira-fictional')

    expect(answer.record).toEqual(person())
    expect(server.seen).toHaveLength(3)
    expect(keysOf(server.seen).size).toBe(1)
  },
)

test.each(codes.filter((code) => !failures[code].retryable))('%s is not retried', async (code) => {
  const server = await openScriptedServer(failed(code, { 'Retry-After': '1' }), found(person()))

  const error = await rejection(openClient(server.url).client.people.profile('mira-fictional'))

  expect(error).toMatchObject({ code, retryable: false })
  expect(server.seen).toHaveLength(1)
})

test('a broken connection is retried with the same Idempotency-Key, even if it breaks inside the body', async () => {
  const server = await openScriptedServer('drop', 'drop-in-body', found(person(), { 'Idempotent-Replayed': 'true' }))

  const answer = await openClient(server.url).client.people.profile('mira-fictional', { idempotencyKey: 'order-7' })

  expect(answer.replayed).toBe(true)
  expect(server.seen).toHaveLength(3)
  expect([...keysOf(server.seen)]).toEqual(['order-7'])
})

test('all attempts of a call send the same request', async () => {
  const server = await openScriptedServer(failed('overloaded'), found(person()))

  await openClient(server.url).client.people.profile('mira-fictional', { maxAgeDays: 1, refuseStale: true })

  const asked = server.seen.map(({ path, query, headers }) => [path, query.toString(), headers['cache-control']])
  expect(asked[1]).toEqual(asked[0])
})

test('an unreachable service is retried, then reported with the key to continue with', async () => {
  const server = await openScriptedServer('drop')
  await server.close()
  const { client, waits } = openClient(server.url, { maxRetries: 2 })

  const error = await rejection(client.people.profile('mira-fictional', { idempotencyKey: 'order-7' }))

  expect(error).toBeInstanceOf(VitaeConnectionError)
  expect(error).toMatchObject({ code: 'connection_failed', status: null, retryable: true, idempotencyKey: 'order-7' })
  expect(String(error)).toContain('ECONNREFUSED')
  expect(waits).toHaveLength(2)
})

test('after maxRetries retries the last failure is thrown', async () => {
  for (const maxRetries of [0, 1, 3]) {
    const server = await openScriptedServer(failed('internal_error'))
    const error = await rejection(openClient(server.url, { maxRetries }).client.people.profile('mira-fictional'))
    expect(error).toMatchObject({ code: 'internal_error' })
    expect(server.seen).toHaveLength(maxRetries + 1)
  }
})

test('the client waits for the full Retry-After', async () => {
  const server = await openScriptedServer(failed('rate_limit_exceeded', { 'Retry-After': '42' }), found(person()))
  const { client, waits } = openClient(server.url)

  await client.people.profile('mira-fictional')

  expect(waits).toEqual([42_000])
})

test("the client skips a Retry-After longer than the call's time and throws at once", async () => {
  const server = await openScriptedServer(failed('rate_limit_exceeded', { 'Retry-After': '3600' }), found(person()))
  const { client, waits } = openClient(server.url, { timeoutMs: 60_000 })

  const error = await rejection(client.people.profile('mira-fictional'))

  expect(error).toBeInstanceOf(VitaeRateLimitExceededError)
  expect(error).toMatchObject({ retryAfterSeconds: 3600 })
  expect(waits).toEqual([])
})

test("several waits together do not exceed the call's time", async () => {
  const server = await openScriptedServer(failed('rate_limit_exceeded', { 'Retry-After': '25' }))
  const { client, waits } = openClient(server.url, { timeoutMs: 60_000 })

  await rejection(client.people.profile('mira-fictional'))

  expect(waits).toEqual([25_000, 25_000])
})

test('without Retry-After the waits double, with full jitter', async () => {
  const server = await openScriptedServer(failed('internal_error'))
  const { timing, waits } = fakeTiming(0.5)

  await rejection(openClient(server.url, { timing, maxRetries: 7 }).client.people.profile('mira-fictional'))

  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000])
})

test("a wait is never shorter than Retry-After, never beyond the call's time, and little longer than requested", () => {
  const bounds = fc.record({
    attempt: fc.integer({ min: 1, max: 50 }),
    maxRetries: fc.integer({ min: 0, max: 50 }),
    leftMs: fc.integer({ min: -10, max: 200_000 }),
    chance: fc.double({ min: 0, max: 0.999, noNaN: true }),
  })
  const seconds = fc.option(fc.integer({ min: 0, max: 300 }))
  fc.assert(
    fc.property(bounds, seconds, fc.boolean(), ({ chance, ...given }, retryAfterSeconds, retryable) => {
      const delay = retryDelay({ retryable, retryAfterSeconds }, { ...given, random: () => chance })
      if (!retryable || given.attempt > given.maxRetries) expect(delay).toBeNull()
      if (delay === null) return
      expect(delay).toBeGreaterThanOrEqual((retryAfterSeconds ?? 0) * 1000)
      expect(delay).toBeLessThanOrEqual(retryAfterSeconds === null ? 8_000 : retryAfterSeconds * 1000 + 1_000)
      expect(delay).toBeLessThanOrEqual(given.leftMs)
    }),
  )
})
