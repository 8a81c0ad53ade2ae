import type { Person, VitaeEvent } from '@vitae/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import { notifyOfMerges } from '../../../src/lifecycle/records/notify-of-merges.ts'
import { runDueWatches } from '../../../src/watches/run-watches.ts'
import { startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'

let service: TestService
beforeAll(async () => void (service = await startTestService()))
afterAll(() => service.close())

const urn = 'urn:li:member:7004201'

async function urnOf(caller: TestCaller, slug: string, query = ''): Promise<unknown> {
  const { status, json, text } = await service.person(slug, query, { ApiKey: caller.key })
  expect(status, text).toBe(200)
  return json['member_urn']
}

const iris = { first_name: 'Iris', last_name: 'Fiction' }

/** Sets the provider's record of a person. Without a `member_urn` only the slug and the name identify them. */
function says(slug: string, fields: Partial<Record<keyof Person, unknown>>): void {
  service.upstream.people.set(slug, { ...contractPerson(slug), entity_urn: null, ...iris, ...fields })
}

async function eventsOf(caller: TestCaller): Promise<VitaeEvent[]> {
  const { json } = await service.get('/v1/events', { ApiKey: caller.key })
  return json['events'] as VitaeEvent[]
}

test('when two people turn out to be one, the first stays, both keys resolve, each served environment is notified once, and nobody changed jobs', async () => {
  const [one, two, both, stranger] = await Promise.all([20, 20, 20, 20].map((credits) => service.newCaller(credits)))
  if (!one || !two || !both || !stranger) throw new Error('four callers')
  // The two have different jobs, and the payload that joins them has one of these.
  says('iris-old', { member_urn: null, experience: contractPerson('a-stranger').experience })
  says('iris-new', { member_urn: urn })
  const first = await urnOf(one, 'iris-old')
  expect(await urnOf(two, 'iris-new')).toBe(urn)
  await urnOf(both, 'iris-old')
  await urnOf(both, 'iris-new')
  await urnOf(stranger, 'somebody-else')
  const watch = JSON.stringify({ kind: 'people', id: 'iris-new' })
  await service.get('/v1/watches', { ApiKey: two.key, 'content-type': 'application/json' }, 'POST', watch)
  await runDueWatches(service.service, 1)

  service.clock.advance({ days: 1 })
  says('iris-old', { member_urn: urn, experience: contractPerson('iris-new').experience })
  const joined = await urnOf(one, 'iris-old', '&bypass_cache=true')

  expect(first).toMatch(/^urn:vitae:person:/)
  expect([joined, await urnOf(two, 'iris-new'), await urnOf(two, urn), await urnOf(one, String(first))]).toEqual(
    Array.from({ length: 4 }, () => first),
  )
  await Promise.all([1, 2].map(() => notifyOfMerges(service.service)))
  await notifyOfMerges(service.service)
  for (const caller of [one, two, both]) {
    const events = (await eventsOf(caller)).filter(({ type }) => type !== 'person.changed')
    expect(events).toMatchObject([{ type: 'record.merged', data: { kind: 'people', id: first, merged_id: urn } }])
  }
  expect(await eventsOf(stranger)).toEqual([])
})
