import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { ChildService, serveWith } from '../../harness/child-service.ts'
import { openTestService, type TestService } from '../../harness/test-service.ts'
import { marker, personOf } from '../subjects.ts'
import { runVitae } from '../../harness/run-vitae.ts'
import { placesOf } from '../../harness/search-bytes.ts'

const slug = (word: string) => `ada-${word}`
/** Requested once, and unknown to everybody. */
const unknown = (word: string) => `not-ada-${word}`

/** A service in which a marked person occurs everywhere a person can occur. */
async function planted(word: string): Promise<TestService> {
  const service = await openTestService()
  const { people } = service.upstream
  people.set(slug(word), personOf(slug(word), { headline: `first ${word}`, hidden_by_us: `raw ${word}` }))
  await service.person(slug(word))
  service.clock.advance({ days: 8 })
  people.set(slug(word), personOf(slug(word), { headline: `second ${word}`, hidden_by_us: `raw ${word}` }))
  const paid = await service.person(slug(word), '', { 'Idempotency-Key': 'retry-me' })
  expect(paid.json).toMatchObject({ headline: `second ${word}` })
  const similar = [{ public_identifier: slug(word), url: `https://www.linkedin.com/in/${slug(word)}`, name: word }]
  people.set('bea', personOf('bea', { similar_people: [...similar, { public_identifier: 'cleo', name: 'Cleo' }] }))
  await service.person('bea')
  people.set(unknown(word), null)
  await service.person(unknown(word))
  return service
}

/** Waits until the background notes of calls have reached the store. */
const written = (service: TestService) => service.admin('GET', '/calls?limit=1')

const erase = (service: TestService, ref: string) =>
  service.admin<{ erased: Record<string, number> }>('POST', `/records/people/${ref}/erase`, { reason: 'asked to' })

test('after an erasure no byte of the person is left in any file of the data folder', async () => {
  const word = marker()
  const service = await planted(word)
  await written(service)
  const before = placesOf(word, service.folder)
  const everywhere = ['versions.body', 'payloads.bytes', 'aliases.value', 'fetches.identifier']
  expect(before).toEqual(expect.arrayContaining([...everywhere, 'call_details.identifier']))
  expect(before.some((place) => place.includes('compressed'))).toBe(true)

  const { erased } = await erase(service, slug(word))
  await erase(service, unknown(word))
  // On a new request the person is not found, and the identifier is not stored.
  const again = await service.person(slug(word))
  expect(again.status).toBe(404)
  await written(service)

  expect(erased).toMatchObject({ entities: 1, versions: 2, calls: 2, replays: 1, redacted_payloads: 1 })
  expect(placesOf(word, service.folder)).toEqual([])
  await service.stop()
  expect(placesOf(word, service.folder)).toEqual([])
})

test('others stay unchanged when someone is removed from their payload', async () => {
  const word = marker()
  const service = await planted(word)
  const before = await service.person('bea')

  await erase(service, slug(word))

  const after = await service.person('bea')
  expect(after.status).toBe(200)
  expect(after.text).toBe(before.text)
  const { fetch_id: fetchId } = (
    await service.admin<{ versions: { fetch_id: number }[] }>('GET', '/records/people/bea/history')
  ).versions[0] ?? { fetch_id: 0 }
  const raw = await service.admin<{ similar_people: unknown[] }>('GET', `/records/fetches/${fetchId}/raw`)
  expect(raw.similar_people).toEqual([{ public_identifier: 'cleo', name: 'Cleo' }])
})

test('an erased person is a free 404 on every interface, and the ledger still verifies', async () => {
  const word = marker()
  const service = await planted(word)
  const { member_urn: urn } = personOf(slug(word))
  await erase(service, slug(word))
  const { balance } = await service.balance()
  const asked = service.upstream.requests.length

  const answers = [
    await service.person(slug(word)),
    await service.person(slug(word), '&bypass_cache=true'),
    await service.person(`https://www.linkedin.com/in/${slug(word)}/`),
    await service.person(slug(word), '', { 'Idempotency-Key': 'retry-me' }),
  ]

  for (const answer of answers) expect(answer).toMatchObject({ status: 404, json: { code: 'not_found' } })
  expect(service.upstream.requests).toHaveLength(asked)
  expect(await service.balance()).toMatchObject({ balance, held: 0 })
  const owner = { authorization: `Bearer ${service.service.admin.ownerToken}` }
  for (const ref of [slug(word), String(urn)]) {
    const path = `/admin/v1/records/people/${encodeURIComponent(ref)}`
    expect((await service.get(path, owner)).status).toBe(404)
    expect((await service.get(`${path}/history`, owner)).status).toBe(404)
  }
  expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true })
})

test('an import and a fetch of the same person under a new slug write nothing and cost nothing', async () => {
  const word = marker()
  const service = await planted(word)
  const moved = `moved-${word}`
  const record = personOf(slug(word), { public_identifier: moved })
  service.upstream.people.set(moved, record)
  await erase(service, slug(word))
  await erase(service, unknown(word))
  const { balance } = await service.balance()

  const fetched = await service.person(moved)
  const imported = await service.admin('POST', '/records/import', {
    kind: 'people',
    fetched_at: '0s',
    lines: [JSON.stringify(record)],
  })

  expect(fetched).toMatchObject({ status: 404, json: { code: 'not_found' } })
  expect(imported).toMatchObject({ saved: 0, suppressed: 1, unchanged: 0 })
  expect(await service.balance()).toMatchObject({ balance, held: 0 })
  expect(placesOf(word, service.folder)).toEqual([])
})

test('reproject restores nothing of an erased person', async () => {
  const word = marker()
  const service = await planted(word)
  await erase(service, slug(word))
  await erase(service, unknown(word))

  for (let done = false; !done;) {
    ;({ done } = await service.admin<{ done: boolean }>('POST', '/records/reproject', {}))
  }

  expect(placesOf(word, service.folder)).toEqual([])
})

test('an erasure takes precedence over concurrent calls that fetch and serve the same person', async () => {
  const word = marker()
  const service = await openTestService({ credits: 100_000 })
  service.upstream.people.set(slug(word), personOf(slug(word), { headline: `busy ${word}` }))
  await service.person(slug(word))
  service.upstream.latencyMs = 5
  const statuses = new Set<number>()
  const state = { erasing: true }
  const caller = async (query: string) => {
    for (let after = 0; after < 5; after += state.erasing ? 0 : 1)
      statuses.add((await service.person(slug(word), query)).status)
  }
  const callers = ['', '', '&bypass_cache=true', '&bypass_cache=true', '&max_age_days=0', ''].map(caller)
  await service.person('bystander')

  await erase(service, slug(word))
  state.erasing = false
  await Promise.all(callers)

  expect(statuses).toEqual(new Set([200, 404]))
  await service.admin('GET', '/calls')
  expect(placesOf(word, service.folder)).toEqual([])
  expect(await service.person(slug(word))).toMatchObject({ status: 404 })
  expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true })
})

test('tampering with one row of the audit log is detected', async () => {
  const service = await openTestService()
  await service.grant(7)
  await service.grant(8)
  expect(await service.admin('GET', '/audit/verify')).toMatchObject({ ok: true, broken_at: null })
  await service.stop()
  const store = new DatabaseSync(`${service.folder}/vitae.db`)
  const { id } = store.prepare('select max(id) - 1 as id from audit').get() as { id: number }
  store.prepare("update audit set actor = 'someone-else' where id = ?").run(id)
  store.close()

  const verified = await runVitae(['audit', 'verify', '--json'], { VITAE_DATA_DIR: service.folder })

  expect(verified).toMatchObject({ code: 1, json: { ok: false, broken_at: id } })
})

test("the service's log names nobody, at any level, even for an erasure by the command line", async () => {
  const word = marker()
  const people = { [slug(word)]: personOf(slug(word), { headline: `loud ${word}` }) }
  const upstream = await startFakeProvider({ provider: 'mirror', people, companies: {}, generate: false })
  const folder = mkdtempSync(join(tmpdir(), 'vitae-log-'))
  onTestFinished(async () => {
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const mirror = { VITAE_UPSTREAM: 'mirror', VITAE_MIRROR_URL: upstream.url, VITAE_MIRROR_KEY: upstream.key }
  const patient = { VITAE_UPSTREAM_TIMEOUT_MS: '60000', VITAE_UPSTREAM_TOTAL_MS: '60000' }
  const service = new ChildService(serveWith({ maxLagMs: 600_000 }, '--demo'), {
    ...mirror,
    ...patient,
    LOG_LEVEL: 'trace',
    VITAE_DATA_DIR: folder,
  })
  onTestFinished(() => void service.process.kill('SIGKILL'))
  const url = await service.url
  const keys = JSON.parse(readFileSync(join(folder, 'demo-keys.json'), 'utf8')) as { live_key: string }
  const ask = (id: string) => fetch(`${url}/v1/people/profile?profile_id=${id}`, { headers: { ApiKey: keys.live_key } })

  expect((await ask(slug(word))).status).toBe(200)
  expect((await ask(unknown(word))).status).toBe(404)
  const args = ['--reason', 'asked to', '--yes', '--json']
  const env = { VITAE_DATA_DIR: folder }
  for (const id of [slug(word), unknown(word)])
    expect(await runVitae(['records', 'erase', id, '--kind', 'people', ...args], env)).toMatchObject({ code: 0 })
  const history = await runVitae(['records', 'history', slug(word), '--kind', 'people'], env)
  expect((await ask(slug(word))).status).toBe(404)
  const ended = await service.stop('SIGTERM')

  expect(history).toMatchObject({ code: 1, stderr: expect.stringMatching(/nothing is stored|not found/i) })
  expect(ended.stdout).toContain('"msg":"call"')
  expect(`${ended.stdout}${ended.stderr}`.toLowerCase()).not.toContain(word)
  expect(placesOf(word, folder)).toEqual([])
})
