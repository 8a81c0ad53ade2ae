import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { findMarkers } from '../../harness/search-bytes.ts'
import { startTestService, type TestService } from '../../harness/test-service.ts'
import { openWatchedService } from '../../harness/watched-service.ts'

let enrichlayer: FakeProvider
let service: TestService
const lines: string[] = []

beforeAll(async () => {
  enrichlayer = await startFakeProvider({ provider: 'enrichlayer' })
  service = await startTestService({
    onLogLine: (line) => lines.push(JSON.stringify(line)),
    env: {
      VITAE_UPSTREAM: 'enrichlayer',
      VITAE_ENRICHLAYER_URL: enrichlayer.url,
      VITAE_ENRICHLAYER_KEY: enrichlayer.key,
      VITAE_RATE_LIMIT: '100000/60s',
      VITAE_NOT_FOUND_RATE: '100000/1h',
    },
  })
})
afterAll(() => Promise.all([service.close(), enrichlayer.close()]))

/** 1,000 in the long run. */
const count = process.env['VITAE_TEST_LONG'] ? 1_000 : 100

/** Half of them find someone. */
const marked = Array.from({ length: count }, (_, at) => ({
  email: `${at % 2 ? 'missing-' : ''}person${at}@xqzmark${at}.example`,
  last_name: at % 5 ? undefined : `Xqzname${at}`,
  first_name: at % 5 ? undefined : 'Xqzfirst',
}))

/** Every byte of every file below a folder. */
function bytesIn(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')
}

test('no address of a match is stored in clear text anywhere: log, metrics, call log, receipts, audit, idempotency, archive, index', async () => {
  const caller = await service.newCaller(2_000)
  const post = (body: object, at: number) => {
    const headers = { ApiKey: caller.key, 'content-type': 'application/json', 'Idempotency-Key': `mark-${at}` }
    return service.get('/v1/people/match', headers, 'POST', JSON.stringify(body))
  }
  const ends: string[] = []
  const requests: string[] = []
  for (let at = 0; at < marked.length; at += 20) {
    const answers = await Promise.all(marked.slice(at, at + 20).map((body, index) => post(body, at + index)))
    ends.push(...answers.map(({ status, json }) => (status === 200 ? 'found' : String(json['code']))))
    requests.push(...answers.map(({ headers }) => headers.get('x-request-id') ?? ''))
  }
  const seen: unknown[] = [
    await service.admin('GET', '/calls?limit=1000'),
    await service.admin('GET', '/audit?limit=1000'),
    await service.admin('GET', `/calls/${requests[0]}`),
    (await service.get('/metrics')).text,
  ]
  const counts = Object.groupBy(ends, (end) => end)

  expect(Object.keys(counts).toSorted()).toEqual(['found', 'identity_mismatch', 'no_match'])
  expect(counts['found']?.length).toBe(count * 0.4)
  expect(lines.length).toBeGreaterThanOrEqual(count)
  expect(lines.join('\n')).not.toMatch(/xqz(mark|name|first)/i)
  expect(JSON.stringify(seen)).not.toMatch(/xqz(mark|name|first)/i)
  expect(/xqz(mark|name|first)/i.test(bytesIn(service.folder))).toBe(false)
})

test('after an erasure an address finds nobody, no provider is asked, and no file names the person', async () => {
  const caller = await service.newCaller(20)
  const email = 'erased-by-mark@xqzmark.example'
  const headers = { ApiKey: caller.key, 'content-type': 'application/json' }
  const ask = () => service.get('/v1/people/match', headers, 'POST', JSON.stringify({ email }))
  const found = await ask()
  await service.admin('POST', '/records/people/erased-by-mark/erase', { reason: 'asked for it' })
  const asked = enrichlayer.requests.length
  const gone = await ask()

  expect([found.status, gone.json['code']]).toEqual([200, 'no_match'])
  expect(enrichlayer.requests.length).toBe(asked)
  expect(bytesIn(service.folder)).not.toContain('erased-by-mark')
})

test('traces contain no matched address, and after erasing all of them no file contains one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-marks-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const spans = join(folder, 'spans')
  writeFileSync(spans, '')
  const tracing = join(import.meta.dirname, '../../foundation/tiny-tracing.ts')
  const watched = await openWatchedService(
    {
      VITAE_TEST_SPANS: spans,
      VITAE_UPSTREAM: 'enrichlayer',
      VITAE_ENRICHLAYER_URL: enrichlayer.url,
      VITAE_ENRICHLAYER_KEY: enrichlayer.key,
      VITAE_NOT_FOUND_RATE: '100000/1h',
    },
    [tracing],
  )
  const { key } = await watched.makeKey()
  const emails = Array.from(
    { length: count },
    (_, at) => `${at % 4 ? '' : 'missing-'}yqzperson${at}@yqzmark${at}.example`,
  )
  const match = async (email: string) => {
    const headers = { ApiKey: key, 'content-type': 'application/json' }
    const answer = await fetch(`${watched.url}/v1/people/match`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ email }),
    })
    return answer.status
  }
  const statuses: number[] = []
  for (let at = 0; at < emails.length; at += 20)
    statuses.push(...(await Promise.all(emails.slice(at, at + 20).map(match))))
  const traced = readFileSync(spans, 'utf8')
  const isStored = /yqzperson/i.test(bytesIn(watched.folder))

  const erased = await watched.admin<{ subjects: { id: string; entities: number }[] }>('POST', '/records/erase', {
    ids: emails,
    reason: 'asked for it',
  })
  const again = await Promise.all(emails.slice(0, 8).map(match))
  const left = findMarkers(/yqz(mark|person)\w*/gi, join(watched.folder, 'data'))
  const { stdout, stderr } = await watched.end()

  expect(new Set(statuses)).toEqual(new Set([200, 404]))
  expect(statuses.filter((status) => status === 200)).toHaveLength(count * 0.75)
  expect(traced.split('\n').length).toBeGreaterThan(count)
  expect(isStored).toBe(true)
  expect(erased.subjects.map(({ entities }) => entities)).toEqual(statuses.map((status) => (status === 200 ? 1 : 0)))
  expect(again).toEqual(again.map(() => 404))
  expect([...left]).toEqual([])
  expect(stdout.length).toBeGreaterThan(1_000)
  for (const text of [traced, readFileSync(spans, 'utf8'), stdout, stderr])
    expect(text).not.toMatch(/yqz(mark|person)/i)
})
