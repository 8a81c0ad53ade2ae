import type { Company, Person, Watch, WatchList } from '@vitae/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { fictionalCompany } from '../../fake-provider/fiction.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { runDueWatches } from '../../src/watches/run-watches.ts'
import { BatchCaller } from '../batches/batch-caller.ts'
import { startTestService, type TestCaller, type TestService } from '../harness/test-service.ts'
import { callTool, connect } from '../mcp/mcp-client.ts'

let provider: FakeProvider
let service: TestService
let caller: TestCaller

beforeAll(async () => {
  // This provider names employers only by page, and knows companies by no derived key.
  provider = await startFakeProvider({ provider: 'brightdata' })
  const env = { VITAE_UPSTREAM: 'brightdata', VITAE_BRIGHTDATA_URL: provider.url, VITAE_BRIGHTDATA_KEY: provider.key }
  service = await startTestService({ env, realClock: true })
})
afterAll(() => Promise.all([service.close(), provider.close()]))
beforeEach(async () => {
  caller = await service.newCaller(20, { daily_ceiling: 100 })
})

let people = 0

/** The derived id of an employer that was never looked up, from a person's record, and its company. */
async function unmetEmployer() {
  const { slug, name, number } = fictionalCompany(`unmet-works-${(people += 1)}`)
  const url = `https://www.linkedin.com/company/${slug}`
  const job = { title: 'Baker', company: name, company_id: slug, url, start_date: 'Mar 2020', end_date: 'Present' }
  const known = { id: `met-person-${people}`, name: 'Ottoline Ashgrove', position: 'Baker', experience: [job] }
  provider.people.set(known.id, known)
  const [group] = ((await service.person(known.id)).json as unknown as Person).experience
  const id = group?.company_id ?? ''
  expect(id).toMatch(/^vitae-[\da-f]{16}$/)
  return { id, slug, number: String(number) }
}

const details = (id: string) => service.company(id, '', { ApiKey: caller.key })

test('a derived id is requested by the page beside it, once, and then answered from the store', async () => {
  const { id, slug, number } = await unmetEmployer()
  const before = await service.get(`/v1/companies/details/preflight?company_id=${id}`, { ApiKey: caller.key })
  const asked = provider.requests.length

  const first = await details(id)
  const again = await details(id)

  expect(before.json).toMatchObject({ source: 'live', price: 1, asks_provider: true, refused: null })
  expect([first.status, first.json['company_id'], first.json['public_identifier']]).toEqual([200, number, slug])
  expect([first, again].map(({ headers }) => headers.get('x-data-source'))).toEqual(['live', 'store'])
  expect(provider.requests.length).toBe(asked + 1)
  expect(await caller.balance()).toBe(18)
})

test('it is answered from the store if the page was looked up under its old name', async () => {
  const { id, slug } = await unmetEmployer()
  const moved = {
    ...(await companyPayload(slug)),
    id: `${slug}-now`,
    url: `https://www.linkedin.com/company/${slug}-now`,
  }
  provider.companies.set(slug, moved)
  const bySlug = await details(slug)

  const byId = await details(id)

  expect([bySlug.json['public_identifier'], byId.status]).toEqual([`${slug}-now`, 200])
  expect(byId.headers.get('x-data-source')).toBe('store')
})

test('a batch, a watch and an agent can use it', async () => {
  const employers = [await unmetEmployer(), await unmetEmployer(), await unmetEmployer()]
  const [ofBatch, ofWatch, ofAgent] = employers.map(({ id }) => id)
  const batches = new BatchCaller(service.url, caller.key)
  const headers = { ApiKey: caller.key, 'content-type': 'application/json' }
  const agent = await connect(service.url, caller.key)

  const batch = await batches.submit({ kind: 'companies', ids: [ofBatch] })
  await batches.until(batch)
  const [row] = await batches.results(batch)
  const watch = JSON.stringify({ kind: 'companies', id: ofWatch })
  const { id: watchId } = (await service.get('/v1/watches', headers, 'POST', watch)).json as unknown as Watch
  await runDueWatches(service.service, 1)
  const { watches } = (await service.get('/v1/watches', headers)).json as unknown as WatchList
  const told = await callTool(agent, 'lookup_company', { company_id: ofAgent })
  await agent.close()

  expect([row?.status, (row?.record as Company | null)?.company_id]).toEqual(['found', employers[0]?.number])
  expect(watches.find(({ id }) => id === watchId)?.last_result).toBe('live')
  expect(told.answer).toMatchObject({ record: { company_id: employers[2]?.number } })
})

test('a derived id that no record has is unknown, and one of an erased company looks the same', async () => {
  const erased = await unmetEmployer()
  const asked = provider.requests.length
  await service.admin('POST', `/records/companies/${erased.slug}/erase`, { reason: 'asked to' })

  const answers = [await details('vitae-0123456789abcdef'), await details(erased.id)]

  expect(answers.map(({ status, json }) => [status, json['code']])).toEqual([
    [404, 'not_found'],
    [404, 'not_found'],
  ])
  expect(provider.requests.length).toBe(asked)
  expect(await service.service.store.records.companyPage({ id: erased.id })).toBeNull()
})

/** The provider's own payload of a company. */
async function companyPayload(slug: string): Promise<object> {
  const response = await fetch(`${provider.url}/datasets/v3/scrape?dataset_id=gd_l1vikfnt1wgvvqz95w`, {
    method: 'POST',
    headers: { authorization: `Bearer ${provider.key}` },
    body: JSON.stringify([{ url: `https://www.linkedin.com/company/${slug}` }]),
  })
  const [row] = (await response.json()) as object[]
  return row ?? {}
}
