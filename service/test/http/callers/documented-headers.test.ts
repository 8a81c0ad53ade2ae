import { callerOperations, lookupOperations, routeParts, type PublicRow } from '@vitae/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { startTestService, type TestService } from '../../harness/test-service.ts'

const rows = { ...lookupOperations, ...callerOperations }
type Id = keyof typeof rows

/** A call of one operation. */
interface Call {
  query?: string
  body?: object
}

let labs: FakeProvider
let service: TestService
let liveKey: string
let testKey: string

beforeAll(async () => {
  labs = await startFakeProvider({ provider: 'peopledatalabs' })
  const env = {
    VITAE_UPSTREAM: 'mirror,peopledatalabs',
    VITAE_PEOPLEDATALABS_URL: labs.url,
    VITAE_PEOPLEDATALABS_KEY: labs.key,
  }
  service = await startTestService({ env, fixed: { tagsPerDay: 1 } })
  liveKey = (await service.newCaller(100)).key
  testKey = (await service.makeKey({ mode: 'test' })).key
  await service.person('first-tag', '', { ApiKey: liveKey, 'X-Spend-Tag': 'first' })
  await service.company('acme-tools', '', { ApiKey: liveKey })
})
afterAll(() => Promise.all([service.close(), labs.close()]))

const samples = ['sample-filled', 'sample-sparse']
/**
 * The requests of each operation with its own headers: with a live key twice under one Idempotency-Key, and with a test
 * key.
 */
const asked: Partial<Record<Id, { live: Call[]; practice?: Call[] }>> = {
  getPersonProfile: {
    live: [{ query: 'profile_id=ada' }],
    practice: samples.map((id) => ({ query: `profile_id=${id}` })),
  },
  getCompanyDetails: {
    live: [{ query: 'company_id=works' }],
    practice: samples.map((id) => ({ query: `company_id=${id}` })),
  },
  matchPerson: {
    live: [{ body: { email: 'wilma-match@acme.example' } }, { body: { profile_id: 'grace' } }],
    practice: samples.map((id) => ({ body: { profile_id: id } })),
  },
  matchCompany: {
    live: [{ body: { domain: 'acme-tools.example' } }, { body: { company_id: 'other-works' } }],
    practice: samples.map((id) => ({ body: { company_id: id } })),
  },
  resolveCompany: { live: [{ query: 'domain=tidewater.example' }] },
  createWatch: { live: [{ body: { kind: 'people', match: { email: 'otto-match@acme.example' } } }] },
  submitBatch: { live: [{ body: { kind: 'people', ids: ['ada'] } }] },
}

const withHeaders = Object.entries<PublicRow>(rows).filter(([, { says = [] }]) => says.length > 0)

test.each(withHeaders)('%s sets every header that it documents', async (id, row) => {
  const { live = [], practice = [] } = asked[id as Id] ?? {}
  const seen = new Set<string>()
  const ask = async ({ query, body }: Call, headers: Record<string, string>) => {
    const { method, url } = routeParts(row.route)
    const json = body ? { 'content-type': 'application/json' } : {}
    const path = `${url}?${query ?? ''}${row.uploads ? '' : '&unknown=1'}`
    const answer = await service.get(path, { ...headers, ...json }, method, body && JSON.stringify(body))
    expect(answer.status, answer.text).toBeLessThan(300)
    for (const name of answer.headers.keys()) seen.add(name)
  }

  for (const [index, call] of live.entries())
    for (const _attempt of [1, 2])
      await ask(call, { ApiKey: liveKey, 'Idempotency-Key': `${id}-${index}`, 'X-Spend-Tag': 'second' })
  for (const call of practice) await ask(call, { ApiKey: testKey })

  const missing = (row.says ?? []).filter((name) => !seen.has(name.toLowerCase()))
  expect(missing).toEqual([])
})
