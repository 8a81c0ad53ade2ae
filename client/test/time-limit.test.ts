import { getEventListeners } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { VitaeAbortError, VitaeTimeoutError } from '../src/index.ts'
import { systemTiming } from '../src/calls/timing.ts'
import { person } from './people.ts'
import { failed, found, openScriptedServer } from './scripted-server.ts'
import { openClient, rejection } from './test-client.ts'

const never = () => new Promise<never>(() => {})

afterEach(() => vi.useRealTimers())

test('a call without an answer ends at its timeout, and reports the key to continue with', async () => {
  const server = await openScriptedServer('hang')

  const error = await rejection(
    openClient(server.url).client.people.profile('mira-fictional', { timeoutMs: 60, idempotencyKey: 'order-7' }),
  )

  expect(error).toBeInstanceOf(VitaeTimeoutError)
  expect(error).toMatchObject({ code: 'timed_out', status: null, retryable: true, idempotencyKey: 'order-7' })
})

test('a timeout applies even if fetch ignores the signal', async () => {
  const { client } = openClient('http://127.0.0.1:1', { fetch: never, timeoutMs: 20 })

  expect(await rejection(client.people.profile('mira-fictional'))).toBeInstanceOf(VitaeTimeoutError)
})

test('the timeout includes the retries, and reports the failure before it', async () => {
  const server = await openScriptedServer(failed('upstream_timeout'), 'hang')

  const error = await rejection(openClient(server.url, { timeoutMs: 150 }).client.people.profile('mira-fictional'))

  expect(error).toBeInstanceOf(VitaeTimeoutError)
  expect(error).toHaveProperty('cause.code', 'upstream_timeout')
  expect(server.seen).toHaveLength(2)
})

test('an abort ends a call in progress without a retry', async () => {
  const controller = new AbortController()
  const server = await openScriptedServer('hang')
  const call = openClient(server.url, {
    onRequest: () => setImmediate(() => controller.abort(new Error('page closed'))),
  }).client.people.profile('mira-fictional', { signal: controller.signal })

  const error = await rejection(call)

  expect(error).toBeInstanceOf(VitaeAbortError)
  expect(error).toMatchObject({ code: 'aborted', retryable: false })
  expect(error).toHaveProperty('cause.message', 'page closed')
  expect(server.seen.length).toBeLessThanOrEqual(1)
})

test('an abort ends a wait at once', async () => {
  const controller = new AbortController()
  const server = await openScriptedServer(failed('rate_limit_exceeded', { 'Retry-After': '60' }))
  const call = openClient(server.url, {
    timing: systemTiming,
    onRetry: () => setImmediate(() => controller.abort()),
  }).client.people.profile('mira-fictional', { signal: controller.signal })

  expect(await rejection(call)).toBeInstanceOf(VitaeAbortError)
  expect(server.seen).toHaveLength(1)
})

test('an aborted signal sends nothing', async () => {
  const sent: string[] = []
  const { client } = openClient('http://127.0.0.1:1', {
    fetch: (url) => {
      sent.push(url)
      return never()
    },
  })

  const error = await rejection(client.people.profile('mira-fictional', { signal: AbortSignal.abort() }))

  expect(error).toBeInstanceOf(VitaeAbortError)
  expect(sent).toEqual([])
})

test('calls leave no listener on a signal that outlives them', async () => {
  const { signal } = new AbortController()
  const server = await openScriptedServer(found(person()), failed('not_found'))
  const { client } = openClient(server.url)

  await client.people.profile('mira-fictional', { signal })
  await rejection(client.people.profile('mira-fictional', { signal }))

  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('a sleep with an aborted signal does not start', async () => {
  await expect(systemTiming.sleep(60_000, AbortSignal.abort('over'))).rejects.toBe('over')
})

test('a completed sleep leaves no listener', async () => {
  const { signal } = new AbortController()

  await systemTiming.sleep(1, signal)

  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('neither a finished call nor an aborted sleep keeps the process alive', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const controller = new AbortController()
  const refused = async () => ({ status: 404, headers: new Headers(), text: async () => 'not_found' })

  await rejection(openClient('http://127.0.0.1:1', { fetch: refused }).client.people.profile('mira-fictional'))
  const sleep = systemTiming.sleep(60_000, controller.signal)
  expect(vi.getTimerCount()).toBe(1)
  controller.abort()
  await rejection(sleep)

  expect(vi.getTimerCount()).toBe(0)
})
