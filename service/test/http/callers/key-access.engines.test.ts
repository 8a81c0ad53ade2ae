import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../../src/http/app.ts'
import { runDueWatches } from '../../../src/watches/run-watches.ts'
import { BatchCaller } from '../../batches/batch-caller.ts'
import { keyRoutes, type KeyOperation } from '../../harness/key-operations.ts'
import { registeredRoutes } from '../../harness/registered-routes.ts'
import { startTestService, type TestAnswer, type TestService } from '../../harness/test-service.ts'
import { keyAccessTable, type KeyKind } from './key-access-table.ts'

let service: TestService
const keys = new Map<KeyKind, string>()
/** The texts to find in an answer: ids of objects, and names of records. */
const objects = new Map<string, string>([
  ['person', '"record":{"member_urn"'],
  ['company', '"record":{"company_id"'],
])

beforeAll(async () => {
  // The clock is advanced by more days than batches are usually kept.
  service = await startTestService({ env: { VITAE_BATCH_DAYS: '90' }, fixed: { openBatches: 1_000 } })
  await makeKeys()
  await makeObjects()
  await endKeys()
})
afterAll(() => service.close())

async function makeKeys(): Promise<void> {
  const own: [KeyKind, Record<string, unknown>][] = [
    ['live', {}],
    ['test', { mode: 'test' }],
    ['without parts', { parts: [] }],
    ['companies only', { endpoints: ['companies'] }],
    ['ceiling of 0', { ceiling: 0 }],
    ['expired', { expires_at: new Date(service.clock.now() + 3_600_000).toISOString() }],
    ['suspended', { project: 'closed' }],
    ['other environment', { environment: 'staging' }],
    ['other project', { project: 'other' }],
  ]
  for (const [kind, wish] of own) keys.set(kind, (await service.makeKey(wish)).key)
  await service.grant(100, 'staging')
  await service.grant(100, 'production', 'other')
}

const post = (path: string, body: object, ApiKey = keys.get('live') ?? '') =>
  service.get(path, { ApiKey, 'content-type': 'application/json' }, 'POST', JSON.stringify(body))

async function makeObjects(): Promise<void> {
  const live = new BatchCaller(service.url, keys.get('live') ?? '')
  const practice = new BatchCaller(service.url, keys.get('test') ?? '')
  const people = { kind: 'people', ids: ['person-in-batch'], include_contact_info: true }
  const batches = [
    ['people batch', live, people],
    ['company batch', live, { kind: 'companies', ids: ['company-in-batch'] }],
    ['test batch', practice, people],
  ] as const
  for (const [name, caller, body] of batches) {
    const id = await caller.submit(body)
    await caller.until(id)
    objects.set(name, id)
  }
  await watch('people', 'watched-person')
  await watch('companies', 'watched-company')
  await makeChanges()
}

async function watch(kind: 'people' | 'companies', id: string): Promise<void> {
  const { json } = await post('/v1/watches', { kind, id })
  objects.set(kind === 'people' ? 'people watch' : 'company watch', String(json['id']))
}

/** Changes both watched records, so that the feed has events. */
async function makeChanges(): Promise<void> {
  const look = async () => {
    await service.service.store.database.makePartitions({ now: service.clock.now() })
    await runDueWatches(service.service, 4)
  }
  const ApiKey = keys.get('live') ?? ''
  const asked = await service.person('watched-person', '', { ApiKey })
  const askedCompany = await service.company('watched-company', '', { ApiKey })
  const practised = await service.person('watched-person', '', { ApiKey: keys.get('test') ?? '' })
  const [person, company] = [asked.json, askedCompany.json]
  objects.set('person receipt', asked.headers.get('x-request-id') ?? '')
  objects.set('company receipt', askedCompany.headers.get('x-request-id') ?? '')
  objects.set('test receipt', practised.headers.get('x-request-id') ?? '')
  service.clock.advance({ minutes: 1 })
  await look()
  service.upstream.people.set('watched-person', { ...person, headline: 'Told of' })
  service.upstream.companies.set('watched-company', { ...company, tagline: 'Told of' })
  service.clock.advance({ days: 8 })
  await look()
  objects.set('person event', String(person['member_urn']))
  objects.set('company event', `"id":"${String(company['company_id'])}"`)
}

async function endKeys(): Promise<void> {
  const { id, key } = await service.makeKey()
  keys.set('revoked', key)
  await service.get('/v1/account', { ApiKey: key })
  await service.admin('POST', `/keys/${id}/revoke`, {})
  await service.admin('PATCH', '/projects/closed', { suspended: true })
}

test('every caller operation has its route, and no other route takes a key', async () => {
  const app = await buildApp(service.service, 'callers')
  await app.ready()
  const registered = registeredRoutes(app).filter((route) => /^\S+ \/(v1|mcp)/.test(route))
  await app.close()
  const lookups = [keyRoutes.getPersonProfile, keyRoutes.getCompanyDetails]

  expect([...new Set([...registered, ...lookups])].toSorted()).toEqual(Object.values(keyRoutes).toSorted())
})

test('each object is accessible on each route to exactly the keys of its row, checked at every read', async () => {
  const wanted: Record<string, string> = {}
  const got: Record<string, string> = {}

  for (const [id, rows] of Object.entries(keyAccessTable))
    for (const { of = '', query, body, answers } of rows)
      for (const [kind, key] of keys) {
        const [method = '', url = ''] = keyRoutes[id as KeyOperation].split(' ')
        const path = url.replace(/:\w+/, `{${of}}`) + (query === undefined ? '' : `?${query}`)
        const name = `${method} ${path} as ${kind}`
        wanted[name] = answers[kind]
        got[name] = await ask(method, path, body, key)
      }

  expect(got).toEqual(wanted)
})

async function ask(method: string, path: string, body: object | undefined, ApiKey: string): Promise<string> {
  if (path.includes('{fresh watch}')) {
    const made = await post('/v1/watches', { kind: 'people', id: 'short-watch' })
    objects.set('fresh watch', String(made.json['id']))
  }
  const filled = [...objects].reduce((text, [name, id]) => text.replace(`{${name}}`, id), path)
  const accept = { accept: 'application/json, text/event-stream' }
  const headers = { ApiKey, ...accept, ...(body ? { 'content-type': 'application/json' } : {}) }
  return outcomeOf(await service.get(filled, headers, method, body && JSON.stringify(body)))
}

/** The status, with the failure code or the visible objects. */
function outcomeOf({ status, text, json }: TestAnswer): string {
  if (status >= 400) return `${status} ${(json['code'] as string | undefined) ?? text}`
  const plain = text.replaceAll(String.raw`\"`, '"')
  const shown = [...objects].filter(([, id]) => plain.includes(id)).map(([name]) => name)
  return [status, shown.toSorted().join(', ')].filter(Boolean).join(' ')
}

test('a test key cannot resume, cancel or get a live batch, and nothing is spent', async () => {
  const { key, project, balance } = await service.newCaller(50)
  const practice = (await service.makeKey({ project, mode: 'test' })).key
  const body = { kind: 'people', ids: ['paused-1', 'paused-2', 'paused-3'], max_credits: 1 }
  const live = new BatchCaller(service.url, key)
  const id = await live.submit(body, { 'Idempotency-Key': 'one' })
  const paused = await live.until(id)
  const asked = service.upstream.requests.length
  const other = new BatchCaller(service.url, practice)

  const changes = [
    await other.ask(`/v1/batches/${id}/cancel`, { method: 'POST' }),
    await post(`/v1/batches/${id}/resume`, { max_credits: null }, practice),
    await service.get(`/v1/batches/${id}/results`, { ApiKey: practice }),
    await service.get('/v1/batches/batch_unknown', { ApiKey: practice }),
  ]
  const own = await other.submit(body, { 'Idempotency-Key': 'one' })
  await other.until(own)

  expect(paused).toMatchObject({ status: 'paused', pause_reason: 'max_credits_reached' })
  const problems = changes.map(({ status, json }) => ({ status, problem: { ...json, request_id: null } }))
  expect(new Set(problems.map((each) => JSON.stringify(each))).size).toBe(1)
  expect(problems[0]).toMatchObject({ status: 404, problem: { code: 'not_found' } })
  expect(own).not.toBe(id)
  expect(await live.show(id)).toMatchObject({ status: 'paused', max_credits: 1 })
  expect(await balance()).toBe(49)
  expect(service.upstream.requests.length).toBe(asked)
})

test('a key that loses a right loses access to its own objects', async () => {
  const { key, keyId } = await service.newCaller(50)
  const caller = new BatchCaller(service.url, key)
  const id = await caller.submit({ kind: 'people', ids: ['lost-right'], include_contact_info: true })
  await caller.until(id)
  const before = await caller.ask(`/v1/batches/${id}/results`)
  await service.admin('PATCH', `/keys/${keyId}`, { parts: ['network'] })
  const after = await caller.ask(`/v1/batches/${id}/results`)

  expect(before.status).toBe(200)
  expect([after.status, after.text]).toEqual([403, 'part_not_allowed'])
})

test('a key with an empty list of endpoints, parts or networks may use none of them, and its lists are empty', async () => {
  const none = async (name: string) => (await service.makeKey({ [name]: [] })).key
  const [endpoints, parts, networks] = [await none('endpoints'), await none('parts'), await none('networks')]
  const ask = async (ApiKey: string, path: string) => (await service.get(path, { ApiKey })).text
  const profile = '/v1/people/profile?profile_id=nobody&include_contact_info=true'

  expect(await ask(endpoints, profile)).toBe('endpoint_not_allowed')
  expect(await ask(parts, profile)).toBe('part_not_allowed')
  expect(await ask(networks, profile)).toBe('address_not_allowed')
  const lists = ['batches', 'watches', 'events'].map((name) => ask(endpoints, `/v1/${name}`))
  for (const list of await Promise.all(lists)) expect(list).toMatch(/^\{"(batches|watches|events)":\[\]/)
})
