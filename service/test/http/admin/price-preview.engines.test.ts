import type { PricePreview } from '@vitae/contract/admin'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'

let service: TestService
let crm: TestCaller
let sales: TestCaller

beforeAll(async () => {
  service = await startTestService()
  crm = await service.newCaller(1_000)
  sales = await service.newCaller(1_000)
  for (const { key } of [crm, sales]) await service.person('preview-ada', '', { ApiKey: key })
  for (let call = 0; call < 3; call++) await service.person('preview-ada', '', { ApiKey: crm.key })
  await service.person('preview-ada', '&bypass_cache=true', { ApiKey: sales.key })
  await service.company('preview-works', '', { ApiKey: sales.key })
  service.clock.advance({ days: 32 })
  await service.person('preview-ada', '', { ApiKey: crm.key })
})
afterAll(() => service.close())

const preview = (book: object, query = '') => service.admin<PricePreview>('POST', `/prices/preview${query}`, book)
const costs = ({ projects }: PricePreview) =>
  Object.fromEntries(projects.map((each) => [each.project, [each.calls, each.charged, each.at_least, each.at_most]]))

test('the calls of the last month have their exact price with another book, by project, and nothing is set', async () => {
  const book = {
    lines: [
      { kind: 'companies', credits: 7 },
      { bypass: true, credits: 5 },
      { source: 'store', credits: 2 },
      { project: sales.project, credits: 4 },
      { credits: 3 },
    ],
  }
  const answer = await preview(book)

  expect(costs(answer)).toEqual({ [crm.project]: [4, 4, 9, 9], [sales.project]: [3, 3, 14, 14] })
  expect(answer).toMatchObject({ calls: 7, charged: 7, at_least: 23, at_most: 23, more: 0, removed_calls: 0 })
  expect(await service.admin('GET', '/prices/history')).toMatchObject({ books: [] })
})

test('a fact that no receipt has makes a range: a part without a price then, a change of the record', async () => {
  const parts = await preview({ lines: [{ credits: 1 }], parts: [{ part: 'contact', credits: 6 }] })
  const changed = await preview({ lines: [{ changed: true, credits: 8 }, { credits: 1 }] })

  // Calls that asked a provider keep their options, and none of them asked for the part.
  expect(costs(parts)).toEqual({ [crm.project]: [4, 4, 4, 22], [sales.project]: [3, 3, 3, 9] })
  expect(costs(changed)[crm.project]).toEqual([4, 4, 4, 11])
})

test('another month is asked for by its name, and a wrong book is refused', async () => {
  const { month } = await preview({ lines: [{ credits: 1 }] })
  const now = new Date(service.clock.now()).toISOString().slice(0, 7)
  const current = await preview({ lines: [{ credits: 2 }] }, `?month=${now}`)
  const refused = preview({ lines: [] })

  expect(month < now).toBe(true)
  expect(current).toMatchObject({ month: now, calls: 1, charged: 1, at_least: 2, at_most: 2 })
  await expect(refused).rejects.toThrow(/400/)
})
