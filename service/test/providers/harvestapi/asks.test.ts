import { describe, expect, test } from 'vitest'
import { harvestapi, harvestapiDefaultUrl } from '../../../src/providers/harvestapi/harvestapi.ts'
import { goldenPayload } from '../golden/golden-answers.ts'
import { askFor, rawAnswer, scriptedSend } from '../scripted-send.ts'

const provider = harvestapi({ url: harvestapiDefaultUrl, key: 'secret-key' })
const person = goldenPayload('harvestapi', 'people', 'a person')

describe('an ask', () => {
  test.each([
    ['people', 'slug', 'ada-wintergreen', '/linkedin/profile?publicIdentifier=ada-wintergreen'],
    ['people', 'opaque', 'ACoAAABxyz', '/linkedin/profile?profileId=ACoAAABxyz'],
    ['companies', 'slug', 'north-light', '/linkedin/company?universalName=north-light'],
    ['companies', 'id', '7700', '/linkedin/company?companyId=7700'],
  ] as const)('%s by %s are asked for with the key in a header only', async (kind, type, value, path) => {
    const { send, requests } = scriptedSend({ body: { element: person, cost: 2 } })

    const verdict = await provider.ask(askFor(kind, type, value, { fresh: true, maxAgeDays: 0 }), send)

    expect(verdict).toMatchObject({ outcome: 'found', cost: 2 })
    expect(requests.map(({ method, url }) => `${method} ${url.href}`)).toEqual([`GET ${harvestapiDefaultUrl}${path}`])
    expect(requests[0]?.headers).toMatchObject({ 'x-api-key': 'secret-key' })
    expect(String(requests[0]?.url)).not.toContain('secret-key')
  })

  test.each([
    ['a 404', { status: 404, body: { error: 'Profile not found' } }],
    ['a 404 inside a 200', { body: { element: null, status: 404, error: 'Not Found' } }],
    ['an error text inside a 200', { body: { error: { error: 'Profile does not exist' } } }],
    ['no element', { body: { element: null, status: 200, entityId: null } }],
    ['an empty element', { body: { element: {}, status: 200 } }],
  ])('%s means that the record does not exist', async (_, reply) => {
    const verdict = await provider.ask(askFor('people', 'slug', 'nobody'), scriptedSend(reply).send)

    expect(verdict.outcome).toBe('not_found')
    expect(verdict.answer.body.length).toBeGreaterThan(0)
  })

  test.each([
    ['a bad key', { status: 401, body: { error: 'Unauthorized' } }, { kind: 'rejected' }],
    ['no credits left', { status: 402, body: { error: 'Payment required' } }, { kind: 'rejected' }],
    ['a refusal', { status: 403, body: '' }, { kind: 'rejected' }],
    ['no credits left inside a 200', { body: { status: 402, error: 'x' } }, { kind: 'rejected' }],
    ['no credits left in words', { body: { error: 'Insufficient credits' } }, { kind: 'rejected' }],
    [
      'too many calls',
      { status: 429, headers: { 'Retry-After': '7' }, body: '' },
      { kind: 'limited', retryAfterSeconds: 7 },
    ],
    ['too many calls at once', { status: 400, body: { error: 'Concurrency limit reached' } }, { kind: 'limited' }],
    ['a failure', { status: 503, body: '' }, { kind: 'unavailable' }],
    ['a failure inside a 200', { body: { status: 500, error: 'x' } }, { kind: 'unavailable' }],
    ['a web page', { body: '<html>hello</html>' }, { kind: 'invalid' }],
    ['a web page with 404', { status: 404, body: '<html>nginx</html>' }, { kind: 'invalid' }],
    ['half a body', { body: '{"element": {"id": "AC' }, { kind: 'invalid' }],
    ['a list', { body: [1] }, { kind: 'invalid' }],
    ['an unknown complaint', { body: { error: 'teapot' } }, { kind: 'invalid' }],
    ['a refused request', { status: 400, body: { error: 'bad url' } }, { kind: 'invalid' }],
  ])('%s is a fault that keeps the answer', async (_, reply, fault) => {
    const asking = provider.ask(askFor('people', 'slug', 'ada'), scriptedSend(reply).send)

    await expect(asking).rejects.toMatchObject({ ...fault, name: 'ProviderFault', answer: rawAnswer(reply) })
    await expect(asking).rejects.not.toThrow(/secret-key/)
  })
})
