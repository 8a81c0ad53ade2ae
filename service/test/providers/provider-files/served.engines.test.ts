import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { compileProviderFile } from '@vitae/provider/files'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acme, wren } from '../../../../provider/test/files/example.ts'
import { useProviderModules } from '../../../src/providers/registry.ts'
import { startTestService, type TestService } from '../../harness/test-service.ts'

const unknown = new Set<string>()
const asked: { url: string; key: string; body: string }[] = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (part: Buffer) => (body += String(part)))
  request.on('end', () => {
    asked.push({ url: request.url ?? '', key: String(request.headers['x-acme-key']), body })
    if (body.includes('redirected')) return response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    const [, slug = ''] = /in\/([a-z-]+)"/.exec(body) ?? []
    const person = { ...wren.person, handle: slug, member: String(5_550_100 + slug.length) }
    response.writeHead(unknown.has(slug) ? 400 : 200, { 'content-type': 'application/json' })
    return response.end(JSON.stringify(unknown.has(slug) ? { code: 'NO_MATCH' } : { ...wren, person }))
  })
})
let service: TestService

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  useProviderModules([compileProviderFile('acmedata.provider.yaml', acme)])
  service = await startTestService({
    credits: 1_000,
    env: {
      VITAE_UPSTREAM: 'acmedata',
      VITAE_ACMEDATA_KEY: 'the key',
      VITAE_ACMEDATA_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      VITAE_ACMEDATA_REGION: 'us',
      ...{ VITAE_COOLDOWN_SECONDS: '0', VITAE_NOT_FOUND_RATE: '1000/1h' },
    },
  })
})
afterAll(async () => {
  useProviderModules([])
  await service.close()
  server.close()
})

interface Shown {
  name: string
  confirmed: boolean | null
  certainty: string | null
}

const shownOf = async (name: string) => {
  const { providers } = await service.admin<{ providers: Shown[] }>('GET', '/providers')
  return providers.find((one) => one.name === name)
}

test('a provider file is served like any provider, and values that must not be stored are not archived', async () => {
  const answer = await service.person('wren')

  expect(answer.json).toMatchObject({ member_urn: 'urn:li:member:5550104', first_name: 'Wren' })
  expect(asked.find(({ body }) => body.includes('/wren"'))).toMatchObject({ url: '/v2/person', key: 'the key' })
  const { fetches } = await service.admin<{ fetches: { id: number; removed: string[] }[] }>(
    'GET',
    '/records/people/wren',
  )
  expect(fetches.map(({ removed }) => removed)).toEqual([['person.contacts']])
  const raw = await service.admin('GET', `/records/fetches/${fetches[0]?.id}/raw`)
  expect(raw).toMatchObject({ person: { contacts: null } })
})

test('a "not found" withdraws nothing and is not remembered, until an operator confirms the file with a call', async () => {
  const ask = async () => (await service.person('wren-saltmarsh', '&max_age_days=0')).status
  const nobody = () => service.person('nobody-known')
  const first = await ask()
  unknown.add('wren-saltmarsh').add('nobody-known')

  const unsure = [await ask(), (await nobody()).status, (await nobody()).status]
  const times = asked.filter(({ body }) => body.includes('nobody-known')).length
  const before = await shownOf('acmedata')
  const missed = await service.admin('POST', '/providers/acmedata/confirm', { id: 'nobody-known' })
  const shown = await service.admin('POST', '/providers/acmedata/confirm', { id: 'wren-other' })
  const sure = await ask()

  expect([first, ...unsure, times]).toEqual([200, 200, 404, 404, 2])
  expect(before).toMatchObject({ confirmed: false, certainty: 'documented' })
  expect(missed).toMatchObject({ ok: false, verdict: 'not_found', record: null, cost: 0 })
  expect(shown).toMatchObject({
    ...{ ok: true, verdict: 'found', cost: 0.25, status: 200 },
    request: { method: 'POST' },
    record: { first_name: 'Wren' },
  })
  expect(JSON.stringify(shown)).not.toContain('the key')
  expect(sure).toBe(404)
  expect(await shownOf('acmedata')).toMatchObject({ confirmed: true })
  expect(await shownOf('harvestapi')).toMatchObject({ confirmed: null, certainty: null })
})

test('a redirect is not followed', async () => {
  const answer = await service.person('redirected')

  expect(answer.status).toBeGreaterThanOrEqual(500)
})
