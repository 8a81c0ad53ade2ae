import { expect, test } from 'vitest'
import { runVitae } from '../../harness/run-vitae.ts'
import { placesOf } from '../../harness/search-bytes.ts'
import { openTestService, type TestService } from '../../harness/test-service.ts'
import { marker, personOf } from '../subjects.ts'

/** A service with Ada only from the mirror, and Bea from the mirror and a dataset. */
async function planted(word: string): Promise<TestService> {
  const service = await openTestService()
  const { people } = service.upstream
  const ada = personOf('ada', { first_name: word, headline: `was ${word}`, hidden_by_us: `raw ${word}` })
  people.set('ada', ada)
  const bea = personOf('bea', { headline: 'of the dataset' })
  people.set('bea', { ...bea, last_name: word })
  await service.person('ada', '', { 'Idempotency-Key': 'retry-me' })
  await service.person('bea')
  const lines = [JSON.stringify(bea)]
  expect(await service.admin('POST', '/records/import', { fetched_at: '2d', lines })).toMatchObject({ older: 1 })
  return service
}

const purge = (service: TestService) =>
  service.admin<{ removed: object }>('POST', '/records/purge', { provider: 'mirror', reason: 'contract ended' })

test("a purge leaves no byte of one provider's data, and all data of others", async () => {
  const word = marker()
  const service = await planted(word)
  expect(placesOf(word, service.folder)).toEqual(expect.arrayContaining(['versions.body', 'payloads.bytes']))
  await service.admin('POST', '/providers/mirror/pause')
  const counts = { entities: 1, versions: 2, fetches: 2, payloads: 2, names: 0, replays: 1 }

  const plan = await service.admin('GET', '/records/purge?provider=mirror')
  const { removed } = await purge(service)

  expect(plan).toEqual({ provider: 'mirror', would_remove: counts })
  expect(removed).toEqual(counts)
  expect(placesOf(word, service.folder)).toEqual([])
  expect((await service.person('bea')).json).toMatchObject({ headline: 'of the dataset' })
  expect(await service.get('/admin/v1/records/people/ada', owner(service))).toMatchObject({ status: 404 })
  // Holders of the record delete their copies.
  const feed = await service.get('/v1/records/changes', { ApiKey: service.liveKey })
  expect(feed.json['changes']).toMatchObject([{ kind: 'people', change: 'purged', to: null }])
  const { entries } = await service.admin<{ entries: object[] }>('GET', '/audit?action=records.purge')
  expect(entries).toMatchObject([
    { subject: 'mirror', reason: 'contract ended' },
    { subject: 'mirror', reason: 'contract ended' },
  ])
  expect(await service.admin('GET', '/audit/verify')).toMatchObject({ ok: true })
  expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true })
})

const owner = (service: TestService) => ({ authorization: `Bearer ${service.service.admin.ownerToken}` })

test('a provider that is still in use is not purged, and the command says what to do', async () => {
  const service = await planted(marker())
  const env = { VITAE_URL: service.url, VITAE_ADMIN_TOKEN: service.service.admin.ownerToken }

  const refused = await runVitae(['records', 'purge', '--provider', 'mirror', '--yes'], env)
  const preview = await runVitae(['records', 'purge', '--provider', 'mirror', '--dry-run', '--json'], env)
  await service.admin('POST', '/providers/mirror/pause')
  const purged = await runVitae(['records', 'purge', '--provider', 'mirror', '--yes', '--json'], env)

  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('vitae providers pause mirror') })
  expect(preview).toMatchObject({ code: 0, json: { would_remove: { entities: 1, versions: 2 } } })
  expect(purged).toMatchObject({ code: 0, json: { provider: 'mirror', removed: { entities: 1, versions: 2 } } })
})
