import { expect, test } from 'vitest'
import { failureResponse, fromFastify, toFailure } from '../../src/http/exchange/failure-response.ts'

const bugs = [
  new Error('relation "keys" does not exist'),
  Object.assign(new TypeError('ada-lovelace is not a function'), { code: 'ERR_ODD', statusCode: 404 }),
  'ada-lovelace',
  undefined,
]

test.each(bugs)('a bug is a 500 that reveals nothing: %s', (bug) => {
  for (const failure of [toFailure(bug), fromFastify(bug)]) {
    const { status, headers, body } = failureResponse(failure, 'req_1')
    expect(status).toBe(500)
    expect(headers).toEqual({ 'Content-Type': 'application/problem+json' })
    expect(JSON.parse(body)).toMatchObject({ status: 500, code: 'internal_error', request_id: 'req_1' })
    expect(body).not.toMatch(/relation|lovelace|at \w/)
  }
})

test('a caller who hangs up within its body is not an internal error; a reset of our own connection is one', () => {
  const reset = (facts: object) => fromFastify(Object.assign(new Error('aborted'), { code: 'ECONNRESET', ...facts }))

  expect([reset({ statusCode: 400 }).code, reset({}).code]).toEqual(['invalid_request', 'internal_error'])
})
