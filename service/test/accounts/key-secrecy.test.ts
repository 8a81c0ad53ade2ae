import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApiKey } from '../../src/accounts/api-key.ts'
import { KeyCache } from '../../src/accounts/caller.ts'
import { buildApp } from '../../src/http/app.ts'
import { placesOf } from '../harness/search-bytes.ts'
import { openTestService, type TestService } from '../harness/test-service.ts'
import { openWatchedService } from '../harness/watched-service.ts'

const person = '/v1/people/profile?profile_id=ada'
const patience = 180_000

/** Separate listeners for a service, with a key cache that counts its store reads. */
async function openCountingListeners({ service }: TestService) {
  const count = { reads: 0 }
  const findKey: typeof service.store.keys.findKey = (ask) => {
    if ('hash' in ask) count.reads++
    return service.store.keys.findKey(ask)
  }
  const store = { keys: { findKey } }
  const keyCache = new KeyCache({ store, defaultRate: { limit: 1_000, windowMs: 60_000 } })
  const app = await buildApp({ ...service, keyCache })
  onTestFinished(() => app.close())
  return { app, count }
}

/** The same key with a different last character, so its checksum is wrong. */
function withWrongChecksum(key: string): string {
  return `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
}

test(
  'a key with a wrong checksum is refused without a store read; an unknown one costs one read',
  async () => {
    const service = await openTestService({ env: { VITAE_UNAUTHORIZED_RATE: '100000/60s' } })
    const { app, count } = await openCountingListeners(service)
    const ask = (apikey: string) => app.inject({ url: person, headers: { apikey } })

    for (let turn = 0; turn < 50; turn++) {
      const answer = await ask(withWrongChecksum(createApiKey('live')))
      expect([answer.statusCode, answer.body]).toEqual([401, 'invalid_api_key'])
    }
    expect(count.reads).toBe(0)
    for (let turn = 0; turn < 10; turn++) {
      const answer = await ask(createApiKey('live'))
      expect([answer.statusCode, answer.body]).toEqual([401, 'invalid_api_key'])
    }
    expect(count.reads).toBe(10)
  },
  patience,
)

test(
  'the answer to a wrong key does not depend on its similarity to a valid one',
  async () => {
    const service = await openTestService({ env: { VITAE_UNAUTHORIZED_RATE: '100000/60s' } })
    const nearAndFar = [
      withWrongChecksum(service.liveKey),
      service.liveKey.replace('vt_live_', 'vt_test_'),
      service.liveKey.toUpperCase(),
      `${service.liveKey} x`,
      service.liveKey.slice(0, -1),
      createApiKey('live'),
      'x',
    ]
    const answers = await Promise.all(nearAndFar.map((ApiKey) => service.get(person, { ApiKey })))

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['401 invalid_api_key']))
    expect(new Set(answers.map(({ headers }) => [...headers.keys()].join()))).toHaveLength(1)
  },
  patience,
)

test('the secret-scanner pattern in SECURITY.md finds keys in a text, and nothing else', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../SECURITY.md'), 'utf8')
  const pattern = /```regex\n(.+)\n```/.exec(page)?.[1] ?? ''
  const keys = Array.from({ length: 200 }, (_, index) => createApiKey(index % 2 === 0 ? 'live' : 'test'))
  const text = keys
    .map((key) => `const key = "${key}" // vt_live_ vt_test_short myvt_live_${'a'.repeat(50)}`)
    .join('\n')

  expect(text.match(new RegExp(pattern, 'g'))).toEqual(keys)
})

test(
  'no key appears in the log, in a response or in any byte of the data folder, wherever callers put it',
  async () => {
    const service = await openWatchedService()
    const keys = await Promise.all([service.makeKey(), service.makeKey({ mode: 'test' }), service.makeKey()])
    const bodies: string[] = []
    const ask = async (path: string, headers: Record<string, string>, method = 'GET') => {
      const response = await fetch(`${service.url}${path}`, { headers, method })
      bodies.push(await response.text())
      return response.status
    }
    for (const { key } of keys) {
      const headers = { ApiKey: key }
      expect(await ask(person, headers)).toBe(200)
      expect(await ask(`/v1/people/profile?profile_id=${key}`, headers)).toBe(400)
      expect(await ask(`/v1/companies/details?company_id=${key.toLowerCase()}`, headers)).toBe(400)
      expect(await ask(`${person}&max_age_days=${key}`, headers)).toBe(400)
      expect(await ask(`${person}&ApiKey=${key}`, {})).toBe(401)
      expect(
        await ask(`${person}&${key}=1`, { ...headers, 'Idempotency-Key': key, 'User-Agent': key, Cookie: key }),
      ).toBe(200)
      expect(await ask(`/${key}`, {})).toBe(404)
      expect(await ask(`/admin/v1/keys/${key}`, { authorization: `Bearer ${key}` })).toBe(401)
      expect(await ask(person, { ApiKey: withWrongChecksum(key) })).toBe(401)
    }
    await service.admin('POST', `/keys/${keys[2]?.id}/revoke`, {})
    expect(await ask(person, { ApiKey: keys[2]?.key ?? '' })).toBe(401)
    const { stdout, stderr } = await service.end()

    for (const { key } of keys) {
      expect(stdout + stderr).not.toContain(key)
      expect(bodies.filter((body) => body.toLowerCase().includes(key.toLowerCase()))).toEqual([])
      expect(placesOf(key, join(service.folder, 'data'))).toEqual([])
    }
    expect(service.upstream.requests.filter(({ path }) => path.includes('vt_'))).toEqual([])
  },
  patience,
)
