import { expect, test } from 'vitest'
import { openTestService, type TestService } from '../../harness/test-service.ts'
import { personOf } from '../subjects.ts'

const dayMs = 86_400_000

const importLine = (service: TestService, line: object, age: object = {}) =>
  service.admin('POST', '/records/import', { kind: 'people', ...age, lines: [JSON.stringify(line)] })

const ago = (service: TestService, days: number) => new Date(service.clock.now() - days * dayMs).toISOString()

test('an import of unknown age is refused with a remedy, and nothing is written', async () => {
  const service = await openTestService()
  const owner = { authorization: `Bearer ${service.service.admin.ownerToken}` }

  const refused = importLine(service, personOf('ada'))

  await expect(refused).rejects.toThrow(/--fetched-at.*--fetched-at-field/)
  expect(await service.get('/admin/v1/records/people/ada', owner)).toMatchObject({ status: 404 })
})

test('the age of a record comes from its field, the operator or its payload', async () => {
  const service = await openTestService()
  const scraped = { ...personOf('ada'), meta: { scraped_at: ago(service, 3) } }

  await importLine(service, scraped, { fetched_at: '9d', fetched_at_field: 'meta.scraped_at' })
  await importLine(service, personOf('bea'), { fetched_at: '2d', fetched_at_field: 'meta.scraped_at' })
  const dated = { id: 'cleo', linkedin_id: 'cleo', name: 'Cleo Example', timestamp: ago(service, 5) }
  await importLine(service, dated, { provider: 'brightdata' })

  for (const [slug, days] of [
    ['ada', 3],
    ['bea', 2],
    ['cleo', 5],
  ] as const) {
    const answer = await service.person(slug)
    expect(answer.headers.get('x-data-source'), slug).toBe('store')
    expect(Date.parse(answer.headers.get('x-fetched-at') ?? ''), slug).toBe(Date.parse(ago(service, days)))
  }
})

test('an old dataset does not replace newer fetches, and does not count as fresh', async () => {
  const service = await openTestService()
  await service.person('ada')
  const old = { fetched_at: '400d' }

  const known = await importLine(service, personOf('ada', { headline: 'of long ago' }), old)
  const unknown = await importLine(service, personOf('bea', { headline: 'of long ago' }), old)

  expect(known).toMatchObject({ saved: 0, older: 1 })
  expect(unknown).toMatchObject({ saved: 1, older: 0 })
  expect((await service.person('ada')).json['headline']).not.toBe('of long ago')
  expect((await service.person('bea')).headers.get('x-data-source')).toBe('live')
  const { versions } = await service.admin<{ versions: object[] }>('GET', '/records/people/ada/history')
  expect(versions).toHaveLength(2)
})

test('a future time is refused, from the operator and in a line', async () => {
  const service = await openTestService()
  const tomorrow = ago(service, -1)

  await expect(importLine(service, personOf('ada'), { fetched_at: tomorrow })).rejects.toThrow(/future/)
  const report = await importLine(service, { ...personOf('ada'), at: tomorrow }, { fetched_at_field: 'at' })

  expect(report).toMatchObject({ saved: 0, errors: [{ line: 1, reason: 'its at contains no past time' }] })
})
