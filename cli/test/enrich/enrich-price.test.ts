import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { ChildService, serveDemo } from '../../../service/test/harness/child-service.ts'
import { startTestService, type TestService } from '../../../service/test/harness/test-service.ts'
import { atTerminal } from '../at-terminal.ts'
import { program, vitae } from '../vitae.ts'
import { enrichArgs, Folder, start } from './enrich-fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ realClock: true, env: { VITAE_BATCH_ROWS: '3' } })
})
afterAll(() => service.close())

test('a file with more rows than a batch may have is priced and looked up in several', async () => {
  const caller = await service.newCaller(50, { rate: '600/60s' })
  const folder = new Folder()
  await service.get('/v1/people/profile?profile_id=priced-a', { ApiKey: caller.key })
  const ids = ['priced-a', 'priced-b', 'priced-b', 'https://example.org/x', '', 'priced-c', 'priced-d']
  const input = folder.write('in.csv', `id,n\n${ids.map((id) => `${id},1`).join('\n')}\n`)
  const args = enrichArgs({ url: service.url, key: caller.key }, { input, out: folder.at('o.csv') })

  const priced = await vitae([...args, '--dry-run'])
  const ran = await vitae(args)

  const money = { price: 1, most_credits: 4, available_credits: 49, estimated_seconds: 2 }
  expect(priced.json, priced.stderr).toEqual({ rows: 7, empty: 1, distinct: 5, invalid: 1, stored: 1, ...money })
  expect(ran.stderr).toContain('7 rows, 5 distinct ids, 2 that cannot be looked up')
  expect(ran.stderr).toContain('The store answers 1 of them.')
  expect(ran.stderr).toContain('It costs at most 4 credits; 49 are available.')
  expect(ran.stderr).toContain('This takes less than a minute')
  expect(ran.json).toMatchObject({
    rows: 7,
    found: 5,
    failed: 2,
    credits: 4,
    batches: [expect.any(String), expect.any(String)],
  })
  expect(folder.csv('o.csv').map((row) => row['status'])).toEqual([
    ...['found', 'found', 'found', 'failed', 'failed', 'found', 'found'],
  ])
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
  const held = Promise.withResolvers<void>()
  service.upstream.until = held.promise
  const waiting = start(enrichArgs(at, { input, out: folder.at('o.csv') }))
  await vi.waitFor(() => expect(waiting.said()).toContain('Submitted'), { timeout: 300_000, interval: 20 })

  const beside = await vitae(enrichArgs(at, { input, out: folder.at('o.csv') }, ['--yes']))
  waiting.child.kill('SIGKILL')
  await waiting.ended
  held.resolve()
  const after = await vitae(enrichArgs(at, { input, out: folder.at('o.csv') }, ['--yes']))

  expect(beside).toMatchObject({ code: 1, stderr: expect.stringContaining('Another command is writing') })
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

test('a wrong key and a service that does not answer are reported with the next step', async () => {
  const folder = new Folder()
  const input = folder.write('in.csv', 'id\nrefused-a\n')
  const run = (url: string) => vitae(enrichArgs({ url, key: 'vt_live_wrong' }, { input, out: folder.at('o.csv') }))

  const refused = await run(service.url)
  const absent = await run('http://127.0.0.1:1')
  const looked = await vitae(['lookup', 'people', 'refused-a', '--key', 'vt_live_wrong'], {
    env: { VITAE_URL: service.url },
  })

  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^vitae: invalid_api_key: .* Check --key/m) })
  expect(absent).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^vitae: No Vitae answers at http:\/\/127\.0\.0\.1:1\. .* check --url/m),
  })
  expect(looked).toMatchObject({ code: 1, stderr: expect.stringContaining('invalid_api_key. Check --key') })
})
