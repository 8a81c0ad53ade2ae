import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestService, type TestService } from '../../../service/test/harness/test-service.ts'
import { vitae } from '../vitae.ts'
import { enrichArgs, Folder } from './enrich-fixture.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

let service: TestService
beforeAll(async () => {
  service = await startTestService({ realClock: true, people: { 'nobody-here': null } })
})
afterAll(() => service.close())

const rows =
  'linkedin_url,note\nbackground-one,a\nhttps://www.linkedin.com/in/Background-One/,b\nnobody-here,c\n,d\nbackground-two,e\n'

test('with --background the output equals that of the foreground mode, and every identifier is paid once', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.write('leads.csv', rows)
  const asked = (out: string, ...more: string[]) =>
    vitae(
      enrichArgs({ url: service.url, key: caller.key }, { input, out: folder.at(out), column: 'linkedin_url' }, more),
    )

  const background = await asked('background.csv', '--background')
  const present = await asked('present.csv')

  const summary = { rows: 5, found: 3, not_found: 1, failed: 1, credits: 2, stopped: null }
  expect(background.json, background.stderr).toMatchObject(summary)
  expect(background.stderr).toMatch(/Submitted as batch_[\w-]+/)
  const plain = (name: string) => folder.csv(name).map(({ source: _source, fetched_at: _at, ...row }) => row)
  expect(plain('background.csv').map(({ credits: _credits, ...row }) => row)).toEqual(
    plain('present.csv').map(({ credits: _credits, ...row }) => row),
  )
  expect(present.json).toMatchObject({ found: 3, not_found: 1, failed: 1 })
  expect(await caller.balance()).toBe(46)
  expect(existsSync(folder.at('background.csv.job'))).toBe(false)
})

test('at --max-credits it stops; the same command with more credits continues the same batch', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.write('ids.ndjson', ['b-one', 'b-two', 'b-three'].map((id) => `{"id":"${id}"}\n`).join(''))
  const run = (credits: string) =>
    vitae(
      enrichArgs({ url: service.url, key: caller.key }, { input, out: folder.at('out.ndjson') }, [
        '--background',
        '--max-credits',
        credits,
      ]),
    )

  const first = await run('2')
  const second = await run('10')

  expect(first.code).toBe(1)
  expect(first.stderr).toContain('Raise --max-credits')
  expect(second.json, second.stderr).toMatchObject({ rows: 3, found: 3, credits: 3 })
  expect(folder.ndjson('out.ndjson').map(({ input: { id } }) => id)).toEqual(['b-one', 'b-two', 'b-three'])
  expect(await caller.balance()).toBe(47)
})

test('from a pipe it is refused, because the input is read twice', async () => {
  const ran = await vitae([
    'enrich',
    'people',
    '-',
    '--column',
    'id',
    '--out',
    'x.csv',
    '--background',
    '--key',
    'vt_test_x',
  ])

  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('give a file') })
})
