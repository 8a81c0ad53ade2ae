import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../service/test/harness/test-service.ts'
import { VitaeClient, VitaeMaxCreditsError, VitaeRequiredFieldsMissingError } from '../src/index.ts'
import { rejection } from './test-client.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: { VITAE_PRICE_PEOPLE: '2' } })
})
afterAll(() => service.close())

async function openClient(credits: number, options: { maxCredits?: number } = {}) {
  const caller = await service.newCaller(credits)
  return { caller, client: new VitaeClient({ apiKey: caller.key, baseUrl: service.url, maxRetries: 0, ...options }) }
}

test('the client reads the account, the price of a lookup and chosen fields', async () => {
  const { client } = await openClient(10)
  expect(client.creditsLeft()).toBeNull()
  const expected = await client.people.preflight('first-asked')
  const { record, credits } = await client.people.profile('first-asked', {
    fields: ['headline'],
    require: ['headline'],
  })
  const account = await client.account()
  const unmet = await rejection(client.people.profile('sparse', { require: ['test_scores'] }))

  expect(expected).toMatchObject({ source: 'live', price: 2, refused: null })
  expect(Object.keys(record)).toEqual(['member_urn', 'headline'])
  expect(credits.charged).toBe(2)
  expect(account).toMatchObject({ credits: { available: 8, held: 0 }, prices: { people: 2 } })
  expect(unmet).toBeInstanceOf(VitaeRequiredFieldsMissingError)
})

test('the client finds the company of a domain', async () => {
  const { client } = await openClient(10)
  await client.companies.details('acme')
  const found = await client.resolveCompany('https://www.acme.example/about')

  expect(found).toMatchObject({
    domain: 'acme.example',
    source: 'store',
    candidates: [{ public_identifier: 'acme', matched: 'host' }],
    credits: { charged: 0 },
  })
})

test('concurrent calls never exceed maxCredits, and excess calls are refused before they are sent', async () => {
  const { client, caller } = await openClient(100, { maxCredits: 5 })
  const asked = service.upstream.requests.length
  const ends = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => client.people.profile(`parallel-${index}`)),
  )
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))

  expect(await caller.balance()).toBe(96)
  expect(failures).toHaveLength(18)
  expect(client.creditsLeft()).toBe(1)
  expect(failures.every((error) => error instanceof VitaeMaxCreditsError)).toBe(true)
  expect(service.upstream.requests.length - asked).toBe(2)
})

test('a call that the service did not bill does not count against maxCredits', async () => {
  const { client } = await openClient(100, { maxCredits: 2 })
  await rejection(client.people.profile('missing-somebody'))

  expect((await client.people.profile('ada')).credits.charged).toBe(2)
  expect(await rejection(client.people.profile('ada'))).toBeInstanceOf(VitaeMaxCreditsError)
})
