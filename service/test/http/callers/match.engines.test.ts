import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'

let pdl: FakeProvider
let enrichlayer: FakeProvider
let service: TestService
let caller: TestCaller
const lines: string[] = []

beforeAll(async () => {
  ;[pdl, enrichlayer] = await Promise.all([
    startFakeProvider({ provider: 'peopledatalabs' }),
    startFakeProvider({ provider: 'enrichlayer' }),
  ])
  service = await startTestService({
    onLogLine: (line) => lines.push(JSON.stringify(line)),
    env: {
      VITAE_UPSTREAM: 'peopledatalabs,enrichlayer',
      VITAE_PEOPLEDATALABS_URL: pdl.url,
      VITAE_PEOPLEDATALABS_KEY: pdl.key,
      VITAE_ENRICHLAYER_URL: enrichlayer.url,
      VITAE_ENRICHLAYER_KEY: enrichlayer.key,
    },
  })
})
afterAll(() => Promise.all([service.close(), pdl.close(), enrichlayer.close()]))
beforeEach(async () => {
  caller = await service.newCaller(10)
  for (const provider of [pdl, enrichlayer]) provider.requests.length = 0
})

const post = (path: string, body: unknown, headers: Record<string, string> = {}, key = caller.key) =>
  service.get(path, { ApiKey: key, 'content-type': 'application/json', ...headers }, 'POST', JSON.stringify(body))
const match = (body: object, headers?: Record<string, string>, key?: string) =>
  post('/v1/people/match', body, headers, key)
const asked = () => [pdl, enrichlayer].map(({ requests }) => requests.length)
const facts = ({ headers }: Awaited<ReturnType<typeof match>>) =>
  ['x-match-likelihood', 'x-matched-on', 'x-data-source', 'x-credits-charged'].map((name) => headers.get(name))

test('an e-mail address finds its record; the next call by it, in any case, is answered from the store', async () => {
  const first = await match({ email: 'Wilma-Match@Acme.example' })
  const seen = asked()
  const again = await match({ email: 'wilma-match@acme.example', max_age_days: 7 })

  expect(first.status).toBe(200)
  expect(facts(first)).toEqual(['0.90', 'email', 'live', '1'])
  expect(first.json['public_identifier']).toBe('wilma-match')
  expect(facts(again)).toEqual(['0.90', 'email', 'store', '1'])
  expect(asked()).toEqual(seen)
  expect(await caller.balance()).toBe(8)
})

test('below the threshold the next provider is asked; if none is likely enough, the call is a free no_match', async () => {
  enrichlayer.people.set('hugo-unlikely', null)
  const unsure = await match({ email: 'hugo-unlikely@acme.example' })
  const missing = await match({ email: 'missing-hugo@acme.example' })
  const lower = await match({ email: 'hugo-unlikely@acme.example', min_likelihood: 0.5 })

  expect([unsure, missing].map(({ status, json }) => `${status} ${String(json['code'])}`)).toEqual([
    '404 no_match',
    '404 no_match',
  ])
  expect(unsure.headers.get('x-credits-charged')).toBeNull()
  expect(facts(lower).slice(0, 2)).toEqual(['0.50', 'email'])
  expect(await caller.balance()).toBe(9)
})

test('a record that contradicts the rest of the question is a stranger: free identity_mismatch, and not learned', async () => {
  const mismatch = await match({ email: 'greta-match@acme.example', first_name: 'Zacharias', last_name: 'Wyxelbrunn' })
  const seen = asked()
  const right = await match({ email: 'greta-match@acme.example' })

  expect(mismatch.json).toMatchObject({ status: 404, code: 'identity_mismatch' })
  expect(mismatch.text).not.toContain('Wyxelbrunn')
  expect(seen[0]).toBe(1)
  expect(right.status).toBe(200)
  expect(await caller.balance()).toBe(9)
})

test('contact details of stored records match only for keys that may see them', async () => {
  const stored = await service.person('ilse-contact', '&include_contact_info=true', { ApiKey: caller.key })
  const { email_address: email } = stored.json['contact_info'] as { email_address: string }
  const restricted = await service.newCaller(5, { parts: [] })
  for (const provider of [pdl, enrichlayer]) provider.people.set(email.split('@')[0] ?? '', null)
  const seeing = await match({ email })
  const blind = await match({ email }, {}, restricted.key)

  expect(facts(seeing).slice(0, 3)).toEqual(['0.95', 'email', 'store'])
  expect(seeing.json['public_identifier']).toBe('ilse-contact')
  expect(blind.json).toMatchObject({ code: 'no_match' })
})

test('a retry is a free replay; the same key for another question is refused', async () => {
  const headers = { 'Idempotency-Key': 'match-1' }
  const first = await match({ email: 'otto-match@acme.example' }, headers)
  const retry = await match({ email: 'OTTO-match@acme.example' }, headers)
  const other = await match({ email: 'otto-other@acme.example' }, headers)

  expect([first.status, retry.status, other.status]).toEqual([200, 200, 422])
  expect(retry.headers.get('idempotent-replayed')).toBe('true')
  expect(facts(retry)).toEqual(['0.90', 'email', 'store', '0'])
  expect(await caller.balance()).toBe(9)
})

test('after an erasure the person is unknown under every address, as if nobody knew them', async () => {
  const found = await match({ email: 'vera-match@acme.example' })
  await service.admin('POST', '/records/people/vera-match/erase', { reason: 'asked for it' })
  const seen = asked()
  const gone = await match({ email: 'vera-match@acme.example' })
  const unknown = await match({ email: 'missing-vera@acme.example' })
  const shape = ({ json: { request_id: _id, ...rest } }: typeof gone) => rest

  expect([found.status, gone.json['code']]).toEqual([200, 'no_match'])
  expect(shape(gone)).toEqual(shape(unknown))
  expect(asked()[0]).toBe((seen[0] ?? 0) + 1)
  expect(await caller.balance()).toBe(9)
})

test('a match keeps to the route of its environment: providers, stored copies, and shared fetches', async () => {
  const routed = await service.newCaller(10)
  const route = ({ project }: TestCaller, provider: string) =>
    service.admin('POST', `/projects/${project}/route`, { environment: 'production', providers: [provider] })
  await route(routed, 'enrichlayer')
  const email = 'rosa-match@acme.example'
  const first = await match({ email })
  expect([facts(first)[2], ...asked()]).toEqual(['live', 1, 0])
  const before = await post('/v1/people/match/preflight', { email }, {}, routed.key)
  const own = await match({ email }, {}, routed.key)
  const seen = asked()
  const again = await match({ email }, {}, routed.key)

  expect(before.json).toMatchObject({ source: 'live', asks_provider: true })
  expect([own, again].map((answer) => facts(answer)[2])).toEqual(['live', 'store'])
  expect(seen[0]).toBe(1)
  expect(asked()).toEqual(seen)

  await route(caller, 'peopledatalabs')
  const together = await Promise.all(
    [caller.key, routed.key].map((key) => match({ email: 'tove-match@acme.example' }, {}, key)),
  )
  expect(together.map(({ status }) => status)).toEqual([200, 200])
  expect(asked()).toEqual(seen.map((requests, at) => requests + (at === 0 ? 1 : (seen[1] ?? 0))))
})

test('malformed input is a 400 that names it without repeating it; unknown members are 400, and more than 4 KB is 413', async () => {
  const bad = await match({ email: 'marked-nonsense', phone: '12' })
  const little = await match({ name: 'Ada Quill' })
  const strange = await match({ emial: 'ada@acme.example' })
  const large = await match({ name: 'x'.repeat(5_000) })

  expect(bad.status).toBe(400)
  expect((bad.json['errors'] as { parameter: string }[]).map(({ parameter }) => parameter)).toEqual(['email', 'phone'])
  expect(bad.text).not.toContain('marked-nonsense')
  expect([little.status, strange.status, large.status]).toEqual([400, 400, 413])
})

test('companies are matched by domain or name, and a preflight predicts a match', async () => {
  const company = await post('/v1/companies/match', { domain: 'https://www.unreal-bridges.example/about' })
  const before = await post('/v1/people/match/preflight', { email: 'nobody-yet@acme.example' })

  expect([company.status, company.headers.get('x-matched-on')]).toEqual([200, 'domain'])
  expect(before.json).toMatchObject({ source: 'live', price: 1, refused: null, asks_provider: true })
})

test('a test key always gets the same record for a match, and reserved addresses play failures', async () => {
  const { key } = await service.newCaller(0, { mode: 'test' })
  const ofSample = (email: string) => match({ email }, {}, key)
  const [one, same, ...failed] = await Promise.all([
    ofSample('anyone@acme.example'),
    ofSample('anyone@acme.example'),
    ...['not-found', 'ambiguous', 'mismatch'].map((name) => ofSample(`sample-${name}@example.com`)),
  ])

  expect(one.json).toEqual(same.json)
  expect(one.headers.get('x-matched-on')).toBe('email')
  expect(failed.map(({ json }) => json['code'])).toEqual(['no_match', 'ambiguous_match', 'identity_mismatch'])
})

test('a sample also has a likelihood: below the threshold a test key gets no_match', async () => {
  const { key } = await service.newCaller(0, { mode: 'test' })
  const sure = await match({ email: 'anyone@acme.example', min_likelihood: 0.95 }, {}, key)
  const surer = await match({ email: 'anyone@acme.example', min_likelihood: 0.96 }, {}, key)

  const named = await match({ profile_id: 'sample-not-found' }, {}, key)

  expect([sure.status, surer.status, surer.json['code']]).toEqual([200, 404, 'no_match'])
  expect([named.status, named.json['code']]).toEqual([404, 'no_match'])
})

test('fields and require are a list, or a text with commas', async () => {
  const listed = await match({ email: 'listed@acme.example', fields: ['headline', 'skills'], require: ['headline'] })
  const text = await match({ email: 'listed@acme.example', fields: 'headline,skills', require: 'headline' })

  expect(Object.keys(listed.json)).toEqual(['member_urn', 'headline', 'skills'])
  expect(text.json).toEqual(listed.json)
})

test('sent addresses, numbers and names are never in clear text: not in the log, the call log or the store', async () => {
  caller = await service.newCaller(50)
  const marked = Array.from({ length: 20 }, (_, at) => `xqzmarked${at}`)
  const answers = await Promise.all(
    marked.map((mark, at) => match({ email: `${at % 2 ? 'missing-' : ''}a${at}@${mark}.example`, max_age_days: 1 })),
  )
  await match({
    email: 'named@acme.example',
    first_name: 'Xqzmarkedfirst',
    last_name: 'Xqzmarkedlast',
    company: 'Xqzmarked Inc',
  })
  await match({ phone: '+49 30 90182077' })
  const calls = await service.admin<object>('GET', '/calls?limit=100')
  const files = readdirSync(service.folder).filter((name) => name.startsWith('vitae.db'))
  const bytes = files.map((name) => readFileSync(join(service.folder, name), 'latin1')).join('')

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 404]))
  expect(lines.join('\n')).not.toMatch(/xqzmarked|90182077/i)
  expect(JSON.stringify(calls)).not.toMatch(/xqzmarked|90182077/i)
  expect(/xqzmarked|\+493090182077/i.test(bytes)).toBe(false)
})
