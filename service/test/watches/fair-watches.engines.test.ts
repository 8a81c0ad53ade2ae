import { afterAll, beforeAll, expect, test } from 'vitest'
import { runDueWatches } from '../../src/watches/run-watches.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'

let service: TestService
beforeAll(async () => void (service = await startTestService()))
afterAll(() => service.close())

const [many, atOnce] = [24, 4]
const add = (key: string, id: string) =>
  service.get(
    '/v1/watches',
    { ApiKey: key, 'content-type': 'application/json' },
    'POST',
    JSON.stringify({ kind: 'people', id }),
  )
const asked = () => service.upstream.requests.map(({ path }) => /(slow|quick)-[a-z]+/.exec(path)?.[0] ?? '')
const name = (index: number) => String.fromCharCode(97 + index)

test("slow refreshes of one environment leave a slot to another's, and a refresh that becomes due meanwhile starts before most of them", async () => {
  const [busy, small, late] = [await service.newCaller(100), await service.newCaller(10), await service.newCaller(10)]
  for (let index = 0; index < many; index++) expect((await add(busy.key, `slow-${name(index)}`)).status).toBe(201)
  await add(small.key, 'quick-first')
  service.clock.advance({ days: 60 })
  const answers = Promise.withResolvers<void>()
  service.upstream.until = answers.promise

  const looks = runDueWatches(service.service, atOnce)
  await expect.poll(asked).toContain('quick-first')
  const begun = asked()
  await add(late.key, 'quick-late')
  service.upstream.until = null
  answers.resolve()
  await looks

  expect(begun.length).toBeLessThanOrEqual(atOnce)
  expect(asked().filter((each) => each.startsWith('slow-'))).toHaveLength(many)
  expect(asked().indexOf('quick-late')).toBeLessThan(2 * atOnce)
})
