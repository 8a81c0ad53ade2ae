import { randomBytes } from 'node:crypto'
import { emptyContact, type Person } from '@vitae/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { BatchCaller } from '../batches/batch-caller.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { rewriteNow } from '../../src/lifecycle/erasure/rewrites.ts'

const contact = '&include_contact_info=true'
const email = 'ada@example.com'
let second: FakeProvider
let service: TestService

beforeAll(async () => {
  second = await startFakeProvider({ provider: 'harvestapi' })
  service = await startTestService({
    env: {
      VITAE_UPSTREAM: 'mirror,harvestapi',
      VITAE_HARVESTAPI_URL: second.url,
      VITAE_HARVESTAPI_KEY: second.key,
      VITAE_BREAKER_FAILURES: '1000000',
      VITAE_COOLDOWN_SECONDS: '0',
    },
  })
})
afterAll(async () => {
  await service.close()
  await second.close()
})
beforeEach(async () => {
  await service.upstream.setFault(null)
  await second.setFault(null)
  second.requests.length = 0
  service.upstream.requests.length = 0
})

/** The same person at both providers: the first has an e-mail address and lacks other parts, the second has no address. */
async function knownToBoth(slug: string, change: Partial<Person> = {}): Promise<Person> {
  await service.upstream.setFault('malformed')
  const { json } = await service.person(slug, '&bypass_cache=true')
  await service.upstream.setFault(null)
  const person = json as unknown as Person
  const own = { ...person, contact_info: { ...emptyContact(), email_address: email }, ...change }
  service.upstream.people.set(slug, own)
  return person
}

/** A day later the second provider refreshes the record, because the first fails. */
async function refreshBySecond(slug: string): Promise<void> {
  service.clock.advance({ days: 1 })
  await service.upstream.setFault('malformed')
  const refreshed = await service.person(slug, '&max_age_days=0.5')
  expect(refreshed.headers.get('x-data-source')).toBe('live')
  await service.upstream.setFault(null)
}

function emailIn(json: Record<string, unknown>): unknown {
  return (json as unknown as Person).contact_info?.email_address
}

describe('a unit that the served version does not state', () => {
  test('is filled from the newest version that states it, and the header names provider and age', async () => {
    await knownToBoth('ada-filled')
    service.clock.advance({ minutes: 1 })
    await service.person('ada-filled', `${contact}&bypass_cache=true`)
    await refreshBySecond('ada-filled')

    const answer = await service.person('ada-filled', contact)

    expect(emailIn(answer.json)).toBe(email)
    expect(answer.headers.get('x-data-source')).toBe('store')
    expect(answer.headers.get('x-data-age-seconds')).toBe('0')
    expect(answer.headers.get('x-filled-from')).toContain('mirror;fields="contact_info.email_address";age=86400')
  })

  test('is not named if it is not in the body', async () => {
    await knownToBoth('ada-hidden')
    await service.person('ada-hidden', `${contact}&bypass_cache=true`)
    await refreshBySecond('ada-hidden')

    expect((await service.person('ada-hidden')).headers.get('x-filled-from') ?? '').not.toContain('contact_info')
    const some = await service.person('ada-hidden', `${contact}&fields=headline`)
    expect(some.headers.get('x-filled-from') ?? '').not.toContain('contact_info')
  })

  test('does not hinder a row of a batch that shows other parts, after a restart', async () => {
    await knownToBoth('ada-row')
    await service.person('ada-row', `${contact}&bypass_cache=true`)
    await refreshBySecond('ada-row')
    await service.restart()

    const batches = new BatchCaller(service.url, service.liveKey)
    const id = await batches.submit({ kind: 'people', ids: ['ada-row'] })
    await batches.until(id)

    const { json } = await service.person('ada-row')
    expect(await batches.results(id)).toMatchObject([{ status: 'found', source: 'store', record: json }])
  })

  test("stays empty beyond the caller's maximum age, and for a fetch that must be fresh", async () => {
    await knownToBoth('ada-aged')
    await service.person('ada-aged', `${contact}&bypass_cache=true`)
    await refreshBySecond('ada-aged')

    expect(emailIn((await service.person('ada-aged', `${contact}&max_age_days=0.9`)).json)).toBeNull()
    await service.upstream.setFault('malformed')
    expect(emailIn((await service.person('ada-aged', `${contact}&bypass_cache=true`)).json)).toBeNull()
    expect(emailIn((await service.person('ada-aged', contact)).json)).toBe(email)
  })

  test('satisfies `require` without a fetch, and only stored copies are needed', async () => {
    await knownToBoth('ada-required')
    await service.person('ada-required', `${contact}&bypass_cache=true`)
    await refreshBySecond('ada-required')
    second.requests.length = 0
    service.upstream.requests.length = 0

    const required = `${contact}&require=contact_info.email_address`
    const answer = await service.person('ada-required', required, { 'Cache-Control': 'only-if-cached' })

    expect(answer.status).toBe(200)
    expect(emailIn(answer.json)).toBe(email)
    expect([...second.requests, ...service.upstream.requests]).toEqual([])
  })

  test('stays when another provider refreshes the record: no provider is asked for it, and it is not charged again', async () => {
    const { key, balance } = await service.newCaller(10)
    const asked = { ApiKey: key }
    await knownToBoth('ada-kept')
    service.clock.advance({ minutes: 1 })
    await service.person('ada-kept', `${contact}&bypass_cache=true`, asked)
    await refreshBySecond('ada-kept')
    service.upstream.requests.length = 0
    second.requests.length = 0
    const required = `${contact}&require=contact_info.email_address`
    const onlyStored = { ...asked, 'Cache-Control': 'only-if-cached', 'Idempotency-Key': 'kept' }
    const before = await balance()

    const preflight = await service.get(`/v1/people/profile/preflight?profile_id=ada-kept${required}`, asked)
    const answer = await service.person('ada-kept', required, onlyStored)
    const retry = await service.person('ada-kept', required, onlyStored)

    expect(answer.status).toBe(200)
    expect(emailIn(answer.json)).toBe(email)
    expect(answer.headers.get('x-filled-from')).toContain('mirror;fields="contact_info.email_address')
    expect(answer.headers.get('x-credits-charged')).toBe('1')
    expect(preflight.json).toMatchObject({ source: 'store', price: 1, asks_provider: false })
    expect(retry.text).toBe(answer.text)
    expect(before - (await balance())).toBe(1)
    expect([...service.upstream.requests, ...second.requests]).toEqual([])
    const blind = await service.makeKey({ parts: ['network'] })
    const hidden = await service.person('ada-kept', contact, { ApiKey: blind.key })
    expect(hidden.text).not.toContain(email)
    expect(hidden.headers.get('x-filled-from') ?? '').not.toContain('contact_info')
  })

  test('is removed with an erasure, from every byte of the store', async () => {
    const address = `${randomBytes(9).toString('hex')}@example.com`
    await knownToBoth('ada-erased', { contact_info: { ...emptyContact(), email_address: address } })
    service.clock.advance({ minutes: 1 })
    await service.person('ada-erased', `${contact}&bypass_cache=true`)
    await refreshBySecond('ada-erased')
    expect(emailIn((await service.person('ada-erased', contact)).json)).toBe(address)
    expect(await service.placesOf(address)).not.toEqual([])

    await service.admin('POST', '/records/people/ada-erased/erase', { reason: 'asked for it', now: true })
    // Long transactions of other tests on the server delay the rewrite.
    const { store, clock } = service.service
    await expect.poll(async () => (await rewriteNow(store, clock)).left).toEqual([])

    expect((await service.person('ada-erased', contact)).status).toBe(404)
    expect(await service.placesOf(address)).toEqual([])
  })

  test('lets a match find the record', async () => {
    const address = 'ada-indexed@example.com'
    await knownToBoth('ada-indexed', { contact_info: { ...emptyContact(), email_address: address } })
    service.clock.advance({ minutes: 1 })
    await service.person('ada-indexed', `${contact}&bypass_cache=true`)
    await refreshBySecond('ada-indexed')
    service.upstream.requests.length = 0
    second.requests.length = 0

    const headers = { ApiKey: service.liveKey, 'Content-Type': 'application/json' }
    const match = await service.get('/v1/people/match', headers, 'POST', JSON.stringify({ email: address }))

    expect(match.status).toBe(200)
    expect(match.json['public_identifier']).toBe('ada-indexed')
    expect([...service.upstream.requests, ...second.requests]).toEqual([])
  })

  test('never comes from a provider that no longer has the record, while another one answers', async () => {
    await knownToBoth('ada-denied')
    service.clock.advance({ minutes: 1 })
    await service.person('ada-denied', `${contact}&bypass_cache=true`)
    await refreshBySecond('ada-denied')
    expect(emailIn((await service.person('ada-denied', contact)).json)).toBe(email)
    service.clock.advance({ hours: 1 })
    service.upstream.people.delete('ada-denied')
    service.upstream.generate = false
    onTestFinished(() => void (service.upstream.generate = true))

    const refreshed = await service.person('ada-denied', `${contact}&max_age_days=0.01`)
    const later = await service.person('ada-denied', contact)

    expect(refreshed.headers.get('x-data-source')).toBe('live')
    for (const { json, headers } of [refreshed, later]) {
      expect(emailIn(json)).toBeNull()
      expect(headers.get('x-filled-from') ?? '').not.toContain('mirror')
    }
  })

  test('is repeated byte for byte by a replay, even after another fetch has changed the fill', async () => {
    await knownToBoth('ada-replayed')
    await service.person('ada-replayed', `${contact}&bypass_cache=true`)
    await refreshBySecond('ada-replayed')
    const once = { 'Idempotency-Key': 'filled-once' }
    const first = await service.person('ada-replayed', contact, once)
    await service.person('ada-replayed', `${contact}&bypass_cache=true`)

    const replay = await service.person('ada-replayed', contact, once)

    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    expect(replay.text).toBe(first.text)
  })

  test('does not return after its deletion: the provider supplies it and stated none', async () => {
    const person = await knownToBoth('ada-deleted')
    await service.person('ada-deleted', '&bypass_cache=true')
    service.clock.advance({ minutes: 1 })
    service.upstream.people.set('ada-deleted', { ...person, summary: null })

    const answer = await service.person('ada-deleted', '&max_age_days=0.0001')

    expect(answer.json['summary']).toBeNull()
    expect((await service.person('ada-deleted')).json['summary']).toBeNull()
  })

  test('never comes from somebody with another name', async () => {
    await knownToBoth('ada-stranger', { first_name: 'Otto', last_name: 'Fremdling' })
    await service.person('ada-stranger', `${contact}&bypass_cache=true`)
    await refreshBySecond('ada-stranger')

    expect(emailIn((await service.person('ada-stranger', contact)).json)).toBeNull()
  })
})

describe('a required unit that no stored version has', () => {
  test('is fetched from another provider, which fills the base without replacing it', async () => {
    await knownToBoth('ada-asked')
    service.clock.advance({ hours: 1 })
    const required = `${contact}&require=contact_info.email_address`

    const answer = await service.person('ada-asked', required)

    expect(emailIn(answer.json)).toBe(email)
    expect(answer.headers.get('x-data-source')).toBe('store')
    expect(answer.headers.get('x-data-age-seconds')).toBe('3600')
    expect(answer.headers.get('x-filled-from')).toContain('mirror;fields="contact_info.email_address')
    expect(answer.headers.get('x-filled-from')).toContain(';age=0')
    expect(second.requests).toHaveLength(1)

    const again = await service.person('ada-asked', contact)
    expect(again.headers.get('x-data-age-seconds')).toBe('3600')
    expect(emailIn(again.json)).toBe(email)
  })
})

describe('the origin of units', () => {
  interface Provenance {
    units: { unit: string; provider: string; fetched_at: string; filled: boolean }[]
  }

  async function provenanceOf(slug: string, key = service.liveKey): Promise<Provenance> {
    const { status, json } = await service.get(`/v1/people/provenance?profile_id=${slug}`, { ApiKey: key })
    expect(status).toBe(200)
    return json as unknown as Provenance
  }

  test('is in the provenance and the receipt with provider and time, limited to what the key may see', async () => {
    await knownToBoth('ada-provenance')
    await service.person('ada-provenance', `${contact}&bypass_cache=true`)
    const seenAt = new Date(service.clock.now()).toISOString()
    await refreshBySecond('ada-provenance')
    const answer = await service.person('ada-provenance', contact)
    const blind = await service.makeKey({ parts: ['network'] })

    const { units } = await provenanceOf('ada-provenance')
    const path = `/v1/receipts/${answer.headers.get('x-request-id')}`
    const receipt = await service.get(path, { ApiKey: service.liveKey })
    const mail = { unit: 'contact_info.email_address', provider: 'mirror', fetched_at: seenAt }

    const { filled } = await service.admin('GET', '/records/people/ada-provenance')
    expect(filled).toContainEqual(mail)
    expect(units).toContainEqual({ ...mail, filled: true })
    expect(units).toContainEqual(expect.objectContaining({ unit: 'headline', provider: 'harvestapi', filled: false }))
    expect(receipt.json['filled']).toContainEqual(mail)
    const hidden = await provenanceOf('ada-provenance', blind.key)
    expect(JSON.stringify(hidden)).not.toContain('contact_info')
    const unseen = await service.get(path, { ApiKey: blind.key })
    expect(JSON.stringify(unseen.json)).not.toContain('contact_info')
  })

  test('is hidden from an environment that never got the record', async () => {
    await service.person('ada-foreign')
    const other = await service.newCaller(10)
    const { status } = await service.get('/v1/people/provenance?profile_id=ada-foreign', { ApiKey: other.key })

    expect(status).toBe(404)
  })

  test('a fill is removed when its provider is purged', async () => {
    await knownToBoth('ada-purged')
    await service.person('ada-purged', `${contact}&bypass_cache=true`)
    await refreshBySecond('ada-purged')
    expect(emailIn((await service.person('ada-purged', contact)).json)).toBe(email)

    await service.admin('POST', '/providers/mirror/pause')
    await service.admin('POST', '/records/purge', { provider: 'mirror', reason: 'the contract has ended' })
    await service.admin('POST', '/providers/mirror/resume')

    const purged = await service.person('ada-purged', contact)
    expect(emailIn(purged.json)).toBeNull()
    expect(purged.headers.get('x-filled-from') ?? '').not.toContain('mirror')
  })

  test('an environment whose route excludes the provider is not filled from it', async () => {
    await knownToBoth('ada-routed')
    await service.person('ada-routed', `${contact}&bypass_cache=true`)
    await refreshBySecond('ada-routed')
    const other = await service.newCaller(10)
    const route = { environment: 'production', providers: ['harvestapi'] }
    await service.admin('POST', `/projects/${other.project}/route`, route)

    const answer = await service.person('ada-routed', contact, { ApiKey: other.key })

    expect(answer.status).toBe(200)
    expect(emailIn(answer.json)).toBeNull()
  })

  test('callers with a test key can try it with `sample-filled`', async () => {
    const { key } = await service.makeKey({ mode: 'test' })
    const answer = await service.person('sample-filled', contact, { ApiKey: key })
    const plain = await service.person('sample-filled', '', { ApiKey: key })

    expect(answer.headers.get('x-filled-from')).toMatch(/^peopledatalabs;fields="[a-z_.,]+";age=172800$/)
    expect(plain.headers.get('x-filled-from')).not.toContain('contact_info')
    const { units } = await provenanceOf('sample-filled', key)
    expect(units).toContainEqual(expect.objectContaining({ unit: 'contact_info.email_address', filled: true }))
  })
})
