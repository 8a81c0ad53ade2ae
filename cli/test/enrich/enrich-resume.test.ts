import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { openTestService, type TestService } from '../../../service/test/harness/test-service.ts'
import { Folder, start } from './enrich-fixture.ts'
import { vitae } from '../vitae.ts'

const isLong = Boolean(process.env['VITAE_TEST_LONG'])
vi.setConfig({ testTimeout: 3_600_000 })

/** Every tenth row repeats an earlier one in another spelling, every seventeenth is unknown, a few are empty. */
function rowOf(index: number): { id: string; status: 'found' | 'not_found' | 'failed'; slug: string } {
  if (index % 101 === 100) return { id: '', status: 'failed', slug: '' }
  if (index % 17 === 16) return { id: `unknown-${index}`, status: 'not_found', slug: '' }
  const repeats = index % 10 === 9 && (index - 5) % 17 !== 16 && (index - 5) % 101 !== 100
  const slug = `lead-${repeats ? index - 5 : index}`
  return { id: repeats ? `https://de.linkedin.com/in/${slug.toUpperCase()}/?trk=x` : slug, status: 'found', slug }
}

async function callsWith(service: TestService, keyId: string, status: number): Promise<number> {
  const { calls } = await service.admin<{ calls: unknown[] }>(
    'GET',
    `/calls?key_id=${keyId}&status=${status}&limit=500`,
  )
  return calls.length
}

test(`killed three times at random and resumed by the same command: every row once, every found record paid once`, async () => {
  const count = isLong ? 10_000 : 400
  const rows = Array.from({ length: count }, (_, index) => rowOf(index))
  const unknown = rows.filter(({ status }) => status === 'not_found').map(({ id }) => [id, null])
  const service = await openTestService({
    realClock: true,
    credits: 0,
    people: Object.fromEntries(unknown),
    env: { VITAE_NOT_FOUND_RATE: '100000/1h' },
  })
  service.upstream.latencyMs = 5
  const caller = await service.newCaller(count, { rate: '200/2s' })
  const folder = new Folder()
  const lines = rows.map(({ id }, index) => `${index},"row ""${index}"",\n",${id}`)
  const input = folder.write('in.csv', `n,text,linkedin_url\n${lines.join('\n')}\n`)
  const out = folder.at('out.csv')
  const command = ['enrich', 'people', input, '--column', 'linkedin_url', '--out', out, '--key', caller.key]
  const began = Date.now()

  const asked = () => service.upstream.requests.length
  const kills: number[] = []
  for (const part of [0.02, 0.3, 0.6]) {
    const killAt = Math.floor((part + Math.random() * 0.25) * count)
    const running = start([...command, '--url', service.url])
    await vi.waitFor(() => expect(asked()).toBeGreaterThanOrEqual(killAt), { timeout: 1_800_000, interval: 3 })
    running.child.kill('SIGKILL')
    expect((await running.ended).signal).toBe('SIGKILL')
    kills.push(asked())
  }
  const last = await vitae([...command, '--url', service.url, '--json'])

  const written = folder.csv('out.csv')
  const spent = count - (await caller.balance())
  const distinct = new Set(rows.flatMap(({ slug }) => (slug === '' ? [] : [slug]))).size
  const refused = await callsWith(service, caller.keyId, 429)
  const seconds = Math.round((Date.now() - began) / 1_000)
  console.log(
    `${count} rows in ${seconds} s, killed after ${kills.join(', ')} provider calls, ${spent} credits for ${distinct} records, ${refused} answers 429`,
  )
  expect(last.code).toBe(1)
  expect(written.map((row) => row['n'])).toEqual(rows.map((_, index) => String(index)))
  expect(written.map((row) => row['linkedin_url'])).toEqual(rows.map(({ id }) => id))
  expect(written.map((row) => row['text'])).toEqual(rows.map((_, index) => `row "${index}",\n`))
  expect(written.map((row) => row['status'])).toEqual(rows.map(({ status }) => status))
  expect(written.map((row) => row['public_identifier'])).toEqual(rows.map(({ slug }) => slug))
  expect(spent).toBe(distinct)
  expect(written.reduce((sum, row) => sum + Number(row['credits']), 0)).toBe(distinct)
  expect(last.json).toMatchObject({ rows: count, credits: distinct, stopped: null })
  // A new start does not know how much of the window the previous one has used.
  expect(refused).toBeLessThanOrEqual(8)
  expect(existsSync(`${out}.job`)).toBe(false)
})

test.runIf(isLong)('the memory of a long job is flat', async () => {
  const service = await openTestService({ realClock: true, credits: 0 })
  const caller = await service.newCaller(10_000, { rate: '100000/1s' })
  const folder = new Folder()
  // First more distinct records than are cached, then many repeats.
  const ids = Array.from({ length: 300_000 }, (_, index) => `lead-${index < 4_000 ? index : index % 900}`)
  const input = folder.write('in.csv', `id,filler\n${ids.map((id) => `${id},${'x'.repeat(100)}`).join('\n')}\n`)
  const out = folder.at('out.csv')
  const rowsDone = () => (JSON.parse(readFileSync(`${out}.job`, 'utf8')) as { rows: number }).rows

  const running = start([
    'enrich',
    'people',
    input,
    '--column',
    'id',
    '--out',
    out,
    '--key',
    caller.key,
    '--url',
    service.url,
  ])
  const memoryAt = async (rows: number) => {
    await vi.waitFor(() => expect(rowsDone()).toBeGreaterThanOrEqual(rows), { timeout: 1_800_000, interval: 5 })
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(running.child.pid)], { encoding: 'utf8' })) / 1_024
  }
  const early = await memoryAt(3_000)
  const middle = await memoryAt(60_000)
  const late = await memoryAt(250_000)
  const { code } = await running.ended

  console.log(
    `resident memory ${[early, middle, late].map(Math.round).join(', ')} MB after 3,000, 60,000, 250,000 rows`,
  )
  expect(code).toBe(0)
  expect(late).toBeLessThan(Math.max(early, middle) + 60)
  expect(await caller.balance()).toBe(6_000)
})
