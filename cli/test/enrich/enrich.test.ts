import { existsSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { contractPerson } from '../../../service/fake-provider/contract-person.ts'
import { startTestService, type TestCaller, type TestService } from '../../../service/test/harness/test-service.ts'
import { Folder, start } from './enrich-fixture.ts'
import { vitae } from '../vitae.ts'

let service: TestService

beforeAll(async () => {
  const hostile = { ...contractPerson('mallory-fictional'), headline: '=HYPERLINK("http://bad.example")' }
  const written = { ...contractPerson('quill-fictional'), headline: 'Says "hi",\nthen leaves' }
  service = await startTestService({
    realClock: true,
    people: { 'nobody-here': null, 'mallory-fictional': hostile, 'quill-fictional': written },
    env: { VITAE_PRICE_COMPANIES: '3' },
  })
})
afterAll(() => service.close())

function enrich(caller: TestCaller, kind: string, input: string, more: readonly string[]) {
  return ['enrich', kind, input, '--key', caller.key, '--url', service.url, '--json', ...more]
}

test('one row per input row in order; spellings of one identifier are paid once; exit code 0', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.write(
    'leads.csv',
    '\uFEFFlinkedin_url,"the name",note\r\n' +
      'https://www.linkedin.com/in/Iris-Fictional/,"Ada ""the first"", of\nUnreal",+1 555 010-0199\r\n' +
      'iris-fictional,again,=1+1\r\n' +
      'nobody-here,"",\r\n' +
      'linkedin.com/in/iris-fictional/details/skills?x=1,third,"a,b"\r\n' +
      'quill-fictional,Q,-5\r\n',
  )

  const ran = await vitae(enrich(caller, 'people', input, ['--column', 'linkedin_url', '--out', folder.at('out.csv')]))

  expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code: 0 })
  expect(ran.json).toMatchObject({ rows: 5, found: 4, not_found: 1, failed: 0, credits: 2, stopped: null })
  const rows = folder.csv('out.csv')
  expect(rows.map((row) => row['status'])).toEqual(['found', 'found', 'not_found', 'found', 'found'])
  expect(rows.map((row) => row['credits'])).toEqual(['1', '0', '0', '0', '1'])
  expect(rows.map((row) => row['the name'])).toEqual(['Ada "the first", of\nUnreal', 'again', '', 'third', 'Q'])
  expect(rows.map((row) => row['note'])).toEqual(['+1 555 010-0199', '=1+1', '', 'a,b', '-5'])
  expect(rows[1]?.['linkedin_url']).toBe('iris-fictional')
  expect(rows[4]).toMatchObject({ headline: 'Says "hi",\nthen leaves', public_identifier: 'quill-fictional' })
  expect(rows[0]).toMatchObject({ source: 'live', error: '', public_identifier: 'iris-fictional' })
  expect(await caller.balance()).toBe(48)
  expect(existsSync(folder.at('out.csv.batch'))).toBe(false)
})

test('failed rows have a reason, the others are not delayed, and the exit code is 1', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.write(
    'in.csv',
    'id,status\nada-fictional,lead\n,cold\n  ,cold\nhttps://example.org/in/ada,lead\nmallory-fictional,lead\nshort\n',
  )

  const ran = await vitae(enrich(caller, 'people', input, ['--column', 'id', '--out', folder.at('out.csv')]))

  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain('3 rows failed')
  const rows = folder.csv('out.csv')
  expect(rows.map((row) => row['status'])).toEqual(['found', 'failed', 'failed', 'failed', 'found', 'found'])
  expect(rows.map((row) => row['input_status'])).toEqual(['lead', 'cold', 'cold', 'lead', 'lead', ''])
  expect(rows[1]?.['error']).toBe('the column is empty')
  expect(rows[3]?.['error']).toMatch(/^invalid_request: ./)
  expect(rows[4]?.['headline']).toBe(`'=HYPERLINK("http://bad.example")`)
  expect(await caller.balance()).toBe(47)
})

test('NDJSON in and out, from standard input, with chosen fields; an invalid line is a failed row', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = '{"id":"ada-fictional","n":1}\nnot json\n\n{"n":2}\n{"id":"nobody-here","deep":{"a":[1]}}\n'
  const more = ['--format', 'ndjson', '--column', 'id', '--out', folder.at('out.ndjson')]

  const ran = await vitae(
    enrich(caller, 'people', '-', [...more, '--fields', 'first_name,location.country_code,websites.7']),
    {
      input,
    },
  )

  const rows = folder.ndjson('out.ndjson')
  expect(ran.code).toBe(1)
  expect(rows.map((row) => [row['status'], row['error']])).toEqual([
    ['found', null],
    ['failed', 'the line is not a JSON object'],
    ['failed', 'the column is empty'],
    ['not_found', null],
  ])
  expect(rows[0]?.['input']).toEqual({ id: 'ada-fictional', n: 1 })
  expect(rows[3]?.['input']).toEqual({ id: 'nobody-here', deep: { a: [1] } })
  expect(Object.keys(rows[0]?.['record'])).toEqual(['first_name', 'location.country_code', 'websites.7'])
  expect(rows[0]?.['record']).toMatchObject({ first_name: expect.any(String), 'websites.7': null })
})

test('--dry-run prices every distinct identifier once, and spends and writes nothing', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.write('in.csv', 'c\nunreal-bridges\nhttps://linkedin.com/company/Unreal-Bridges/\n\n1234\n""\n')
  const before = service.upstream.requests.length

  const ran = await vitae(
    enrich(caller, 'companies', input, ['--column', 'c', '--out', folder.at('o.csv'), '--dry-run']),
  )

  expect(ran.code).toBe(0)
  expect(ran.json).toMatchObject({ rows: 4, empty: 1, distinct: 2, price: 3, most_credits: 6 })
  expect(service.upstream.requests).toHaveLength(before)
  expect(existsSync(folder.at('o.csv'))).toBe(false)
  expect(await caller.balance()).toBe(50)
})

test('--max-credits is never exceeded, at any price, and a larger one continues without paying twice', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const slugs = Array.from({ length: 8 }, (_, index) => `bridge-works-${index}`)
  const input = folder.write('in.csv', `c\n${slugs.join('\n')}\n`)
  const command = (max: string) =>
    enrich(caller, 'companies', input, ['--column', 'c', '--out', folder.at('o.csv'), '--max-credits', max])

  const first = await vitae(command('10'))
  const second = await vitae(command('10'))
  const spent = 50 - (await caller.balance())
  const third = await vitae(command('24'))

  expect(first).toMatchObject({ code: 1, json: { rows: 3, credits: 9, stopped: '--max-credits 10 is reached' } })
  expect(first.stderr).toMatch(/It costs at most 10 credits \(--max-credits; \d+ for all rows\)/)
  expect(first.stderr).toContain('Raise --max-credits and give the same command again')
  expect(first.stderr).toContain(`${folder.at('o.csv')}.partial`)
  expect(second).toMatchObject({ code: 1, json: { rows: 3, credits: 9 } })
  expect(spent).toBe(9)
  expect(third).toMatchObject({ code: 0, json: { rows: 8, found: 8, credits: 24, stopped: null } })
  expect(folder.csv('o.csv').map((row) => row['c'])).toEqual(slugs)
  expect(await caller.balance()).toBe(26)
})

test('an empty account stops the job instead of failing every row, and a grant lets it continue', async () => {
  const caller = await service.newCaller(3)
  const folder = new Folder()
  const slugs = Array.from({ length: 12 }, (_, index) => `poor-${index}`)
  const input = folder.write('in.csv', `id\n${slugs.join('\n')}\n`)
  const command = enrich(caller, 'people', input, ['--column', 'id', '--out', folder.at('o.csv')])

  const first = await vitae(command)
  await service.grant(20, 'production', caller.project)
  const second = await vitae(command)

  expect(first).toMatchObject({ code: 1, json: { failed: 0 } })
  expect(first.stderr).toContain('out_of_credits')
  expect(second).toMatchObject({ code: 0, json: { rows: 12, found: 12, credits: 12 } })
  expect(folder.csv('o.csv').map((row) => row['id'])).toEqual(slugs)
  expect(await caller.balance()).toBe(11)
})

test('an output is never overwritten without --yes, and an unfinished one not by another command', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.write('in.csv', 'id\nada-fictional\nbea-fictional\n')
  folder.write('out.csv', 'precious\n')
  const command = (...more: string[]) => enrich(caller, 'people', input, ['--column', 'id', ...more])

  const refused = await vitae(command('--out', folder.at('out.csv')))
  const kept = folder.text('out.csv')
  const allowed = await vitae(command('--out', folder.at('out.csv'), '--yes'))
  await vitae(command('--out', folder.at('half.csv'), '--max-credits', '1'))
  const half = folder.text('half.csv.partial')
  const other = await vitae(command('--out', folder.at('half.csv'), '--fields', 'headline'))
  const halfAfter = folder.text('half.csv.partial')
  const over = await vitae(command('--out', folder.at('half.csv'), '--fields', 'headline', '--yes'))

  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('already exists')
  expect(kept).toBe('precious\n')
  expect(allowed.code).toBe(0)
  expect(folder.csv('out.csv')).toHaveLength(2)
  expect(other.code).toBe(1)
  expect(other.stderr).toContain('unfinished job with other settings')
  expect(halfAfter).toBe(half)
  expect(over).toMatchObject({ code: 0, json: { rows: 2, found: 2 } })
})

test('an unfinished job of an older version and a damaged note are refused before anything is paid', async () => {
  const caller = await service.newCaller(5)
  const folder = new Folder()
  const input = folder.write('in.csv', 'id\nada-fictional\n')
  const command = () => enrich(caller, 'people', input, ['--column', 'id', '--out', folder.at('out.csv')])

  folder.write('out.csv.job', '{}')
  const older = await vitae(command())
  rmSync(folder.at('out.csv.job'))
  folder.write('out.csv.batch', '{"asked":')
  const damaged = await vitae(command())

  expect(older).toMatchObject({ code: 1, stderr: expect.stringContaining('unfinished job of an older version') })
  expect(damaged).toMatchObject({ code: 1, stderr: expect.stringContaining('is damaged') })
  expect(await caller.balance()).toBe(5)
})

test('wrong use exits with 2 and a remedy, and leaves no file in the way of the corrected command', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.write('in.csv', 'id,name\nada-fictional,Ada\n')
  const command = (...more: string[]) => vitae(enrich(caller, 'people', input, more))

  const column = await command('--column', 'url', '--out', folder.at('o.csv'))
  const missing = await vitae(
    enrich(caller, 'people', folder.at('no.csv'), ['--column', 'id', '--out', folder.at('o.csv')]),
  )
  const name = await command('--column', 'id', '--out', folder.at('o.txt'))
  const age = await command('--column', 'id', '--out', folder.at('o.csv'), '--max-age', 'x')
  const key = await vitae([
    'enrich',
    'people',
    input,
    '--column',
    'id',
    '--out',
    folder.at('o.csv'),
    '--url',
    service.url,
  ])
  const wrong = await vitae([
    'enrich',
    'people',
    input,
    '--column',
    'id',
    '--out',
    folder.at('w.csv'),
    '--key',
    'vt_live_wrong',
    '--url',
    service.url,
  ])

  expect([column, missing, name, age, key].map(({ code }) => code)).toEqual([2, 2, 2, 2, 2])
  expect(column.stderr).toBe('vitae: The input has no column url. It has: id, name.\n')
  expect(missing.stderr).toMatch(/^vitae: .*no\.csv cannot be read.*\n$/)
  expect(key.stderr).toContain('VITAE_API_KEY')
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toContain('invalid_api_key')
  expect(existsSync(folder.at('o.csv'))).toBe(false)
  expect(existsSync(folder.at('o.csv.batch'))).toBe(false)
})

test('another input or other settings never take over the batch of an unfinished job', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const whole = 'id\nfirst-one\nsecond-one\nthird-one\n'
  const input = folder.write('in.csv', whole)
  const command = (max: string, ...more: string[]) =>
    enrich(caller, 'people', input, ['--column', 'id', '--out', folder.at('o.csv'), '--max-credits', max, ...more])
  const first = await vitae(command('2'))

  const contact = await vitae(command('9', '--contact'))
  folder.write('in.csv', 'id\nfirst-one\nanother-one\nthird-one\n')
  const changed = await vitae(command('9'))
  folder.write('in.csv', whole)
  folder.write('o.csv.partial', 'damaged')
  const corrected = await vitae(command('9'))

  expect([first.code, contact.code, changed.code, corrected.code], corrected.stderr).toEqual([1, 1, 1, 0])
  expect(contact.stderr).toContain('unfinished job with other settings or another input')
  expect(changed.stderr).toContain('unfinished job with other settings or another input')
  expect(folder.csv('o.csv').map((row) => row['id'])).toEqual(['first-one', 'second-one', 'third-one'])
  expect(await caller.balance()).toBe(47)
})

test('after Ctrl-C the batch goes on in the service, and the same command waits for it and pays nothing twice', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const slugs = Array.from({ length: 6 }, (_, index) => `patient-${index}`)
  const input = folder.write('in.csv', `id\n${slugs.join('\n')}\n`)
  const command = enrich(caller, 'people', input, ['--column', 'id', '--out', folder.at('o.csv')])
  const held = Promise.withResolvers<void>()
  service.upstream.until = held.promise

  const running = start(command)
  await vi.waitFor(() => expect(running.said()).toMatch(/Submitted as batch_/), { timeout: 300_000, interval: 20 })
  running.child.kill('SIGINT')
  const ended = await running.ended
  held.resolve()
  const resumed = await vitae(command)

  const id = /batch_[\w-]+/.exec(ended.stderr)?.[0]
  expect(ended).toMatchObject({ code: 1, signal: null })
  expect(ended.stderr).toContain('Stopped early (interrupted). Give the same command again to continue.')
  expect(ended.stderr).toContain(`${id} goes on in the service`)
  expect(resumed, resumed.stderr).toMatchObject({ code: 0, json: { rows: 6, found: 6, credits: 6, batches: [id] } })
  expect(folder.csv('o.csv').map((row) => row['id'])).toEqual(slugs)
  expect(await caller.balance()).toBe(44)
})

test('a CSV that cannot be read names line and column, before anything is paid', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const wrong = [
    '\nid,name\nada-fictional,"Ada\nof X"\nbea-fictional,Be"a\n',
    'id,name\r\nada-fictional,A\r\nbea,"B\r\n',
  ]
  const inputs = wrong.map((text, index) => folder.write(`in-${index}.csv`, text))

  const ran = await Promise.all(
    inputs.map((input) => vitae(enrich(caller, 'people', input, ['--column', 'id', '--out', folder.at('o.csv')]))),
  )

  expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual([
    [1, 'vitae: The CSV cannot be read: it is not valid CSV: the quotes do not match in line 5, column 2.\n'],
    [1, 'vitae: The CSV cannot be read: it is not valid CSV: the quotes do not match in line 3, column 2.\n'],
  ])
  expect(await caller.balance()).toBe(50)
})

test('options of the engine of earlier versions are ignored with a line that says so', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.write('in.csv', 'id\nolder-one\n')
  const more = ['--column', 'id', '--out', folder.at('o.csv'), '--background', '--concurrency', '4']

  const ran = await vitae(enrich(caller, 'people', input, more))

  expect(ran, ran.stderr).toMatchObject({ code: 0, json: { rows: 1, found: 1, credits: 1 } })
  expect(ran.stderr).toContain('--background and --concurrency have no effect any more')
})
