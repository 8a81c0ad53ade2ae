import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { openTestService } from '../../../service/test/harness/test-service.ts'
import { enrichArgs, Folder, start } from './enrich-fixture.ts'
import { vitae } from '../vitae.ts'

const isLong = Boolean(process.env['VITAE_TEST_LONG'])
/** Every tenth row repeats an earlier one in another spelling, every seventeenth is unknown, a few are empty. */
function rowOf(index: number): { id: string; status: 'found' | 'not_found' | 'failed'; slug: string } {
  if (index % 101 === 100) return { id: '', status: 'failed', slug: '' }
  if (index % 17 === 16) return { id: `unknown-${index}`, status: 'not_found', slug: '' }
  const repeats = index % 10 === 9 && (index - 5) % 17 !== 16 && (index - 5) % 101 !== 100
  const slug = `lead-${repeats ? index - 5 : index}`
  return { id: repeats ? `https://de.linkedin.com/in/${slug.toUpperCase()}/?trk=x` : slug, status: 'found', slug }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}

test('killed three times and with a service that restarts, the same command writes every row once and pays every found record once', async () => {
  const count = isLong ? 10_000 : 400
  const rows = Array.from({ length: count }, (_, index) => rowOf(index))
  const unknown = rows.filter(({ status }) => status === 'not_found').map(({ id }) => [id, null])
  const service = await openTestService({
    realClock: true,
    credits: 0,
    people: Object.fromEntries(unknown),
    // Batches of a third, so that the kills fall into different ones.
    env: { VITAE_NOT_FOUND_RATE: '100000/1h', VITAE_BATCH_ROWS: String(Math.ceil(count / 3)), PORT: await freePort() },
  })
  const caller = await service.newCaller(count)
  const folder = new Folder()
  const lines = rows.map(({ id }, index) => `${index},"row ""${index}"",\n",${id}`)
  const input = folder.write('in.csv', `n,text,linkedin_url\n${lines.join('\n')}\n`)
  const at = { url: service.url, key: caller.key }
  const command = enrichArgs(at, { input, out: folder.at('out.csv'), column: 'linkedin_url' })

  const asked = () => service.upstream.requests.length
  const kills: number[] = []
  for (const part of [0.02, 0.2, 0.4]) {
    const killAt = Math.floor((part + Math.random() * 0.15) * count)
    const running = start(command)
    await vi.waitFor(() => expect(asked()).toBeGreaterThanOrEqual(killAt), { timeout: 1_800_000, interval: 3 })
    running.child.kill('SIGKILL')
    expect((await running.ended).signal).toBe('SIGKILL')
    kills.push(asked())
  }
  const last = vitae(command)
  await vi.waitFor(() => expect(asked()).toBeGreaterThanOrEqual(count * 0.6), { timeout: 1_800_000, interval: 3 })
  await service.restart()
  const ended = await last

  const written = folder.csv('out.csv')
  const distinct = new Set(rows.flatMap(({ slug }) => (slug === '' ? [] : [slug]))).size
  console.log(`${count} rows, killed after ${kills.join(', ')} provider calls`)
  expect(ended.code, ended.stderr).toBe(1)
  expect(written.map((row) => row['n'])).toEqual(rows.map((_, index) => String(index)))
  expect(written.map((row) => row['linkedin_url'])).toEqual(rows.map(({ id }) => id))
  expect(written.map((row) => row['text'])).toEqual(rows.map((_, index) => `row "${index}",\n`))
  expect(written.map((row) => row['status'])).toEqual(rows.map(({ status }) => status))
  expect(written.map((row) => row['public_identifier'])).toEqual(rows.map(({ slug }) => slug))
  expect(count - (await caller.balance())).toBe(distinct)
  expect(written.reduce((sum, row) => sum + Number(row['credits']), 0)).toBe(distinct)
  expect(ended.json).toMatchObject({ rows: count, credits: distinct, stopped: null })
  expect(existsSync(folder.at('out.csv.batch'))).toBe(false)
})

const many = isLong ? 100_000 : 20_000
/** A command that keeps its distinct questions fits into this heap, and one that keeps 1 KB of each row does not. */
const heapMegabytes = 24 + many * 0.0004
/** The same for 3 KB outside the heap. */
const megabytesAtMost = 130 + many * 0.0027

test(`a file of ${many} rows is written in order in bounded memory, and each of its records is paid once`, async () => {
  const service = await openTestService({ realClock: true, credits: 0 })
  const distinct = isLong ? 40_000 : 100
  const caller = await service.newCaller(distinct)
  const folder = new Folder()
  const ids = Array.from({ length: many }, (_, index) => `lead-${index % distinct}`)
  const input = folder.write('in.csv', `id,filler\n${ids.map((id) => `${id},${'x'.repeat(100)}`).join('\n')}\n`)

  const command = enrichArgs({ url: service.url, key: caller.key }, { input, out: folder.at('out.csv') })
  const running = start(command, { NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` })
  let megabytes = 0
  await vi.waitFor(
    () => {
      if (running.child.exitCode !== null || running.child.signalCode !== null) return
      const shown = execFileSync('ps', ['-o', 'rss=', '-p', String(running.child.pid)], { encoding: 'utf8' })
      megabytes = Math.max(megabytes, Number(shown) / 1_024)
      throw new Error('it still runs')
    },
    { timeout: 3_000_000, interval: 200 },
  )
  const { code, stderr } = await running.ended

  console.log(`at most ${Math.round(megabytes)} MB of resident memory`)
  expect(code, stderr).toBe(0)
  expect(folder.csv('out.csv').map((row) => `${row['id']} ${row['status']}`)).toEqual(ids.map((id) => `${id} found`))
  expect(megabytes).toBeLessThan(megabytesAtMost)
  expect(await caller.balance()).toBe(0)
})
