import type { Person } from '@vitae/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import { fictionalCompany, type FictionalPerson } from '../../../fake-provider/fiction.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { ToldPerson } from '../../../fake-provider/wire/wire.ts'
import { startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'

let enrichlayer: FakeProvider
let service: TestService
let caller: TestCaller

beforeAll(async () => {
  enrichlayer = await startFakeProvider({ provider: 'enrichlayer', generate: false })
  service = await startTestService({
    generate: false,
    env: {
      // Only the second provider is asked to match, because the first knows nobody.
      VITAE_UPSTREAM: 'mirror,enrichlayer',
      VITAE_ENRICHLAYER_URL: enrichlayer.url,
      VITAE_ENRICHLAYER_KEY: enrichlayer.key,
      VITAE_NOT_FOUND_RATE: '100000/1h',
    },
  })
})
afterAll(() => Promise.all([service.close(), enrichlayer.close()]))
beforeEach(async () => {
  caller = await service.newCaller(20)
})

async function match(body: string | object, key = caller.key) {
  const headers = { ApiKey: key, 'content-type': 'application/json' }
  const sent = typeof body === 'string' ? body : JSON.stringify(body)
  const { status, json, headers: got } = await service.get('/v1/people/match', headers, 'POST', sent)
  const [sure, on, from] = ['x-match-likelihood', 'x-matched-on', 'x-data-source'].map((name) => got.get(name))
  const said =
    status === 200 ? `${String(json['public_identifier'])} ${sure} ${on} ${from}` : `${status} ${String(json['code'])}`
  return { status, json, said }
}

/** A person whom only Enrich Layer knows. */
function knows(asked: string, facts: Partial<FictionalPerson>): void {
  enrichlayer.people.set(asked, new ToldPerson(asked, { jobs: [], ...facts }))
}

/** A record of the mirror, saved by a lookup. */
async function stored(slug: string, facts: Partial<FictionalPerson>): Promise<Person> {
  const person = contractPerson(slug, { jobs: [], headline: '', ...facts })
  service.upstream.people.set(slug, person)
  const { status } = await service.person(slug)
  expect(status).toBe(200)
  return person
}

const jobAt = (slug: string) => [
  { company: fictionalCompany(slug), title: 'Archivist', start: { year: 2020, month: 1 }, end: null },
]

async function reprojectAll(): Promise<void> {
  for (let isDone = false; !isDone;)
    isDone = (await service.admin<{ done: boolean }>('POST', '/records/reproject', { limit: 500 })).done
}

test('min_likelihood accepts an equal or higher likelihood: 0, exactly equal, the default 0.80; for providers and the store alike', async () => {
  knows('nell-border', { firstName: 'Nell', lastName: 'Border', jobs: jobAt('quillworks') })
  const named = { first_name: 'Nell', last_name: 'Border', company: 'Quillworks' }
  const refused = [
    await match({ ...named, min_likelihood: 1 }),
    await match({ ...named, min_likelihood: 0.81 }),
    await match({ ...named, min_likelihood: 0.8000001 }),
  ]
  const live = await match(named)
  const again = [undefined, 0, 0.8, 0.7999999].map((min_likelihood) => match({ ...named, min_likelihood }))
  const fromStore = await Promise.all(again)
  const above = await match({ ...named, min_likelihood: 0.81 })
  const certain = await match({ profile_id: 'nell-border', min_likelihood: 1 })

  expect(refused.map(({ said }) => said)).toEqual(Array.from({ length: 3 }, () => '404 no_match'))
  expect(live.said).toBe('nell-border 0.80 name, company live')
  expect(fromStore.map(({ said }) => said)).toEqual(fromStore.map(() => 'nell-border 0.80 name, company store'))
  expect(above.said).toBe('404 no_match')
  expect(certain.said).toBe('nell-border 1.00 profile_id store')
  expect(await caller.balance()).toBe(14)
})

test('an invalid min_likelihood is a 400 that names it', async () => {
  const bad = [1.01, -0.01, '0.8', '', null, true, [0.8], 1e308].map((min_likelihood) =>
    match({ email: 'nell@border.example', min_likelihood }),
  )
  const named = await Promise.all(bad)
  const unreadable = await Promise.all(
    ['NaN', 'Infinity', '0,8'].map((value) => match(`{"email":"nell@border.example","min_likelihood":${value}}`)),
  )

  expect([...named, ...unreadable].map(({ status }) => status)).toEqual(Array.from({ length: 11 }, () => 400))
  for (const { json } of named) expect(JSON.stringify(json)).toContain('min_likelihood')
  expect(await caller.balance()).toBe(20)
})

test('the company_id of a stored employer finds the person; one that is not stored finds nobody', async () => {
  service.upstream.companies.set('amberline', {
    company_id: '471100',
    company_name: 'Amberline',
    public_identifier: 'amberline',
    company_url: 'https://amberline.example',
  })
  knows('ines-employed', { firstName: 'Ines', lastName: 'Employed', jobs: jobAt('amberline') })
  const before = await match({ name: 'Ines Employed', company_id: '471100' })
  expect((await service.company('amberline')).status).toBe(200)
  const seen = enrichlayer.requests.length
  const byNumber = await match({ name: 'Ines Employed', company_id: '471100' })
  const bySlug = await match({ name: 'Ines Employed', company_id: 'amberline' })
  const asked = enrichlayer.requests.slice(seen).map(({ path }) => path)
  const stranger = await match({ name: 'Ines Employed', company_id: '471999' })

  expect(before.said).toBe('404 no_match')
  expect(byNumber.said).toBe('ines-employed 0.85 name, company_domain live')
  expect(bySlug.said).toMatch(/^ines-employed 0\.85 name, company_domain/)
  expect(asked[0]).toContain('company_domain=amberline.example')
  expect(stranger.said).toBe('404 no_match')
})

test('an imported record is found by its address and number at once; an erased one is not, even after another import', async () => {
  const facts = { email: 'ivo@imported.example', phones: ['+49 30 90182011'], jobs: [] }
  const line = JSON.stringify(contractPerson('ivo-imported', facts))
  const load = () => service.admin('POST', '/records/import', { fetched_at: '1d', lines: [line] })
  expect(await load()).toMatchObject({ saved: 1 })
  const found = [await match({ email: 'IVO@imported.example' }), await match({ phone: '+49 30 90182011' })]
  const blind = await match({ email: 'ivo@imported.example' }, (await service.newCaller(5, { parts: [] })).key)
  await service.admin('POST', '/records/people/ivo-imported/erase', { reason: 'asked for it' })
  const again = await load()
  const gone = [await match({ email: 'ivo@imported.example' }), await match({ phone: '+49 30 90182011' })]

  expect(found.map(({ said }) => said)).toEqual(['ivo-imported 0.95 email store', 'ivo-imported 0.90 phone store'])
  expect(blind.said).toBe('404 no_match')
  expect(again).toMatchObject({ saved: 0, suppressed: 1 })
  expect(gone.map(({ said }) => said)).toEqual(['404 no_match', '404 no_match'])
})

test('a record whose contact details an older mapping missed is found by them after a reprojection', async () => {
  await stored('rita-mapped', { email: 'rita@mapped.example' })
  const { store } = service.service
  const { items } = await store.entities.reprojectBatch({ afterVersionId: 0, limit: 1_000 })
  const mine = items.find(({ aliases }) => aliases.some(({ value }) => value === 'rita-mapped'))
  if (!mine) throw new Error('the record is not stored')
  const unread = { ...(JSON.parse(Buffer.from(mine.payload).toString()) as object), contact_info: null }
  const body = Buffer.from(JSON.stringify(unread))
  const older = { versionId: mine.versionId, projection: 1, body, parts: null, thin: false }
  await store.entities.replaceProjections({
    items: [{ ...older, sourceUpdatedAt: null, contacts: [], suppressionHashes: [] }],
  })
  const before = await match({ email: 'rita@mapped.example' })
  await reprojectAll()
  const after = await match({ email: 'rita@mapped.example' })

  expect(before.said).toBe('404 no_match')
  expect(after.said).toBe('rita-mapped 0.95 email store')
})

test('an address known only from a purged provider finds nobody; one in the remaining version does after a reprojection', async () => {
  await stored('pia-purged', { email: 'pia@purged.example' })
  const older = JSON.stringify(contractPerson('pia-purged', { jobs: [], email: 'pia@older.example' }))
  const load = { fetched_at: '2d', lines: [older] }
  expect(await service.admin('POST', '/records/import', load)).toMatchObject({ older: 1 })
  const before = [await match({ email: 'pia@purged.example' }), await match({ email: 'pia@older.example' })]
  await service.admin('POST', '/providers/mirror/pause')
  await service.admin('POST', '/records/purge', { provider: 'mirror', reason: 'contract ended' })
  await service.admin('POST', '/providers/mirror/resume')
  const purged = await match({ email: 'pia@purged.example' })
  await reprojectAll()
  const after = [await match({ email: 'pia@purged.example' }), await match({ email: 'pia@older.example' })]

  expect(before.map(({ said }) => said)).toEqual(['pia-purged 0.95 email store', '404 no_match'])
  expect(purged.said).toBe('404 no_match')
  expect(after.map(({ said }) => said)).toEqual(['404 no_match', 'pia-purged 0.95 email store'])
})

test('an address of several people is ambiguous until the row identifies one; erasing one blocks it for all', async () => {
  const email = 'family@shared.example'
  const people = [
    ['ada-shared', 'Ada', 'Merrow'],
    ['bo-shared', 'Bo', 'Merrow'],
    ['cy-shared', 'Cy', 'Oakhurst'],
  ] as const
  for (const [slug, firstName, lastName] of people) await stored(slug, { firstName, lastName, email })
  const asked = enrichlayer.requests.length
  const alone = await match({ email })
  const family = await match({ email, last_name: 'Merrow' })
  const one = await match({ email, first_name: 'Bo', last_name: 'Merrow' })
  const other = await match({ email, last_name: 'Oakhurst' })
  const nobody = await match({ email, last_name: 'Zwyckelbach' })
  const billed = 20 - (await caller.balance())
  await service.admin('POST', '/records/people/cy-shared/erase', { reason: 'asked for it' })
  const kept = await match({ email, first_name: 'Bo', last_name: 'Merrow' })
  const byName = await service.person('bo-shared')

  expect([alone, family].map(({ said }) => said)).toEqual(['404 ambiguous_match', '404 ambiguous_match'])
  expect([one, other].map(({ said }) => said)).toEqual(['bo-shared 0.95 email store', 'cy-shared 0.95 email store'])
  expect(nobody.said).toBe('404 no_match')
  expect(enrichlayer.requests.length).toBe(asked + 1)
  expect(billed).toBe(2)
  expect(kept.said).toBe('404 no_match')
  expect(byName.status).toBe(200)
})
