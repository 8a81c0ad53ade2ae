import { expect, test } from 'vitest'
import { openTestService } from '../../service/test/harness/test-service.ts'
import { VitaeClient, VitaeError } from '../src/index.ts'

test('a record is watched by known facts; the cost of the match counts against maxCredits', async () => {
  const service = await openTestService()
  const client = new VitaeClient({ baseUrl: service.url, apiKey: service.liveKey, maxCredits: 2 })

  const person = await client.watches.create({
    kind: 'people',
    match: { email: 'wanda-held@acme.example' },
    everyDays: 30,
  })
  const left = client.creditsLeft()
  const nobody = { kind: 'people', match: { email: 'missing-held@acme.example', minLikelihood: 0.9 } } as const
  const failed = await client.watches.create(nobody).catch((error: unknown) => error)
  await client.people.profile('wanda-held')
  const refused = await client.watches.create(nobody).catch((error: unknown) => error)

  expect(person).toMatchObject({ kind: 'people', every_days: 30, paused: null })
  expect(person).not.toHaveProperty('credits')
  expect(left).toBe(1)
  expect(failed).toMatchObject({ code: 'no_match' })
  expect(refused).toMatchObject({ code: 'max_credits_reached' })
})

test('a watch is created, listed, changed and deleted through the client', async () => {
  const service = await openTestService()
  const client = new VitaeClient({ baseUrl: service.url, apiKey: service.liveKey })

  const made = await client.watches.create({ kind: 'people', id: 'wanda-watched', everyDays: 30, note: 'lead' })
  const again = await client.watches.create({ kind: 'people', id: 'wanda-watched', everyDays: 14 })
  const { watches, next } = await client.watches.list({ limit: 10 })
  const removed = await client.watches.delete(made.id)

  expect(made).toMatchObject({ identifier: 'wanda-watched', every_days: 30, note: 'lead', paused: null })
  expect(again).toMatchObject({ id: made.id, every_days: 14, note: 'lead' })
  expect({ watches, next }).toEqual({ watches: [again], next: null })
  expect(removed).toEqual({ id: made.id, deleted: true })
  const gone = await client.watches.delete(made.id).catch((error: unknown) => error)
  expect(gone).toBeInstanceOf(VitaeError)
  expect(gone).toMatchObject({ code: 'not_found' })
})
