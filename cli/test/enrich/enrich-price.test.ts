import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { ChildService, serveDemo } from '../../../service/test/harness/child-service.ts'
import { startTestService, type TestService } from '../../../service/test/harness/test-service.ts'
import { atTerminal } from '../at-terminal.ts'
import { program, vitae } from '../vitae.ts'
import { enrichArgs, Folder, start } from './enrich-fixture.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

let service: TestService
beforeAll(async () => {
  service = await startTestService({ realClock: true, env: { VITAE_BATCH_ROWS: '3' } })
})
afterAll(() => service.close())

test('before any payment it shows distinct ids, stored ones, the maximum cost, the available credits and the time', async () => {
  const caller = await service.newCaller(50, { rate: '600/60s' })
  const folder = new Folder()
  await service.get('/v1/people/profile?profile_id=priced-a', { ApiKey: caller.key })
  const ids = ['priced-a', 'priced-b', 'priced-b', 'https://example.org/x', '', 'priced-c', 'priced-d']
  const input = folder.write('in.csv', `id,n\n${ids.map((id) => `${id},1`).join('\n')}\n`)
  const args = enrichArgs({ url: service.url, key: caller.key }, { input, out: folder.at('o.csv') })

  const priced = await vitae([...args, '--dry-run'])
  const ran = await vitae(args)

  const money = { price: 1, most_credits: 4, available_credits: 49, estimated_seconds: 0 }
  expect(priced.json, priced.stderr).toEqual({ rows: 7, empty: 1, distinct: 5, invalid: 1, stored: 1, ...money })
  expect(ran.stderr).toContain('7 rows, 5 distinct ids, 2 that cannot be looked up')
  expect(ran.stderr).toContain('The store answers 1 of them.')
  expect(ran.stderr).toContain('It costs at most 4 credits; 49 are available.')
  expect(ran.stderr).toContain('It takes less than a minute')
  expect(await caller.balance()).toBe(45)
})

test.skipIf(process.platform !== 'linux')(
  'at a terminal it asks: a no pays nothing and leaves nothing behind, and --yes skips the question',
  async () => {
    const caller = await service.newCaller(50)
    const folder = new Folder()
    const input = folder.write('in.csv', 'id\nasked-a\nasked-b\n')
    const args = enrichArgs({ url: service.url, key: caller.key }, { input, out: folder.at('o.csv') })
    const command = [process.execPath, program, ...args].map((word) => JSON.stringify(word)).join(' ')

    const no = await atTerminal(command, 'n', {})
    const left = readdirSync(folder.path)
    const paid = 50 - (await caller.balance())
    const yes = await atTerminal(command, 'y', {})
    const unasked = await atTerminal(`${command} --yes`, 'n', {})

    expect(no).toContain('It costs at most 2 credits; 50 are available.')
    expect(no).toContain('Nothing was changed.')
    expect([left, paid]).toEqual([['in.csv'], 0])
    expect(yes).toContain('Go on? (y/N)')
    expect(unasked).not.toContain('(y/N)')
    expect(folder.csv('o.csv')).toHaveLength(2)
  },
)

test('two commands never write one output, and a killed one does not block the next', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.write('in.csv', 'id\nlocked-a\n')
  const at = { url: service.url, key: caller.key }
  const waiting = start(enrichArgs(at, { input: '-', out: folder.at('o.csv') }))
  waiting.child.stdin?.write('id\nlocked-x\n')
  await vi.waitFor(() => expect(existsSync(folder.at('o.csv.job'))).toBe(true), { timeout: 120_000, interval: 20 })

  const beside = await vitae(enrichArgs(at, { input, out: folder.at('o.csv') }, ['--yes']))
  waiting.child.kill('SIGKILL')
  await waiting.ended
  const after = await vitae(enrichArgs(at, { input, out: folder.at('o.csv') }, ['--yes']))

  expect(beside).toMatchObject({ code: 1, stderr: expect.stringContaining('Another command writes') })
  expect(after.json, after.stderr).toMatchObject({ rows: 1, found: 1 })
  expect(readdirSync(folder.path).toSorted()).toEqual(['in.csv', 'o.csv'])
})

test('a list from Excel returns to Excel: Windows-1252 and semicolons in, a byte order mark and semicolons out, row by row', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.at('in.csv')
  const list =
    'Nachname;id;Ort\r\nM\xFCller;spread-a;"K\xF6ln; S\xFCd"\r\nGr\xF6\xDFe \x80;;\r\nZo\xEB;spread-b;Gen\xE8ve\r\n'
  writeFileSync(input, Buffer.from(list, 'latin1'))
  const run = (out: string, ...more: string[]) =>
    vitae(enrichArgs({ url: service.url, key: caller.key }, { input, out: folder.at(out) }, more))

  const ran = await run('o.csv', '--delimiter-out', 'semicolon', '--bom', '--fields', 'public_identifier')
  const refused = await run('o.ndjson', '--bom')

  const lines = folder.text('o.csv').split('\r\n')
  expect(lines[0], ran.stderr).toBe('\uFEFFNachname;id;Ort;status;error;source;fetched_at;credits;public_identifier')
  expect(lines.slice(1)).toEqual([
    expect.stringMatching(/^Müller;spread-a;"Köln; Süd";found;;live;[^;]+;1;spread-a$/),
    expect.stringMatching(/^Größe €;;;failed;[^;]+;;;0;$/),
    expect.stringMatching(/^Zoë;spread-b;Genève;found;;live;[^;]+;1;spread-b$/),
    '',
  ])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--bom') })
})

test("the sum of a background job is its batch's spending, even if it stops early", async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.write('in.csv', 'id\nsummed-a\nsummed-b\nsummed-c\n')
  const more = ['--background', '--max-credits', '2']

  const ran = await vitae(enrichArgs({ url: service.url, key: caller.key }, { input, out: folder.at('o.csv') }, more))

  expect(ran.json).toMatchObject({ rows: 0, credits: 2 })
  expect(await caller.balance()).toBe(48)
})

/** A service whose batch is done, and whose results stop after some rows with a refusal while `refuse` is true. */
async function scripted() {
  const state = { refuse: true }
  const rowOf = (row: number) => ({
    row,
    input: `id-${row}`,
    status: 'found',
    error: null,
    source: 'live',
    fetched_at: '2026-11-14T09:30:00.000Z',
    credits: 1,
    request_id: null,
    record: { public_identifier: `id-${row}` },
  })
  const batch = { id: 'batch_1', status: 'completed', total: 2, counts: { waiting: 0 }, credits_spent: 2 }
  const server = createServer((request, response) => {
    request.resume()
    response.setHeader('x-request-id', 'scripted')
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    const after = Number(searchParams.get('after') ?? 0)
    const json = (body: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    if (pathname.endsWith('/preview')) json({ highest_credits: 2, stored: 0, invalid: 0, available_credits: 9 })
    else if (pathname === '/v1/account') json({ prices: { highest: { people: 1, companies: 1, resolve: 1 } } })
    else if (!pathname.endsWith('/results')) json(batch)
    else if (state.refuse && after > 0)
      response.writeHead(403, { 'content-type': 'text/plain' }).end('project_suspended')
    else {
      const rows = [1, 2].filter((row) => row > after && !(state.refuse && row > 1))
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write(rows.map((row) => `${JSON.stringify(rowOf(row))}\n`).join(''))
      if (state.refuse) setImmediate(() => response.destroy())
      else response.end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a repeated row of a background job costs nothing, even if the first was written before an interruption', async () => {
  const { state, url } = await scripted()
  const folder = new Folder()
  const input = folder.write('in.csv', 'id\nid-1\nid-2\nid-1\n')
  const args = enrichArgs({ url, key: 'vt_live_x' }, { input, out: folder.at('o.csv') }, ['--background'])

  const first = await vitae(args)
  state.refuse = false
  const second = await vitae(args)

  expect([first.code, folder.text('o.csv').split('\r\n').length], first.stderr).toEqual([1, 5])
  expect(second.json, second.stderr).toMatchObject({ rows: 3, found: 3, credits: 2 })
  expect(folder.csv('o.csv').map((row) => row['credits'])).toEqual(['1', '1', '0'])
})

test('without --url it uses the service on the data folder, like every other command', async () => {
  const folder = new Folder()
  const data = folder.at('data')
  const demo = new ChildService(serveDemo, { VITAE_DATA_DIR: data })
  onTestFinished(() => void demo.stop('SIGTERM'))
  await demo.url
  const { test_key: key = '' } = JSON.parse(readFileSync(`${data}/demo-keys.json`, 'utf8')) as Record<string, string>
  const input = folder.write('in.csv', 'id\nsample-complete\n')
  const args = ['enrich', 'people', input, '--column', 'id', '--out', folder.at('o.csv'), '--json']

  const ran = await vitae(args, { env: { VITAE_DATA_DIR: data, VITAE_API_KEY: key } })

  expect(ran.json, ran.stderr).toMatchObject({ rows: 1, found: 1, credits: 0 })
})
