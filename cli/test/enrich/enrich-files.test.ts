import { existsSync, linkSync, mkdirSync, openSync, closeSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestService, type TestCaller, type TestService } from '../../../service/test/harness/test-service.ts'
import { enrichArgs, Folder, start } from './enrich-fixture.ts'
import { program, vitae } from '../vitae.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService({ realClock: true, people: { 'nobody-here': null } })
})
afterAll(() => service.close())

function enrich(caller: TestCaller, input: string, out: string, more: readonly string[] = []) {
  return enrichArgs({ url: service.url, key: caller.key }, { input, out }, more)
}

test('an output that is the input, by any name, is refused before anything is changed, even with --yes', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const text = 'id\nada-fictional\n'
  const input = folder.write('in.csv', text)
  mkdirSync(folder.at('sub'))
  symlinkSync(input, folder.at('symlink.csv'))
  linkSync(input, folder.at('hard.csv'))
  folder.write('other.csv', 'precious\n')
  linkSync(input, folder.at('other.csv.partial'))
  const outs = [
    input,
    `${folder.path}/sub/../in.csv`,
    folder.at('symlink.csv'),
    folder.at('hard.csv'),
    folder.at('other.csv'),
  ]

  const ran = await Promise.all(outs.map((out) => vitae(enrich(caller, input, out, ['--yes']))))
  const file = openSync(input, 'r')
  const args = [program, ...enrich(caller, '-', folder.at('hard.csv'), ['--yes'])]
  const piped = spawn(process.execPath, args, { stdio: [file, 'ignore', 'ignore'] })
  const pipedCode = await new Promise((resolve) => piped.on('close', resolve))
  closeSync(file)

  expect(ran.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2])
  for (const { stderr } of ran) expect(stderr).toMatch(/^vitae: --out .* the input.*nothing was changed\.\n$/)
  expect(pipedCode).toBe(2)
  expect([folder.text('in.csv'), folder.text('hard.csv'), folder.text('other.csv')]).toEqual([text, text, 'precious\n'])
  expect(existsSync(`${input}.batch`)).toBe(false)
  expect(await caller.balance()).toBe(50)
})

test('an existing output file is kept until the new one is complete, and keeps its mode', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.write('in.csv', 'id\nfirst-fictional\nsecond-fictional\n')
  writeFileSync(folder.at('real.csv'), 'precious\n', { mode: 0o644 })
  symlinkSync(folder.at('real.csv'), folder.at('out.csv'))

  const stopped = await vitae(enrich(caller, input, folder.at('out.csv'), ['--yes', '--max-credits', '1']))
  const meanwhile = folder.text('out.csv')
  const ended = await vitae(enrich(caller, input, folder.at('out.csv')))

  expect(stopped.code).toBe(1)
  expect(meanwhile).toBe('precious\n')
  expect(ended).toMatchObject({ code: 0, json: { rows: 2, found: 2 } })
  expect(folder.csv('real.csv').map((row) => row['id'])).toEqual(['first-fictional', 'second-fictional'])
  expect(statSync(folder.at('real.csv')).mode & 0o777).toBe(0o644)
  expect(existsSync(folder.at('real.csv.partial'))).toBe(false)
  expect(await caller.balance()).toBe(48)
})

test('semicolons, Windows-1252, a repeated column name, cells beyond the header: everything is kept', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const western = Buffer.from('name;id;note;note\r\nZo\xEB, M\xFCller \x80 5;nobody-here;one;two;three\r\n', 'latin1')
  writeFileSync(folder.at('in.csv'), western)
  writeFileSync(folder.at('utf16.tsv'), Buffer.from('\uFEFFid\tname\nnobody-here\tŁucja\n', 'utf16le').swap16())
  folder.write('header.csv', 'id,name\n')

  const [csv, ndjson, utf16, header, wrong] = await Promise.all([
    vitae(enrich(caller, folder.at('in.csv'), folder.at('a.csv'))),
    vitae(enrich(caller, folder.at('in.csv'), folder.at('a.ndjson'))),
    vitae(enrich(caller, folder.at('utf16.tsv'), folder.at('b.csv'))),
    vitae(enrich(caller, folder.at('header.csv'), folder.at('c.csv'))),
    vitae(enrich(caller, folder.at('in.csv'), folder.at('d.csv'), ['--encoding', 'utf-8', '--delimiter', ';'])),
  ])

  expect([csv.code, ndjson.code, utf16.code, header.code]).toEqual([0, 0, 0, 0])
  expect(csv.stderr).toContain('is read as windows-1252')
  const [titles, cells] = folder.text('a.csv').split('\r\n')
  expect(titles).toMatch(/^name,id,note,note,extra_1,status,/)
  expect(cells).toMatch(/^"Zoë, Müller € 5",nobody-here,one,two,three,not_found,/)
  const input = { name: 'Zoë, Müller € 5', id: 'nobody-here', note: 'one', note_2: 'two', extra_1: 'three' }
  expect(folder.ndjson('a.ndjson')[0]?.['input']).toEqual(input)
  expect(folder.csv('b.csv')[0]).toMatchObject({ id: 'nobody-here', name: 'Łucja' })
  expect(folder.text('c.csv')).toMatch(/^id,name,status,error,source,fetched_at,credits,[^\n]*\r\n$/)
  expect(header.json).toMatchObject({ rows: 0, stopped: null })
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('The input is not utf-8') })
  expect(existsSync(folder.at('d.csv.batch'))).toBe(false)
})

test('a field that no record can have stops the job before the first call and suggests the nearest', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.write('in.csv', 'id\nada-fictional\n')
  const fields = [
    'headlin',
    'experience.company_name',
    'experience.2.positions.0.titel',
    'location.county_code',
    'skills.x',
  ]

  const ran = await Promise.all(
    fields.map((field) => vitae(enrich(caller, input, folder.at('o.csv'), ['--fields', field]))),
  )

  expect(ran.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2])
  const hints = ran.map(({ stderr }) => /Did you mean (\S+)\?/.exec(stderr)?.[1])
  expect(hints).toEqual([
    'headline',
    'experience.0.company_name',
    'experience.2.positions.0.title',
    'location.country_code',
    'skills.0',
  ])
  expect(await caller.balance()).toBe(50)
})

test('at the rate limit of the key the progress line shows how long the command waits, and the batch goes on', async () => {
  const caller = await service.newCaller(50, { rate: '2/300s' })
  const folder = new Folder()
  const input = folder.write('in.csv', 'id\npatience-1\npatience-2\npatience-3\n')

  const running = start(enrich(caller, input, folder.at('o.csv')))
  const line = /waiting (\d+) s for the rate limit of the key/
  await vi.waitFor(() => expect(running.said()).toMatch(line), { timeout: 300_000, interval: 20 })
  await vi.waitFor(async () => expect(await caller.balance()).toBe(47), { timeout: 300_000, interval: 50 })
  running.child.kill('SIGINT')
  const ended = await running.ended

  expect(Number(line.exec(ended.stderr)?.[1])).toBeGreaterThan(200)
  expect(ended).toMatchObject({ code: 1, signal: null })
  expect(existsSync(folder.at('o.csv.batch'))).toBe(true)
})
