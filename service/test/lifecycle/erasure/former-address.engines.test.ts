import { emptyContact } from '@vitae/contract'
import { expect, test } from 'vitest'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import { openTestService } from '../../harness/test-service.ts'

const newAddress = { ...emptyContact(), email_address: 'another@example.com' }

/** A record with an address, and a newer version with another one. */
async function withFormerAddress() {
  const ada = contractPerson('ada-example')
  const service = await openTestService({ people: { 'ada-example': ada }, credits: 10 })
  await service.person('ada-example', '&include_contact_info=true')
  service.clock.advance({ days: 1 })
  service.upstream.people.set('ada-example', { ...ada, headline: 'New', contact_info: newAddress })
  await service.admin('POST', '/records/people/ada-example/refresh')
  return { service, email: ada.contact_info?.email_address ?? '' }
}

test('an erasure by an address finds a person even if only an earlier version has it', async () => {
  const { service, email } = await withFormerAddress()
  const erasure = { ids: [email], kind: 'people', reason: 'asked for it' }

  expect(JSON.stringify(await service.admin('POST', '/records/erase', erasure))).toContain('"entities":1')
  expect((await service.person('ada-example')).status).toBe(404)
})

test('such an address does not find the stored record: a provider is asked', async () => {
  const { service, email } = await withFormerAddress()
  const headers = { ApiKey: service.liveKey, 'content-type': 'application/json' }
  const match = await service.get('/v1/people/match', headers, 'POST', JSON.stringify({ email }))

  expect([match.status, match.headers.get('x-data-source')]).toEqual([200, 'live'])
})

test('when two people turn out to be one, a former address of one still finds what a match of the other found', async () => {
  const [ada, other] = [contractPerson('ada-example'), contractPerson('ada-new')]
  const urns = { entity_urn: null, member_urn: null }
  const people = { 'ada-example': { ...ada, ...urns, contact_info: other.contact_info }, 'ada-new': other }
  const service = await openTestService({ people, credits: 20 })
  const headers = { ApiKey: service.liveKey, 'content-type': 'application/json' }
  const sourceOfMatch = async (more = {}) => {
    const asked = JSON.stringify({ email: other.contact_info?.email_address, ...more })
    const { status, headers: told } = await service.get('/v1/people/match', headers, 'POST', asked)
    return [status, told.get('x-data-source')]
  }
  const refresh = async (says: object) => {
    service.clock.advance({ days: 1 })
    service.upstream.people.set('ada-example', { ...ada, contact_info: newAddress, ...says })
    await service.admin('POST', '/records/people/ada-example/refresh')
  }
  await service.person('ada-example', '&include_contact_info=true')
  await refresh(urns)
  expect(await sourceOfMatch()).toEqual([200, 'live'])
  await refresh({ entity_urn: null, member_urn: other.member_urn })
  const answers = await Promise.all(['ada-example', 'ada-new'].map((slug) => service.person(slug)))
  expect(new Set(answers.map(({ json }) => json['member_urn'])).size).toBe(1)

  // Another question, so that only the address can find it.
  expect(await sourceOfMatch({ last_name: ada.last_name })).toEqual([200, 'store'])
})
