import { expect, test } from 'vitest'
import fc from 'fast-check'
import { type FailureCode, failures } from '../../contract/src/index.ts'
import * as entry from '../src/index.ts'
import { failureErrors, VitaeError } from '../src/index.ts'
import { readFailure } from '../src/answers/read-failure.ts'
import { failed, openScriptedServer } from './scripted-server.ts'
import { openClient, rejection, testKey } from './test-client.ts'

const codes = Object.keys(failures) as FailureCode[]

async function failWith(...steps: Parameters<typeof openScriptedServer>) {
  const server = await openScriptedServer(...steps)
  const error = await rejection(openClient(server.url, { maxRetries: 0 }).client.people.profile('mira-fictional'))
  expect(error).toBeInstanceOf(VitaeError)
  return error as VitaeError
}

test.each(codes)('%s has its own class, with all details of the response', async (code) => {
  const error = await failWith(failed(code, { 'Retry-After': '7' }))

  const Class = failureErrors[code]
  expect(error.constructor).toBe(Class)
  expect(Object.values(entry)).toContain(Class)
  expect(error.name).toBe(Class.name)
  expect(error).toMatchObject({
    code,
    status: failures[code].status,
    retryable: failures[code].retryable,
    detail: failures[code].body === 'text' ? failures[code].title : `why ${code}`,
    requestId: 'req-1',
    errors: [],
    retryAfterSeconds: 7,
    rateLimit: { limit: 300, remaining: 299, resetSeconds: 60 },
    credits: { charged: null, remaining: 941, ceilingRemaining: 41 },
  })
  expect(error.message).toContain(code)
  expect(error.message).toContain('req-1')
})

test('no two codes share a class', () => {
  expect(new Set(Object.values(failureErrors)).size).toBe(codes.length)
})

test('a 400 names each wrong parameter', async () => {
  const errors = [{ parameter: 'max_age_days', detail: 'must be a plain decimal' }]

  const error = await failWith(failed('invalid_request', {}, { errors: [...errors, null, 'noise', { parameter: 1 }] }))

  expect(error.errors).toEqual(errors)
})

test.each([
  [401, 'VitaeAuthenticationError', false],
  [402, 'VitaePaymentError', false],
  [403, 'VitaePermissionError', false],
  [404, 'VitaeRequestError', false],
  [408, 'VitaeRequestError', true],
  [418, 'VitaeRequestError', false],
  [429, 'VitaeThrottledError', true],
  [500, 'VitaeServerError', true],
  [599, 'VitaeServerError', true],
])('an unknown code with status %i falls back to %s', async (status, name, retryable) => {
  const newer = await failWith({ status, headers: {}, body: 'a_code_of_tomorrow' })
  const page = await failWith({ status, headers: {}, body: '<html>Bad</html>' })

  expect(newer).toMatchObject({ name, code: 'a_code_of_tomorrow', status, retryable })
  expect(page).toMatchObject({ name, code: `http_${status}`, status, retryable })
})

test("a known code also falls back if its status differs from the contract's", async () => {
  const error = await failWith({ ...failed('not_found'), status: 503 })

  expect(error).toMatchObject({ name: 'VitaeServerError', code: 'not_found', retryable: true })
})

test('the classes of one status share a parent, so that one catch covers them all', async () => {
  expect(await failWith(failed('revoked_api_key'))).toBeInstanceOf(entry.VitaeAuthenticationError)
  expect(await failWith(failed('out_of_credits'))).toBeInstanceOf(entry.VitaePaymentError)
  expect(await failWith(failed('part_not_allowed'))).toBeInstanceOf(entry.VitaePermissionError)
  expect(await failWith(failed('upstream_allowance_exceeded'))).toBeInstanceOf(entry.VitaeThrottledError)
  expect(await failWith(failed('not_found'))).toBeInstanceOf(entry.VitaeRequestError)
  expect(await failWith(failed('not_stored'))).toBeInstanceOf(entry.VitaeServerError)
})

test('Retry-After is read as seconds or a date, and nothing else', () => {
  const read = (value: string) =>
    readFailure(
      { status: 503, headers: new Headers({ 'retry-after': value }), body: '' },
      { idempotencyKey: 'k', wallClockMs: Date.UTC(2026, 10, 14, 9, 30), redact: (text) => text },
    ).retryAfterSeconds

  expect(read('0')).toBe(0)
  expect(read('120')).toBe(120)
  expect(read('Sat, 14 Nov 2026 09:31:30 GMT')).toBe(90)
  expect(read('Sat, 14 Nov 2026 09:00:00 GMT')).toBe(0)
  expect(read('3.5')).toBeNull()
  expect(read('soon')).toBeNull()
})

test('any status and any body become an error', () => {
  const status = fc.integer({ min: 201, max: 599 })
  fc.assert(
    fc.property(status, fc.oneof(fc.string(), fc.json()), (given, body) => {
      const context = { idempotencyKey: 'k', wallClockMs: 0, redact: (text: string) => text }
      const error = readFailure({ status: given, headers: new Headers(), body }, context)
      expect(error).toBeInstanceOf(VitaeError)
      expect(error.status).toBe(given)
      expect(error.code).not.toBe('')
    }),
  )
})

test('no error contains the key, even if a service echoes it', async () => {
  const echo = failed(
    'invalid_request',
    {},
    {
      detail: `bad key ${testKey}`,
      errors: [{ parameter: testKey, detail: `saw ${testKey}` }],
    },
  )

  const error = await failWith(echo)

  expect(`${error.stack}${JSON.stringify(error)}`).not.toContain(testKey)
  expect(error.detail).toBe('bad key [key]')
})
