import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { VitaeEvent } from '@vitae/contract'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import { notifyOfMerges } from '../../../src/lifecycle/records/notify-of-merges.ts'
import { runDueWatches } from '../../../src/watches/run-watches.ts'
import { startTestService, type TestService } from '../../harness/test-service.ts'

let service: TestService
beforeAll(async () => void (service = await startTestService({ credits: 100_000 })))
afterAll(() => service.close())

let round = 0
/** Slugs and the member number of one test. */
let [a1, a2, member] = ['', '', 0]
beforeEach(() => {
  round += 1
  ;[a1, a2, member] = [`a1-${round}`, `a2-${round}`, 70_070 + round]
})

interface Said {
  first: string | null
  member?: number
  /** A derived key, as a mirror sends it. */
  key?: string
  email?: string
}

async function fetchAs(slug: string, { first, member: number, key, email }: Said): Promise<void> {
  const names = { first_name: first, last_name: first === null ? null : first === 'Otto' ? 'Stranger' : 'Merge' }
  const ids = { member_urn: number === undefined ? (key ?? null) : `urn:li:member:${number}`, entity_urn: null }
  const contact = { contact_info: { ...contractPerson(slug).contact_info, email_address: email ?? null } }
  service.upstream.people.set(slug, { ...contractPerson(slug), public_identifier: slug, ...names, ...ids, ...contact })
  service.clock.advance({ minutes: 1 })
  const { status, text } = await service.person(slug, '&bypass_cache=true&include_contact_info=true')
  expect(status, text).toBe(200)
}

async function ask(id: string): Promise<{ name: unknown; key: unknown }> {
  const { status, json, text } = await service.person(id)
  expect(status, text).toBe(200)
  return { name: json['first_name'], key: json['member_urn'] }
}

interface Suspects {
  suspects: { key: string; names: { name: string; fetches: number[] }[] }[]
  next_cursor: string | null
}

/** Otto and Mia in one record, joined by a page without a name. Returns Otto's key. */
async function joinStrangers(): Promise<string> {
  await fetchAs(a1, { first: 'Otto', email: `otto-${round}@fiction.example` })
  const { key } = await ask(a1)
  await fetchAs(a1, { first: null, member })
  await fetchAs(a2, { first: 'Mia', member, email: `mia-${round}@fiction.example` })
  for (const id of [a1, a2, `urn:li:member:${member}`]) expect((await ask(id)).key).toBe(key)
  return String(key)
}

async function suspectOf(key: string): Promise<Suspects['suspects'][number] | undefined> {
  const found: Suspects['suspects'] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Suspects = await service.admin('GET', `/records/suspects?limit=1${cursor && `&cursor=${cursor}`}`)
    found.push(...page.suspects)
    cursor = page.next_cursor
  }
  return found.find((one) => one.key === key)
}

async function fetchesOf(key: string, name: string): Promise<number[]> {
  return (await suspectOf(key))?.names.find((one) => one.name.startsWith(name))?.fetches ?? []
}

const recordPath = (id: string) => `/records/people/${encodeURIComponent(id)}`
const owner = () => ({
  authorization: `Bearer ${service.service.admin.ownerToken}`,
  'content-type': 'application/json',
})

test.each(['Mia', 'Otto'])(
  'a split by the fetches of %s gives both their own record, keys, watches and contacts',
  async (listed) => {
    const key = await joinStrangers()
    const watching = { ApiKey: service.liveKey, 'content-type': 'application/json' }
    await service.get('/v1/watches', watching, 'POST', JSON.stringify({ kind: 'people', id: a2 }))
    await runDueWatches(service.service, 1)
    expect(await suspectOf(key)).toMatchObject({ names: [{ name: 'Otto Stranger' }, { name: 'Mia Merge' }] })

    const fetches = await fetchesOf(key, listed)
    const done = await service.admin('POST', `${recordPath(key)}/split`, { fetches, reason: 'two people' })
    const urn = `urn:li:member:${member}`
    expect(done).toMatchObject({
      kept: { key, versions: 1, watches: 0, contacts: 1 },
      split: { key: urn, watches: 1, contacts: 1 },
    })
    expect(await suspectOf(key)).toBeUndefined()
    expect(await ask(key)).toEqual({ name: 'Otto', key })
    for (const id of [urn, a2, a1]) expect(await ask(id)).toEqual({ name: 'Mia', key: urn })
    const match = (email: string) =>
      service.get('/v1/people/match', watching, 'POST', JSON.stringify({ email, max_age_days: 1 }))
    expect((await match(`otto-${round}@fiction.example`)).json['member_urn']).toBe(key)

    await notifyOfMerges(service.service)
    await notifyOfMerges(service.service)
    const { json } = await service.get('/v1/events', { ApiKey: service.liveKey })
    const splits = (json['events'] as VitaeEvent[]).filter(({ type }) => type === 'record.split')
    const data = { kind: 'people', id: key, split_id: urn }
    expect(splits.map((event) => event.data).filter((one) => isDeepStrictEqual(one, data))).toEqual([data])
    const { entries } = await service.admin<{ entries: { action: string; reason: string }[] }>(
      'GET',
      '/audit?action=record.split',
    )
    expect(entries[0]).toMatchObject({ action: 'record.split', reason: 'two people' })
  },
)

test('no fetch, import or new mapping joins two records again that were split', async () => {
  const urn = `urn:li:member:${member}`
  const a3 = `a3-${round}`
  // Two people with the same name, so that names cannot keep them apart.
  await fetchAs(a1, { first: 'Mia' })
  const { key } = await ask(a1)
  await fetchAs(a1, { first: 'Mia', member })
  await fetchAs(a2, { first: 'Mia', member })
  const { fetches } = await service.admin<{ fetches: { id: number }[] }>('GET', recordPath(String(key)))
  const oldest = fetches.at(-1)?.id
  await service.admin('POST', `${recordPath(String(key))}/split`, { fetches: [oldest] })
  expect(await ask(urn)).toEqual({ name: 'Mia', key: urn })
  expect(await ask(String(key))).toEqual({ name: 'Mia', key })

  // The one without a number moves to a page that the other one takes over. Without the mark they would be joined.
  await fetchAs(a3, { first: 'Mia', key: String(key) })
  expect((await ask(a3)).key).toBe(key)
  await fetchAs(a3, { first: 'Mia', member })
  const line = { ...contractPerson(a3), public_identifier: a3, first_name: 'Mia', last_name: 'Merge' }
  const fetchedAt = new Date(service.clock.now()).toISOString()
  const lines = [key, urn, key].map((member_urn) => JSON.stringify({ ...line, member_urn, entity_urn: null }))
  await service.admin('POST', '/records/import', { kind: 'people', fetched_at: fetchedAt, lines })
  await service.admin('POST', '/records/reproject', {})
  await service.restart()
  expect(await ask(String(key))).toEqual({ name: 'Mia', key })
  expect(await ask(urn)).toEqual({ name: 'Mia', key: urn })
})

test('a suspect record is not erased before it is split, and then erasing one leaves the other', async () => {
  const key = await joinStrangers()
  const body = { reason: 'request 17' }
  const refused = await service.get(`/admin/v1${recordPath(key)}/erase`, owner(), 'POST', JSON.stringify(body))
  expect(refused).toMatchObject({
    status: 409,
    json: { code: 'conflict', detail: expect.stringContaining('Split it first') },
  })
  const many = JSON.stringify({ ...body, kind: 'people', ids: [key] })
  expect((await service.get('/admin/v1/records/erase', owner(), 'POST', many)).status).toBe(409)
  expect((await ask(a2)).key).toBe(key)

  await service.admin('POST', `${recordPath(key)}/split`, { fetches: await fetchesOf(key, 'Mia') })
  await service.admin('POST', `${recordPath(key)}/erase`, body)
  expect((await service.person(key)).status).toBe(404)
  for (const id of [a1, a2]) expect(await ask(id)).toEqual({ name: 'Mia', key: `urn:li:member:${member}` })
})

test('a suspect record is erased as one subject if the operator confirms it', async () => {
  const key = await joinStrangers()
  await service.admin('POST', `${recordPath(key)}/erase`, { reason: 'request 18', erase_suspects: true })
  for (const id of [key, a1, a2]) expect((await service.person(id)).status).toBe(404)
})

test('a split that names no fetch of the record, or all of them, changes nothing', async () => {
  const key = await joinStrangers()
  const split = (fetches: number[]) =>
    service.get(`/admin/v1${recordPath(key)}/split`, owner(), 'POST', JSON.stringify({ fetches }))
  expect(await split([999_999])).toMatchObject({ status: 400, json: { errors: [{ parameter: 'fetches' }] } })
  const { fetches } = await service.admin<{ fetches: { id: number }[] }>('GET', recordPath(key))
  expect(await split(fetches.map(({ id }) => id))).toMatchObject({ status: 400 })
  expect((await ask(a2)).key).toBe(key)
})
