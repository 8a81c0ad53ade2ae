import { describe, expect, test } from 'vitest'
import { brightdata, brightdataDefaultUrl } from '../../../src/providers/brightdata/brightdata.ts'
import { goldenPayload } from '../golden/golden-answers.ts'
import { askFor, rawAnswer, scriptedSend } from '../scripted-send.ts'

const provider = brightdata({ url: brightdataDefaultUrl, key: 'secret-key' })
const person = goldenPayload('brightdata', 'people', 'a person')

describe('on the wire', () => {
  const dataset = { people: 'gd_l1viktl72bvl7bjuj0', companies: 'gd_l1vikfnt1wgvvqz95w' }

  test.each([
    ['people', 'slug', 'bo-harbour', 'https://www.linkedin.com/in/bo-harbour'],
    ['people', 'opaque', 'ACoAAABxyz', 'https://www.linkedin.com/in/ACoAAABxyz'],
    ['companies', 'slug', 'rope-works', 'https://www.linkedin.com/company/rope-works'],
    ['companies', 'id', '16180339', 'https://www.linkedin.com/company/16180339'],
  ] as const)('%s by %s are asked for by page, with the key in a header only', async (kind, type, value, page) => {
    const { send, requests } = scriptedSend({ body: [person] })

    const verdict = await provider.ask(askFor(kind, type, value), send)

    expect(verdict.outcome).toBe('found')
    expect(requests.map(({ method, url, body }) => [method, String(url), body])).toEqual([
      [
        'POST',
        `${brightdataDefaultUrl}/datasets/v3/scrape?dataset_id=${dataset[kind]}&format=json&include_errors=true`,
        JSON.stringify([{ url: page }]),
      ],
    ])
    expect(requests[0]?.headers.authorization).toBe('Bearer secret-key')
  })

  test('a slow page becomes a snapshot, which is polled until it is ready', async () => {
    const soon = { 'retry-after': '0' }
    const { send, requests } = scriptedSend(
      { status: 202, headers: soon, body: { snapshot_id: 's_1', message: 'later' } },
      { headers: soon, body: { status: 'running', snapshot_id: 's_1' } },
      { headers: soon, body: { status: 'ready', snapshot_id: 's_1' } },
      { status: 202, headers: soon, body: { status: 'building' } },
      { headers: soon, body: { status: 'ready' } },
      { headers: soon, body: { status: 'building', message: 'try again' } },
      { headers: soon, body: { status: 'ready' } },
      { body: [person] },
    )

    const verdict = await provider.ask(askFor('people', 'slug', 'bo-harbour'), send)

    expect(verdict).toMatchObject({ outcome: 'found', answer: rawAnswer({ body: [person] }) })
    const paths = requests.slice(1).map(({ method, url }) => `${method} ${url.pathname}`)
    const [progress, snapshot] = ['GET /datasets/v3/progress/s_1', 'GET /datasets/v3/snapshot/s_1']
    expect(paths).toEqual([progress, progress, snapshot, progress, snapshot, progress, snapshot])
    expect(requests.every((request) => request.headers.authorization === 'Bearer secret-key')).toBe(true)
  })

  test('a caller who leaves does not wait for a snapshot', async () => {
    const pending = { status: 202, headers: { 'retry-after': '3600' }, body: { snapshot_id: 's_1' } }
    const { send, requests } = scriptedSend(pending)
    const signal = AbortSignal.timeout(20)

    const asking = provider.ask(askFor('people', 'slug', 'bo-harbour', { signal }), send)

    await expect(asking).rejects.toMatchObject({ kind: 'timeout', answer: rawAnswer(pending) })
    expect(requests.length).toBe(1)
  })

  test.each([
    ['failed', { body: { status: 'failed', error_message: 'x' } }, 'unavailable'],
    ['cancelled', { body: { status: 'canceled' } }, 'unavailable'],
    ['lost', { status: 404, body: 'Snapshot does not exist' }, 'invalid'],
    ['forbidden', { status: 401, body: '' }, 'rejected'],
    ['nonsense', { body: 'hm' }, 'invalid'],
  ])('a snapshot that is %s is a fault', async (_, progress, kind) => {
    const pending = { status: 202, headers: { 'retry-after': '0' }, body: { snapshot_id: 's_1' } }

    const asking = provider.ask(askFor('people', 'slug', 'bo'), scriptedSend(pending, progress).send)

    await expect(asking).rejects.toMatchObject({ name: 'ProviderFault', kind, answer: rawAnswer(progress) })
  })

  test.each([
    ['a dead page', { body: [{ error: '4XX page - dead page.', error_code: 'dead_page', input: {} }] }],
    ['an error in words', { body: [{ error: 'Page not found' }] }],
    ['no row', { body: [] }],
    ['a warning without a record', { body: [{ warning: 'gone', warning_code: 'dead_page', timestamp: 'x' }] }],
    ['a plain 404', { status: 404, body: { error: 'not found' } }],
  ])('%s means that the record does not exist', async (_, reply) => {
    const verdict = await provider.ask(askFor('people', 'slug', 'nobody'), scriptedSend(reply).send)

    expect(verdict).toMatchObject({ outcome: 'not_found', cost: null })
  })

  test.each([
    ['a bad key', { status: 401, body: '' }, { kind: 'rejected' }],
    ['no credits left', { status: 402, body: 'Payment required' }, { kind: 'rejected' }],
    ['a closed door', { status: 403, body: '' }, { kind: 'rejected' }],
    [
      'too many calls',
      { status: 429, headers: { 'retry-after': '30' }, body: '' },
      { kind: 'limited', retryAfterSeconds: 30 },
    ],
    ['a failure', { status: 500, body: '' }, { kind: 'unavailable' }],
    [
      'a page that could not be read',
      { body: [{ error: 'Crawl failed', error_code: 'crawl_failed' }] },
      { kind: 'unavailable' },
    ],
    ['a refused input', { body: [{ error: 'Wrong input', error_code: 'bad_input' }] }, { kind: 'invalid' }],
    ['a missing data set', { status: 404, body: 'dataset does not exist' }, { kind: 'invalid' }],
    ['a refused request', { status: 400, body: { validation_errors: ['x'] } }, { kind: 'invalid' }],
    ['a snapshot without an id', { status: 202, body: { message: 'later' } }, { kind: 'invalid' }],
    ['a web page', { body: '<html></html>' }, { kind: 'invalid' }],
    ['a row about nobody', { body: [{ about: 'x' }] }, { kind: 'invalid' }],
    ['half a body', { body: '[{"id": "bo' }, { kind: 'invalid' }],
  ])('%s is a fault that keeps the answer', async (_, reply, fault) => {
    const asking = provider.ask(askFor('people', 'slug', 'bo'), scriptedSend(reply).send)

    await expect(asking).rejects.toMatchObject({ ...fault, name: 'ProviderFault', answer: rawAnswer(reply) })
  })
})
