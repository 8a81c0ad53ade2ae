import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { contractCompany } from '../../fake-provider/contract-company.ts'
import { contractPerson } from '../../fake-provider/contract-person.ts'
import { runDueWatches } from '../../src/watches/run-watches.ts'
import { startTestService, type TestCaller, type TestService } from '../harness/test-service.ts'

let service: TestService
let caller: TestCaller

beforeAll(async () => {
  service = await startTestService({
    env: { VITAE_PRICE_PEOPLE: '2' },
    fixed: { priceLines: [{ by: 'match', credits: 3 }], watchesPerEnvironment: 2 },
  })
})
afterAll(() => service.close())
beforeEach(async () => {
  caller = await service.newCaller(20)
})

const send = (body: object, headers: Record<string, string> = {}, key = caller.key) =>
  service.get(
    '/v1/watches',
    { ApiKey: key, 'content-type': 'application/json', ...headers },
    'POST',
    JSON.stringify(body),
  )
const watch = (match: object, headers?: Record<string, string>, key?: string) =>
  send({ kind: 'people', match, every_days: 7, note: 'champion' }, headers, key)

test('a watch by known facts is matched once, paid for as a match, and the record is watched from then on', async () => {
  const made = await watch({ email: 'wilma-marked@acme.example' })
  const billed = 20 - (await caller.balance())
  await runDueWatches(service.service, 4)
  const first = 20 - (await caller.balance())
  const again = await watch({ email: 'Wilma-Marked@acme.example' })
  service.upstream.people.set('wilma-marked', { ...contractPerson('wilma-marked'), headline: 'Moved on' })
  service.clock.advance({ days: 8 })
  await runDueWatches(service.service, 4)
  const seen = (await service.get('/v1/watches', { ApiKey: caller.key })).json['watches'] as Record<string, unknown>[]

  expect([made.status, again.status]).toEqual([201, 200])
  expect(made.json).toMatchObject({ kind: 'people', every_days: 7, note: 'champion', paused: null })
  expect(made.json['identifier']).toBe(contractPerson('wilma-marked').member_urn)
  expect(['x-match-likelihood', 'x-matched-on', 'x-credits-charged'].map((name) => made.headers.get(name))).toEqual([
    '0.90',
    'email',
    '3',
  ])
  // The match is the first refresh: nothing is due before the interval is over.
  expect([billed, first]).toEqual([3, 3])
  expect(made.json['last_checked_at']).not.toBeNull()
  expect(seen).toMatchObject([{ id: made.json['id'], last_result: 'live' }])
  // A match, the same from the store, and one refresh.
  expect(await caller.balance()).toBe(20 - 3 - 3 - 2)
})

test('a retry under one idempotency key is billed once and creates one watch', async () => {
  const headers = { 'Idempotency-Key': 'watch-1' }
  const [one, two] = [
    await watch({ email: 'otto-retried@acme.example' }, headers),
    await watch({ email: 'otto-retried@acme.example' }, headers),
  ]

  expect([one.status, two.status]).toEqual([201, 200])
  expect(two.json['id']).toBe(one.json['id'])
  expect(two.headers.get('idempotent-replayed')).toBe('true')
  expect(await caller.balance()).toBe(17)
})

test('without a match there is no watch and nothing is billed; a full list is refused before any fetch', async () => {
  const nobody = await watch({ email: 'missing-person@acme.example' })
  const stranger = await watch({
    email: 'greta-watched@acme.example',
    first_name: 'Zacharias',
    last_name: 'Wyxelbrunn',
  })
  const poor = await watch({ email: 'ilse-watched@acme.example' }, {}, (await service.newCaller(1)).key)
  const none = (await service.get('/v1/watches', { ApiKey: caller.key })).json['watches']
  for (const id of ['first-watched', 'second-watched']) expect((await send({ kind: 'people', id })).status).toBe(201)
  const asked = service.upstream.requests.length
  const full = await watch({ email: 'third-watched@acme.example' })

  expect(
    [nobody, stranger, poor].map(
      ({ status, text }) => `${status} ${/no_match|identity_mismatch|out_of_credits/.exec(text)?.[0]}`,
    ),
  ).toEqual(['404 no_match', '404 identity_mismatch', '402 out_of_credits'])
  expect(none).toEqual([])
  expect(full.json).toMatchObject({ status: 409 })
  expect(service.upstream.requests.length).toBe(asked)
  expect(await caller.balance()).toBe(20)
})

test('companies are watched by their domain; inputs of the wrong kind, both inputs or none are a 400 that names it', async () => {
  service.upstream.companies.set('lamp-works', {
    ...contractCompany('lamp-works'),
    company_url: 'https://lamp-works.example',
  })
  const { json } = await service.company('lamp-works')
  const company = await send({ kind: 'companies', match: { domain: 'www.lamp-works.example' } })
  const bad = await Promise.all([
    send({ kind: 'companies', match: { email: 'ada@acme.example' } }),
    send({ kind: 'people', match: { domain: 'acme.example' } }),
    send({ kind: 'people', id: 'ada-example', match: { email: 'ada@acme.example' } }),
    send({ kind: 'people' }),
    send({ kind: 'people', match: { email: 'marked-nonsense' } }),
    send({ kind: 'people', match: { emial: 'ada@acme.example' } }),
    send({ kind: 'people', match: { email: 'ada@acme.example', min_likelihood: 1.01 } }),
  ])

  expect([company.status, company.json['identifier']]).toEqual([201, json['company_id']])
  expect(bad.map(({ status }) => status)).toEqual(bad.map(() => 400))
  const named = bad.slice(0, 5).map(({ json: problem }) => (problem['errors'] as { parameter: string }[])[0]?.parameter)
  expect(named).toEqual(['match.email', 'match.domain', 'id', 'id', 'match.email'])
  expect(bad[4]?.text).not.toContain('marked-nonsense')
})

test('none of the inputs is stored with the watch, and an erasure ends it', async () => {
  await watch({ email: 'yqzwatched@yqzmarked.example', name: 'Yqzfirst Yqzlast', company: 'Yqzmarked Works' })
  const made = await watch({ email: 'vera-watched@yqzmarked.example' })
  const rows = await service.admin<object>('GET', '/watches?limit=1000')
  const files = readdirSync(service.folder).filter((name) => name.startsWith('vitae.db'))
  const bytes = files.map((name) => readFileSync(join(service.folder, name), 'latin1')).join('')
  await service.admin('POST', '/records/people/vera-watched/erase', { reason: 'asked for it' })
  const left = await service.get('/v1/watches', { ApiKey: caller.key })
  const gone = await watch({ email: 'vera-watched@yqzmarked.example' })

  expect(made.status).toBe(201)
  expect(JSON.stringify(rows)).not.toMatch(/yqz(marked|first|last)/i)
  expect(/yqz(marked|first|last)/i.test(bytes)).toBe(false)
  expect(left.json['watches']).toEqual([])
  expect(gone.json).toMatchObject({ code: 'no_match' })
})

test('a test key can try it: a sample is watched, and reserved addresses play failures', async () => {
  const { key } = await service.newCaller(0, { mode: 'test' })
  const made = await watch({ email: 'sample-complete@example.com' }, {}, key)
  const failed = await watch({ email: 'sample-ambiguous@example.com' }, {}, key)

  expect([made.status, made.json['identifier']]).toEqual([201, 'sample-complete'])
  expect(failed.json).toMatchObject({ status: 404, code: 'ambiguous_match' })
})
