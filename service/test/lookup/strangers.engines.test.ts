import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'

/* Two providers: Enrich Layer sends no ids, Bright Data the platform's. Slugs move between strangers. */
const names = ['enrichlayer', 'brightdata'] as const
type Name = (typeof names)[number]
const providers = new Map<Name, FakeProvider>()
let service: TestService

beforeAll(async () => {
  const env: Record<string, string> = { VITAE_UPSTREAM: names.join(','), VITAE_CHAIN_ON_NOT_FOUND: 'true' }
  for (const name of names) {
    const provider = await startFakeProvider({ provider: name, generate: false })
    providers.set(name, provider)
    env[`VITAE_${name.toUpperCase()}_URL`] = provider.url
    env[`VITAE_${name.toUpperCase()}_KEY`] = provider.key
  }
  service = await startTestService({ env, credits: 100_000 })
})
afterAll(async () => {
  await service.close()
  await Promise.all([...providers.values()].map((provider) => provider.close()))
})

let round = 0
/** The slugs of one test. */
let a1 = ''
let a2 = ''
beforeEach(() => {
  round += 1
  ;[a1, a2] = [`a1-${round}`, `a2-${round}`]
  for (const provider of providers.values()) for (const all of [provider.people, provider.companies]) all.clear()
})

interface Subject {
  first: string
  last: string
  member?: number
}
const otto: Subject = { first: 'Otto', last: 'Stranger' }
const mia: Subject = { first: 'Mia', last: 'Merge' }

/** From now on only this provider has somebody at the slug. */
function says(name: Name, slug: string, { first, last, member }: Subject): void {
  for (const provider of providers.values()) provider.people.delete(slug)
  const jobs = [{ company: 'Fictional Works', title: 'Engineer', starts_at: { day: 1, month: 3, year: 2020 } }]
  const enrichLayer = {
    public_identifier: slug,
    first_name: first,
    last_name: last,
    full_name: `${first} ${last}`,
    occupation: 'Engineer',
    experiences: jobs,
  }
  const brightData = {
    id: slug,
    linkedin_id: slug,
    linkedin_num_id: member === undefined ? null : String(member),
    name: `${first} ${last}`,
    first_name: first,
    last_name: last,
    about: 'Builds fictional machines.',
    experience: [{ company: 'Fictional Works', title: 'Engineer', start_date: 'Mar 2020', end_date: 'Present' }],
  }
  providers.get(name)?.people.set(slug, name === 'enrichlayer' ? enrichLayer : brightData)
}

async function ask(id: string, query = ''): Promise<{ name: string; key: string }> {
  const { status, json, text } = await service.person(id, query)
  expect(status, text).toBe(200)
  return { name: String(json['first_name']), key: String(json['member_urn']) }
}

async function fetchNow(id: string): Promise<{ name: string; key: string }> {
  service.clock.advance({ minutes: 1 })
  return ask(id, '&bypass_cache=true')
}

test('a stranger who takes over a slug gets a new key, and the old key still returns the first holder', async () => {
  const member = 7007 + round * 10_000
  says('enrichlayer', a1, otto)
  const first = await fetchNow(a1)
  says('brightdata', a2, { ...mia, member })
  const second = await fetchNow(a2)
  says('brightdata', a1, { ...mia, member })

  expect(await fetchNow(a1)).toEqual(second)
  expect(second).toEqual({ name: 'Mia', key: `urn:li:member:${member}` })
  for (const id of [a1, a2, second.key]) expect(await ask(id)).toEqual(second)
  expect(first.name).toBe('Otto')
  expect(await ask(first.key)).toEqual(first)
})

test('a key whose slug a stranger has taken over is not answered with the stranger, and that costs nothing', async () => {
  const member = 8008 + round * 10_000
  says('enrichlayer', a1, otto)
  const first = await fetchNow(a1)
  says('brightdata', a1, { ...mia, member })
  await fetchNow(a1)
  const before = await service.balance()

  const { status } = await service.person(first.key, '&bypass_cache=true')

  expect(status).toBe(404)
  expect(await service.balance()).toEqual(before)
})

test('two strangers without ids on one slug have two keys, however often the slug changes hands', async () => {
  says('enrichlayer', a1, otto)
  const first = await fetchNow(a1)
  says('enrichlayer', a1, mia)
  const second = await fetchNow(a1)
  expect(second).toMatchObject({ name: 'Mia', key: expect.stringMatching(/^urn:vitae:person:[\da-f]{16}$/) })
  expect(second.key).not.toBe(first.key)
  for (const subject of [otto, mia, otto, mia]) {
    says('enrichlayer', a1, subject)
    expect(await fetchNow(a1)).toEqual(subject === otto ? first : second)
    expect(await ask(first.key)).toEqual(first)
    expect(await ask(second.key)).toEqual(second)
  }
  await service.restart()
  expect(await ask(a1)).toEqual(second)
  expect(await ask(first.key)).toEqual(first)
})

test('erasing the first holder of a slug does not suppress the second, and the first stays erased', async () => {
  says('enrichlayer', a1, otto)
  const first = await fetchNow(a1)
  says('enrichlayer', a1, mia)
  const second = await fetchNow(a1)

  await service.admin('POST', `/records/people/${encodeURIComponent(first.key)}/erase`, { reason: 'asked for' })
  expect(await fetchNow(a1)).toEqual(second)
  expect(await ask(second.key)).toEqual(second)
  expect((await service.person(first.key)).status).toBe(404)
  says('enrichlayer', a1, otto)
  service.clock.advance({ minutes: 1 })
  expect((await service.person(a1, '&bypass_cache=true')).status).toBe(404)
  expect(await ask(second.key)).toEqual(second)
})

test('the same name in another spelling, a short form, or without a last name stays one person', async () => {
  says('enrichlayer', a1, { first: 'William', last: 'Fictional-Berg' })
  const { key } = await fetchNow(a1)
  for (const subject of [
    { first: 'Bill', last: 'Fictionalberg' },
    { first: 'William', last: '' },
    { first: 'W.', last: 'Fictional Berg' },
  ]) {
    says('enrichlayer', a1, subject)
    expect((await fetchNow(a1)).key).toBe(key)
  }
})

test('an id in both records proves one person, whatever the names are', async () => {
  const member = 7007 + round * 10_000
  says('brightdata', a1, { ...mia, member })
  const { key } = await fetchNow(a1)
  says('brightdata', a1, { first: 'Maria', last: 'Married', member })
  expect(await fetchNow(a1)).toEqual({ name: 'Maria', key })
  // A provider without ids lags behind, and still has her former name.
  says('enrichlayer', a1, mia)
  expect((await fetchNow(a1)).key).toBe(key)
})

test('an import keeps strangers on one slug apart, and repeating it changes nothing', async () => {
  const line = ({ first, last }: Subject) =>
    JSON.stringify({ public_identifier: a1, member_urn: null, first_name: first, last_name: last, experience: [] })
  const fetchedAt = new Date(service.clock.now() - 60_000).toISOString()
  const importing = (...subjects: Subject[]) =>
    service.admin('POST', '/records/import', { kind: 'people', fetched_at: fetchedAt, lines: subjects.map(line) })
  expect(await importing(otto)).toMatchObject({ saved: 1 })
  const first = await ask(a1)
  expect(await importing(otto, mia)).toMatchObject({ saved: 1, unchanged: 1 })
  expect(await importing(otto, mia)).toMatchObject({ saved: 0, unchanged: 2 })
  expect((await ask(a1)).name).toBe('Mia')
  expect(await ask(first.key)).toEqual({ name: 'Otto', key: first.key })
})

test('a company that takes over a slug gets a new key unless its name or its site agrees', async () => {
  const company = (name: string, website: string | null) =>
    providers.get('enrichlayer')?.companies.set(a1, { name, website, universal_name_id: a1, description: 'Fictional.' })
  const keyNow = async () => {
    service.clock.advance({ minutes: 1 })
    const { status, json, text } = await service.company(a1, '&bypass_cache=true')
    expect(status, text).toBe(200)
    return String(json['company_id'])
  }
  company('Alpen Fiction GmbH', 'https://alpenfiction.example')
  const first = await keyNow()
  company('Alpen Fiction', null)
  expect(await keyNow()).toBe(first)
  company('Renamed Works', 'https://www.alpenfiction.example')
  expect(await keyNow()).toBe(first)
  company('Zulu Quarry', 'https://zuluquarry.example')
  const second = await keyNow()
  expect(second).toMatch(/^vitae-[\da-f]{16}$/)
  expect(second).not.toBe(first)
  expect((await service.company(first)).json['company_name']).not.toBe('Zulu Quarry')
})
