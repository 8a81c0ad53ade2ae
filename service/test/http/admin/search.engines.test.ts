import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../harness/test-service.ts'

interface Found {
  kind: string
  id: string
  name: string
  detail: string
}

let service: TestService
const lines: Record<string, unknown>[] = []
beforeAll(async () => {
  service = await startTestService({ upstream: 'directory', onLogLine: (line) => lines.push(line) })
})
afterAll(() => service.close())

async function search(text: string, token = service.service.admin.ownerToken): Promise<Found[]> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await service.get('/admin/v1/search', headers, 'POST', JSON.stringify({ text }))
  expect(answer.status).toBe(200)
  return answer.json['results'] as Found[]
}

test('one query finds calls, keys, projects, records, batches and webhooks, and no log line contains it', async () => {
  const { key, keyId, project } = await service.newCaller(50, { label: 'needle sync' })
  const read = await service.person('amara-okafor', '', { ApiKey: key })
  const requestId = read.headers.get('x-request-id') ?? ''
  const hook = { project, url: 'https://needle.example/hook', events: ['credits.low'] }
  const { id: webhook } = await service.admin<{ id: string }>('POST', '/webhooks', hook)
  const csv = { authorization: `Bearer ${service.service.admin.ownerToken}`, 'content-type': 'text/csv' }
  const path = `/admin/v1/batches?key_id=${keyId}&kind=people&name=needle.csv`
  const batch = await service.get(path, csv, 'POST', 'id\namara-okafor\n')

  const kindsOf = async (text: string) => (await search(text)).map(({ kind, id }) => [kind, id])
  expect(await kindsOf(requestId)).toContainEqual(['call', requestId])
  expect(await kindsOf('NEEDLE')).toEqual(
    expect.arrayContaining([
      ['key', keyId],
      ['batch', batch.json['id']],
      ['webhook', webhook],
    ]),
  )
  expect(await kindsOf(key)).toEqual([['key', keyId]])
  expect(await kindsOf(project)).toEqual(expect.arrayContaining([['project', project]]))
  expect(await kindsOf(`${project}/prod`)).toEqual([['environment', `${project}/production`]])
  const [amara] = await search('https://www.linkedin.com/in/amara-okafor/')
  expect(amara).toMatchObject({ kind: 'people', name: 'Amara Okafor' })
  expect(JSON.stringify(lines)).not.toMatch(/needle|amara/i)
})

test('a person is found by the e-mail address of the record, and such a search is audited without the address', async () => {
  await service.person('amara-okafor', '&include_contact_info=true&bypass_cache=true')
  const shown = await service.admin<{ key: string; record: { contact_info: { email_address: string } | null } }>(
    'GET',
    '/records/people/amara-okafor',
  )
  const address = shown.record.contact_info?.email_address ?? ''

  const found = await search(address.toUpperCase())
  expect(found).toEqual([expect.objectContaining({ kind: 'people', id: shown.key, name: 'Amara Okafor' })])
  const { entries } = await service.admin<{ entries: { action: string }[] }>('GET', '/audit?limit=1')
  expect(entries).toMatchObject([{ action: 'record.search', after: { found: 1 } }])
  expect(JSON.stringify(entries)).not.toContain(address)
})

test('a restricted user finds only visible objects: no record, nothing of others, webhooks only as operator', async () => {
  const mine = await service.newCaller(5, { label: 'shared label' })
  const others = await service.newCaller(5, { label: 'shared label' })
  const read = await service.person('amara-okafor', '', { ApiKey: others.key })
  const hook = { project: mine.project, url: 'https://shared.example/hook', events: ['credits.low'] }
  await service.admin('POST', '/webhooks', hook)
  const { token } = await service.admin<{ token: string }>('POST', '/tokens', {
    label: 'limited',
    role: 'viewer',
    project: mine.project,
  })

  expect(await search('shared', token)).toEqual([expect.objectContaining({ kind: 'key', id: mine.keyId })])
  expect(await search(others.project, token)).toEqual([])
  expect(await search('amara', token)).toEqual([])
  expect(await search(read.headers.get('x-request-id') ?? '', token)).toEqual([])
})

test('calls are filtered by request id and by record, and name the key, and the record for users who may read it', async () => {
  const { key, keyId, project } = await service.newCaller(9, { label: 'billing twice' })
  const first = await service.person('amara-okafor', '', { ApiKey: key })
  await service.person('amara-okafor', '', { ApiKey: key, 'X-Spend-Tag': 'second' })
  const requestId = first.headers.get('x-request-id') ?? ''
  interface Calls {
    calls: {
      request_id: string
      entity_key: string
      entity_name: string | null
      key_name: string
      tag: string | null
    }[]
  }

  const { calls: one } = await service.admin<Calls>('GET', `/calls?request_id=${requestId}`)
  expect(one).toMatchObject([{ request_id: requestId, key_id: keyId, key_name: 'billing twice', entity_name: null }])
  const record = encodeURIComponent(one[0]?.entity_key ?? '')
  const { calls } = await service.admin<Calls>('GET', `/calls?record=${record}&project=${project}&names=true`)
  expect(calls).toMatchObject([
    { tag: 'second', entity_name: 'Amara Okafor' },
    { tag: null, entity_name: 'Amara Okafor' },
  ])
  expect((await service.admin<Calls>('GET', '/calls?record=nobody')).calls).toEqual([])
})
