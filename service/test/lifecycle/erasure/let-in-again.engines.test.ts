import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import { readSuppressionFile } from '../../../src/lifecycle/suppression/suppression-file.ts'
import { openTestService } from '../../harness/test-service.ts'

type Removed = { removed: number; suppressions: { hash: string; origin: string }[] }

const check = (service: Awaited<ReturnType<typeof openTestService>>, ids: string[]) =>
  service.admin<{ suppressed: string[] }>('POST', '/suppressions/check', { kind: 'people', ids })

test('removing one name unsuppresses a person under every name of the erasure, and the answer lists the removed names', async () => {
  const service = await openTestService({})
  const person = contractPerson('ilse-erased')
  service.upstream.people.set('ilse-erased', person)
  service.upstream.people.set('other-erased', contractPerson('other-erased'))
  await service.person('ilse-erased')
  await service.person('other-erased')
  await service.admin('POST', '/records/people/other-erased/erase', { reason: 'r' })
  const report = await service.admin<{ suppressed_hashes: number }>('POST', '/records/people/ilse-erased/erase', {
    reason: 'r',
  })
  const { suppressions: before } = await service.admin<{ suppressions: object[] }>('GET', '/suppressions')

  const removed = await service.admin<Removed>('POST', '/suppressions/remove', { kind: 'people', ids: ['ilse-erased'] })
  const { suppressions: after } = await service.admin<{ suppressions: object[] }>('GET', '/suppressions')

  expect(report.suppressed_hashes).toBeGreaterThan(1)
  expect(removed.removed).toBe(report.suppressed_hashes)
  expect(removed.suppressions).toHaveLength(report.suppressed_hashes)
  expect(removed.suppressions.every(({ origin }) => origin === 'erasure')).toBe(true)
  expect(before.length - after.length).toBe(removed.removed)
  expect((await service.person('ilse-erased')).status).toBe(200)
  expect((await service.person('other-erased')).status).toBe(404)
  expect(await check(service, ['ilse-erased', 'other-erased'])).toEqual({ suppressed: ['other-erased'] })
})

test('an exported and imported list keeps which names belong together', async () => {
  const env = { VITAE_SECRET_KEY: 'the-same-secret-of-both-services' }
  const from = await openTestService({ env })
  const to = await openTestService({ env })
  from.upstream.people.set('moved-erased', contractPerson('moved-erased'))
  await from.person('moved-erased')
  await from.admin('POST', '/records/people/moved-erased/erase', { reason: 'r' })
  const { suppressions } = await from.admin<{ suppressions: { hash: string }[] }>('GET', '/suppressions')

  await to.admin('POST', '/suppressions/import', { hashes: suppressions })
  const removed = await to.admin<Removed>('POST', '/suppressions/remove', { kind: 'people', ids: ['moved-erased'] })

  expect(suppressions.length).toBeGreaterThan(1)
  expect(removed.removed).toBe(suppressions.length)
})

test('a person who looks unknown because of another name is never reported as free, and only the owner reads why', async () => {
  const service = await openTestService({})
  const person = contractPerson('mora-kept-out')
  service.upstream.people.set('mora-kept-out', person)
  // The provider knows the same person by a second slug that is not on the list.
  service.upstream.people.set('mora-second', person)
  await service.person('mora-kept-out')
  await service.admin('POST', '/records/people/mora-kept-out/erase', { reason: 'r' })

  const first = await service.person('mora-second')
  const again = await service.person('mora-second')
  const unknown = await service.person('nobody-at-all')
  const { token: viewer } = await service.admin<{ token: string }>('POST', '/tokens', { role: 'viewer', label: 'v' })
  const callOf = async (answer: typeof first, token = service.service.admin.ownerToken) =>
    (
      await service.get(`/admin/v1/calls/${answer.headers.get('x-request-id')}`, {
        authorization: `Bearer ${token}`,
      })
    ).json

  expect([first.status, again.status]).toEqual([404, 404])
  expect(await check(service, ['mora-second', 'nobody-at-all'])).toEqual({ suppressed: ['mora-second'] })
  for (const answer of [first, again]) {
    expect(await callOf(answer)).toMatchObject({ suppressed: true, identifier: null })
    expect(await callOf(answer, viewer)).toMatchObject({ suppressed: null })
  }
  expect(await callOf(unknown)).toMatchObject({ suppressed: false, identifier: 'nobody-at-all' })
})

test('the list file records which names belong together, so that a restored store knows it too', async () => {
  const service = await openTestService({})
  service.upstream.people.set('filed-erased', contractPerson('filed-erased'))
  await service.person('filed-erased')
  await service.admin('POST', '/records/people/filed-erased/erase', { reason: 'r' })
  const path = join(service.folder, 'suppressions.ndjson')
  // Only an embedded store has one.
  if (!existsSync(path)) return

  const list = await readSuppressionFile(path)

  const subjects = [...(list?.items.values() ?? [])].map(({ subject }) => subject)
  expect(subjects.length, readFileSync(path, 'utf8')).toBeGreaterThan(1)
  expect(new Set(subjects).size).toBe(1)
  expect(subjects[0]).toMatch(/^[0-9a-f]{64}$/)
})
