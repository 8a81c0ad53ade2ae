import { Account, emptyContact, Receipt } from '@vitae/contract'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestAnswer, type TestCaller, type TestService } from '../../harness/test-service.ts'

let service: TestService
let caller: TestCaller
let other: TestCaller

beforeAll(async () => {
  service = await startTestService()
  caller = await service.newCaller(1_000)
  other = await service.newCaller(1_000)
})
afterAll(() => service.close())

const valid = { receipt: Compile(Receipt), account: Compile(Account) }
const charged = ({ headers }: TestAnswer) => Number(headers.get('x-credits-charged'))

function admin(method: string, path: string, body?: object): Promise<TestAnswer> {
  const authorization = `Bearer ${service.service.admin.ownerToken}`
  const headers = { authorization, 'content-type': 'application/json' }
  return service.get(`/admin/v1${path}`, headers, method, body && JSON.stringify(body))
}

/** With several nodes a book starts a minute ahead. */
async function holds(document: object): Promise<number> {
  const { status, json } = await admin('POST', '/prices', document)
  expect([status, json['errors']]).toEqual([201, undefined])
  service.clock.advance({ minutes: 2 })
  return Number(json['version'])
}

async function receiptOf({ headers }: TestAnswer, ApiKey = caller.key) {
  const { json } = await service.get(`/v1/receipts/${headers.get('x-request-id')}`, { ApiKey })
  expect(valid.receipt.Check(json)).toBe(true)
  return json as unknown as Receipt
}

test('a book sets prices by source, project and kind from its start on; account, preflight and receipt agree', async () => {
  const document = {
    lines: [
      { kind: 'people', source: 'store', project: caller.project, credits: 2 },
      { kind: 'people', project: caller.project, credits: 5 },
      { kind: 'companies', credits: 7 },
      { credits: 3 },
    ],
  }
  const version = await holds(document)
  const before = await service.get('/v1/people/profile/preflight?profile_id=book-ada', { ApiKey: caller.key })
  const fetched = await service.person('book-ada', '', { ApiKey: caller.key })
  const stored = await service.person('book-ada', '', { ApiKey: caller.key })
  const others = await service.person('book-ada', '', { ApiKey: other.key })
  const company = await service.company('book-works', '', { ApiKey: caller.key })
  const { json: account } = await service.get('/v1/account', { ApiKey: caller.key })

  expect([fetched, stored, others, company].map(charged)).toEqual([5, 2, 3, 7])
  expect(before.json).toMatchObject({ price: 5 })
  expect(valid.account.Check(account)).toBe(true)
  expect(account['prices']).toMatchObject({
    book: version,
    people: 5,
    companies: 7,
    highest: { people: 5, companies: 7, resolve: 3 },
  })
  expect(await receiptOf(fetched)).toMatchObject({
    held: 5,
    charged: 5,
    price: { book: version, lines: [{ line: `line 2: people ${caller.project}`, credits: 5 }], less_than_held: [] },
  })
  expect(await receiptOf(stored)).toMatchObject({ held: 0, charged: 2, price: { book: version } })
})

test('a part is paid for if it was requested and has a value; the receipt explains a charge below the hold', async () => {
  const all = '&include_contact_info=true&include_network_info=true&get_verification_details=true'
  const { json: model } = await service.person('contact-model', all, { ApiKey: other.key })
  const person = (slug: string, email: string | null) => {
    const ids = { member_urn: `urn:li:member:${slug}`, entity_urn: `urn:li:person:${slug}`, public_identifier: slug }
    service.upstream.people.set(slug, { ...model, ...ids, contact_info: { ...emptyContact(), email_address: email } })
  }
  person('with-contact', 'ines@example.org')
  person('without-contact', null)
  await holds({
    lines: [{ kind: 'people', thin: true, credits: 1 }, { credits: 4 }],
    parts: [{ part: 'contact', credits: 10 }],
  })
  const contact = '&include_contact_info=true'
  const [full, empty] = [
    await service.person('with-contact', contact, { ApiKey: caller.key }),
    await service.person('without-contact', contact, { ApiKey: caller.key }),
  ]
  const unasked = await service.person('with-contact', '', { ApiKey: caller.key })

  expect([full, empty, unasked].map(charged)).toEqual([14, 4, 4])
  expect(await receiptOf(full)).toMatchObject({
    held: 14,
    price: { lines: [{ credits: 4 }, { line: 'part contact', credits: 10 }], less_than_held: [] },
  })
  expect(await receiptOf(empty)).toMatchObject({
    held: 14,
    charged: 4,
    price: { less_than_held: ['part_without_value'] },
  })
})

test('a call that started before a book is held and paid by the earlier book', async () => {
  const first = await holds({ lines: [{ credits: 6 }] })
  const gate = Promise.withResolvers<void>()
  service.upstream.until = gate.promise
  const running = service.person('over-the-turn', '', { ApiKey: caller.key })
  while ((await service.balance('production', caller.project)).held === 0) continue
  const next = await holds({ lines: [{ credits: 9 }] })
  gate.resolve()
  service.upstream.until = null
  const answered = await running
  const after = await service.person('over-the-turn', '', { ApiKey: caller.key })

  expect(await receiptOf(answered)).toMatchObject({ held: 6, charged: 6, price: { book: first } })
  expect(await receiptOf(after)).toMatchObject({ held: 0, charged: 9, price: { book: next } })
})

test('a batch is previewed and paid by the book, and a watch refresh by its own line', async () => {
  await holds({ lines: [{ by: 'watch', credits: 0 }, { project: caller.project, credits: 8 }, { credits: 1 }] })
  const body = JSON.stringify({ kind: 'people', ids: ['preview-one', 'preview-two'] })
  const headers = { ApiKey: caller.key, 'content-type': 'application/json' }
  const preview = await service.get('/v1/batches/preview', headers, 'POST', body)
  expect(preview.json).toMatchObject({ highest_credits: 16 })
})

test('an invalid book, or one for the past, is refused as a whole with its line, and a check changes nothing', async () => {
  const wrong = { lines: [{ credits: 1 }, { kind: 'cats', credits: 1 }, { kind: 'people', credits: 1 }] }
  const { json: history } = await admin('GET', '/prices/history')
  const refused = await admin('POST', '/prices', wrong)
  const checked = await admin('POST', '/prices/check', wrong)
  const past = await admin('POST', '/prices', { valid_from: '2020-01-01T00:00:00Z', lines: [{ credits: 1 }] })
  const warned = await admin('POST', '/prices/check', {
    lines: [{ credits: 1 }, { kind: 'people', credits: 2 }, { credits: 3 }],
  })

  expect(refused).toMatchObject({
    status: 400,
    json: { errors: [{ parameter: 'line 2, kind' }, { parameter: 'line 3, kind' }] },
  })
  expect(checked).toMatchObject({
    status: 200,
    json: { ok: false, errors: [{ parameter: 'line 2, kind' }, { parameter: 'line 3, kind' }] },
  })
  expect(past).toMatchObject({ status: 400, json: { errors: [{ parameter: 'valid_from' }] } })
  expect(warned.json).toMatchObject({ ok: true, warnings: [{ parameter: 'line 2' }, { parameter: 'line 3' }] })
  expect((await admin('GET', '/prices/history')).json).toEqual(history)
})

test('a future book waits for its start, and survives a restart', async () => {
  const from = new Date(service.clock.now() + 86_400_000).toISOString()
  const set = await admin('POST', '/prices', { valid_from: from, lines: [{ credits: 11 }] })
  const shown = await admin('GET', '/prices')
  await service.restart()
  service.clock.advance({ days: 2 })
  const paid = await service.person('after-a-restart', '', { ApiKey: caller.key })

  expect(shown.json).toMatchObject({ next: [{ version: set.json['version'], valid_from: from }] })
  expect(charged(paid)).toBe(11)
})

test('a match has its own lines, in the account, the preflight and the receipt', async () => {
  await holds({ lines: [{ by: 'match', source: 'store', credits: 3 }, { by: 'match', credits: 8 }, { credits: 2 }] })
  const headers = { ApiKey: caller.key, 'content-type': 'application/json' }
  const body = JSON.stringify({ email: 'book-match@acme.example' })
  const before = await service.get('/v1/people/match/preflight', headers, 'POST', body)
  const fetched = await service.get('/v1/people/match', headers, 'POST', body)
  const stored = await service.get('/v1/people/match', headers, 'POST', body)
  const { json: account } = await service.get('/v1/account', { ApiKey: caller.key })

  expect(before.json).toMatchObject({ price: 8 })
  expect([fetched, stored].map(charged)).toEqual([8, 3])
  expect(account['prices']).toMatchObject({ people: 2, match: 8, highest: { people: 2, match: 8 } })
  expect(await receiptOf(fetched)).toMatchObject({ held: 8, charged: 8, price: { lines: [{ credits: 8 }] } })
})
