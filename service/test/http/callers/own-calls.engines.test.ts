import { Receipt, RecordHistory, Usage } from '@vitae/contract'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { callTool, connect } from '../../mcp/mcp-client.ts'
import { startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'

let service: TestService
let caller: TestCaller
let others: string[]

beforeAll(async () => {
  service = await startTestService({ people: { nobody: null, 'nobody-either': null } })
})
afterAll(() => service.close())
beforeEach(async () => {
  caller = await service.newCaller(100)
  const staging = await service.makeKey({ project: caller.project, environment: 'staging' })
  others = [staging.key, (await service.newCaller(100)).key]
})

const read = (path: string, ApiKey = caller.key) => service.get(path, { ApiKey })
const valid = { usage: Compile(Usage), receipt: Compile(Receipt), history: Compile(RecordHistory) }

test("usage adds up to the environment's calls and payments, by day, tag and endpoint, and shows nothing of others", async () => {
  await service.person('usage-ada', '', { ApiKey: caller.key, 'X-Spend-Tag': 'spring' })
  await service.person('usage-ada', '', { ApiKey: caller.key, 'X-Spend-Tag': 'spring' })
  await service.company('usage-works', '', { ApiKey: caller.key })
  await service.person('nobody', '', { ApiKey: caller.key })
  await service.person('usage-bob', '', { ApiKey: others[1] ?? '' })

  const { json } = await read('/v1/usage?by=endpoint,tag')
  const days = await read('/v1/usage')
  const elsewhere = await read('/v1/usage', others[0])

  expect(valid.usage.Check(json)).toBe(true)
  expect(json).toMatchObject({
    rows: [
      { tag: 'spring', endpoint: 'people', calls: 2, credits: 2 },
      { tag: null, endpoint: 'companies', calls: 1, credits: 1 },
      { tag: null, endpoint: 'people', calls: 1, credits: 0 },
    ],
    total: { calls: 4, credits: 3 },
  })
  const today = new Date(service.clock.now()).toISOString().slice(0, 10)
  expect(days.json).toMatchObject({ rows: [{ day: today, calls: 4, credits: 3 }] })
  expect(elsewhere.json).toMatchObject({ rows: [], total: { calls: 0, credits: 0 } })
  expect(await caller.balance()).toBe(97)
})

test('an environment that asks for its usage 100 times at once is refused, and others are answered', async () => {
  const flood = Array.from({ length: 100 }, () => read('/v1/usage'))
  const other = await read('/v1/usage', others[1])
  const statuses = (await Promise.all(flood)).map(({ status }) => status)

  expect(other.status).toBe(200)
  expect(statuses).toContain(200)
  expect(statuses).toContain(503)
  expect((await read('/v1/usage')).status).toBe(200)
})

test.each(['by=planet', 'by=', 'from=yesterday', 'from=2026-11-02&to=2026-11-01', 'from=2020-01-01&to=2026-01-01'])(
  'usage refuses %s',
  async (query) => {
    expect(await read(`/v1/usage?${query}`)).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  },
)

test("a receipt shows a call's hold, payment and providers; it does not exist for other environments", async () => {
  const fetched = await service.person('receipt-ada', '', { ApiKey: caller.key, 'X-Spend-Tag': 'spring' })
  const stored = await service.person('receipt-ada', '', { ApiKey: caller.key })
  const missed = await service.person('nobody-either', '', { ApiKey: caller.key })
  const ids = [fetched, stored, missed].map(({ headers }) => headers.get('x-request-id') ?? '')

  const receipts = await Promise.all(ids.map((id) => read(`/v1/receipts/${id}`)))
  const foreign = await Promise.all(ids.flatMap((id) => others.map((key) => read(`/v1/receipts/${id}`, key))))
  const unknown = await read('/v1/receipts/no-such-call')

  for (const { json } of receipts) expect(valid.receipt.Check(json)).toBe(true)
  expect(receipts.map(({ json }) => json)).toMatchObject([
    {
      status: 200,
      source: 'live',
      held: 1,
      charged: 1,
      providers: [{ name: 'mirror', outcome: 'found' }],
      spend_tag: 'spring',
    },
    { status: 200, source: 'store', held: 0, charged: 1, price: { book: 0, lines: [{ credits: 1 }] }, providers: [] },
    { status: 404, source: null, charged: 0, price: { lines: [] }, providers: [{ outcome: 'not_found' }] },
  ])
  expect(unknown.status).toBe(404)
  for (const { status, json } of foreign)
    expect({ status, ...json, request_id: null }).toEqual({ status: 404, ...unknown.json, request_id: null })
})

test('a history has the paid versions of the environment and their changes, under every form of the id', async () => {
  const first = (await service.person('history-ada', '', { ApiKey: caller.key })).json
  service.clock.advance({ days: 8 })
  service.upstream.people.set('history-ada', { ...first, headline: 'Between' })
  await service.person('history-ada', '', { ApiKey: others[1] ?? '' })
  service.clock.advance({ days: 8 })
  service.upstream.people.set('history-ada', {
    ...first,
    headline: 'Now',
    contact_info: { email: 'hidden@example.org' },
  })
  await service.person('history-ada', '&include_contact_info=true', { ApiKey: caller.key })
  const forms = [
    'history-ada',
    'https://www.linkedin.com/in/history-ada/',
    String(first['member_urn']),
    String(first['entity_urn']),
  ]

  for (const form of forms) {
    const { json } = await read(`/v1/people/history?profile_id=${encodeURIComponent(form)}`)
    expect(valid.history.Check(json)).toBe(true)
    expect(json).toMatchObject({
      id: first['member_urn'],
      versions: [
        { changes: [{ kind: 'headline', path: 'headline', before: first['headline'], after: 'Now' }] },
        { changes: [] },
      ],
      next: null,
    })
    const foreign = await read(`/v1/people/history?profile_id=${encodeURIComponent(form)}`, others[0])
    expect(foreign).toMatchObject({ status: 404, json: { code: 'not_found' } })
  }
  const middle = await read('/v1/people/history?profile_id=history-ada', others[1])
  expect(middle.json).toMatchObject({ versions: [{ changes: [] }] })
  expect((middle.json['versions'] as unknown[]).length).toBe(1)
})

test('a history is read page by page, and each page knows the next older version', async () => {
  const first = (await service.company('history-works', '', { ApiKey: caller.key })).json
  for (const tagline of ['Second', 'Third']) {
    service.clock.advance({ days: 8 })
    service.upstream.companies.set('history-works', { ...first, tagline })
    await service.company('history-works', '', { ApiKey: caller.key })
  }
  const path = `/v1/companies/history?company_id=${String(first['company_id'])}&limit=1`
  const changes: unknown[] = []
  for (let next: number | null = null, page = 0; page === 0 || next !== null; page++) {
    const { json } = await read(next === null ? path : `${path}&before=${next}`)
    changes.push(...(json['versions'] as { changes: { after: unknown }[] }[]).map((one) => one.changes[0]?.after))
    next = json['next'] as number | null
  }

  expect(changes).toEqual(['Third', 'Second', undefined])
})

test('an erased record has no history, and its receipts no longer link to it', async () => {
  const answer = await service.person('history-erased', '', { ApiKey: caller.key })
  await service.admin('POST', '/records/people/history-erased/erase', { reason: 'asked for' })

  const history = await read('/v1/people/history?profile_id=history-erased')
  const receipt = await read(`/v1/receipts/${answer.headers.get('x-request-id') ?? ''}`)

  expect(history.status).toBe(404)
  expect(receipt.json).toMatchObject({ charged: 1 })
  expect(receipt.text).not.toContain('history-erased')
})

test('a test key gets fictional figures, a fictional receipt and samples, and nothing is stored', async () => {
  const { key } = await service.makeKey({ project: caller.project, mode: 'test' })
  const paths = {
    usage: '/v1/usage?by=tag',
    receipt: '/v1/receipts/sample-receipt',
    history: '/v1/people/history?profile_id=sample-complete',
  } as const
  for (const [name, path] of Object.entries(paths)) {
    const { status, json } = await read(path, key)
    expect([name, status, valid[name as keyof typeof valid].Check(json)]).toEqual([name, 200, true])
  }
  expect((await read('/v1/people/history?profile_id=sample-not-found', key)).status).toBe(404)
})

test('agents have all three as tools', async () => {
  const { headers } = await service.person('tool-ada', '', { ApiKey: caller.key })
  const client = await connect(service.url, caller.key)

  const history = await callTool(client, 'record_history', { kind: 'people', id: 'tool-ada' })
  const usage = await callTool(client, 'usage', { by: 'endpoint' })
  const receipt = await callTool(client, 'receipt', { request_id: headers.get('x-request-id') })

  expect(history.answer).toMatchObject({ next: null, data: { versions: [{ changes: [] }] } })
  expect(usage.answer).toMatchObject({ usage: { total: { calls: 1, credits: 1 } } })
  expect(receipt.answer).toMatchObject({ receipt: { charged: 1 } })
  await client.close()
})
