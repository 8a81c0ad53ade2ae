import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../service/test/harness/test-service.ts'
import {
  type BatchResultRow,
  VitaeClient,
  VitaeInvalidRequestError,
  VitaeMaxCreditsError,
  VitaeNoMatchError,
} from '../src/index.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ realClock: true, fixed: { priceLines: [{ by: 'match', credits: 3 }] } })
})
afterAll(() => service.close())

async function open(credits: number, mode: 'live' | 'test' = 'live', more: object = {}) {
  const caller = await service.newCaller(credits, { mode })
  return { ...caller, client: new VitaeClient({ apiKey: caller.key, baseUrl: service.url, ...more }) }
}

test('people.match() and companies.match() return the record, its likelihood and its cost; a retry costs nothing', async () => {
  const { client, balance } = await open(20)
  const idempotencyKey = 'match-once'

  const person = await client.people.match({ profileId: 'ada-held' }, { idempotencyKey })
  const again = await client.people.match({ profileId: 'ada-held' }, { idempotencyKey })
  const company = await client.companies.match({ companyId: 'unreal-held' }, { fields: ['company_name'] })

  expect(person).toMatchObject({ likelihood: 1, matchedOn: ['profile_id'], credits: { charged: 3 }, replayed: false })
  expect(person.record.public_identifier).toBe('ada-held')
  expect(again).toMatchObject({ credits: { charged: 0 }, replayed: true })
  expect(Object.keys(company.record)).toEqual(['company_id', 'company_name'])
  expect([company.likelihood, company.matchedOn]).toEqual([1, ['company_id']])
  expect(await balance()).toBe(14)
})

test('with a test key every address returns a sample, and failures are thrown as their classes', async () => {
  const { client } = await open(0, 'test')

  const held = { email: 'ada.quill@example.com' }
  const { record, likelihood, matchedOn } = await client.people.match(held, { fields: ['headline'] })

  expect(Object.keys(record)).toEqual(['member_urn', 'headline'])
  expect([likelihood, matchedOn]).toEqual([0.95, ['email']])
  await expect(client.people.match({ email: 'sample-not-found@example.com' })).rejects.toBeInstanceOf(VitaeNoMatchError)
  await expect(client.people.match({ email: 'nobody' })).rejects.toBeInstanceOf(VitaeInvalidRequestError)
  await expect(client.companies.match({ domain: 'sample-not-found.example' })).rejects.toBeInstanceOf(VitaeNoMatchError)
})

test('a match counts against maxCredits with the price of a match', async () => {
  const { client, balance } = await open(20, 'live', { maxCredits: 5 })

  await client.people.match({ profileId: 'ada-counted' })

  await expect(client.people.match({ profileId: 'grace-counted' })).rejects.toBeInstanceOf(VitaeMaxCreditsError)
  expect(await balance()).toBe(17)
})

test('a batch accepts rows as objects: known facts, expected facts, and columns that the result returns', async () => {
  const { client, balance } = await open(20)
  const rows = [
    'ada-row',
    { id: 'ada-row', expect: { lastName: 'Xylophonist' }, columns: { crm: 17 } },
    { profileId: 'ada-row', columns: { id_of_ours: 'x', email: 'not sent' } },
    { email: 'nobody' },
  ]

  const priced = await client.batches.preview({ kind: 'people', ids: rows })
  const { id } = await client.batches.create({ kind: 'people', ids: rows, paths: ['public_identifier'] })
  await client.batches.wait(id, { pollMs: 20 })
  const results: BatchResultRow[] = []
  for await (const row of client.batches.results(id)) results.push(row)

  expect(priced).toMatchObject({ rows: 4, distinct: 1, invalid: 1 })
  expect(results.map(({ status, error }) => [status, error])).toEqual([
    ['found', null],
    ['not_found', 'identity_mismatch'],
    ['found', null],
    ['invalid', 'invalid_request'],
  ])
  expect(results[0]?.record).toEqual({ public_identifier: 'ada-row' })
  expect(results.map(({ columns }) => columns)).toEqual([null, { crm: 17 }, { id_of_ours: 'x' }, null])
  expect(results[3]?.detail).toBe('email must be an e-mail address')
  expect(20 - (await balance())).toBe(results.reduce((sum, { credits }) => sum + credits, 0))
})
