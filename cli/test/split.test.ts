import { expect, test } from 'vitest'
import { examplePerson } from '../../contract/src/operations/example-records.ts'
import { openTestService } from '../../service/test/harness/test-service.ts'
import { vitae } from './vitae.ts'

test('a record of two people is listed as a suspect, not erased, and split by the fetches of one of them', async () => {
  const service = await openTestService()
  const env = { VITAE_URL: service.url, VITAE_ADMIN_TOKEN: service.service.admin.ownerToken }
  const records = (...args: string[]) => vitae(['records', ...args], { env })
  const fetchAs = async (slug: string, fields: object) => {
    service.upstream.people.set(slug, { ...examplePerson, public_identifier: slug, entity_urn: null, ...fields })
    service.clock.advance({ minutes: 1 })
    return String((await service.person(slug, '&bypass_cache=true')).json['member_urn'])
  }
  const member_urn = 'urn:li:member:820001'
  const key = await fetchAs('a1', { member_urn: null, first_name: 'Otto', last_name: 'Stranger' })
  await fetchAs('a1', { member_urn, first_name: null, last_name: null })
  await fetchAs('a2', { member_urn, first_name: 'Mia', last_name: 'Merge' })

  const refused = await records('erase', key, '--reason', 'request 17', '--yes')
  const listed = JSON.parse((await records('suspects', '--json')).stdout) as {
    suspects: { key: string; names: { name: string; fetches: number[] }[] }[]
  }
  const [otto, mia] = listed.suspects[0]?.names ?? []
  const numbers = (mia?.fetches ?? []).map(String)
  const split = await records('split', key, '--fetch', ...numbers, '--yes', '--json')
  const erased = await records('erase', key, '--reason', 'request 17', '--yes')

  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Otto Stranger and Mia Merge[^]*Split it first/),
  })
  expect(listed.suspects).toMatchObject([{ key, names: [{ name: 'Otto Stranger' }, { name: 'Mia Merge' }] }])
  expect(otto?.fetches).toHaveLength(1)
  expect(JSON.parse(split.stdout)).toMatchObject({ kept: { key }, split: { key: member_urn } })
  expect(erased.code).toBe(0)
  expect((await service.person('a2')).json['first_name']).toBe('Mia')
  expect((await records('split', 'a2', '--fetch', 'x', '--yes')).code).toBe(2)
})
