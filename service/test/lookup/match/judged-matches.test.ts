import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { ToldPerson } from '../../../fake-provider/wire/wire.ts'
import { openTestService, type TestService } from '../../harness/test-service.ts'
import { judgedRows, type JudgedRow } from './judged-rows.ts'

/*
 * The labelled pairs as questions: to the store, and to each provider through its own adapter and format. No stranger
 * may be served. The long run uses all of them and compares its figures with the guide.
 */

const isLong = Boolean(process.env['VITAE_TEST_LONG'])
const rows = judgedRows.filter((_, at) => isLong || at % 20 === 0)
const guide = readFileSync(join(import.meta.dirname, '../../../../docs/lab/match-quality.md'), 'utf8').split('\n')

interface Judged {
  row: JudgedRow
  /** The slug of the served record; null if none was served. */
  served: string | null
  source: string | null
}

async function ask(service: TestService, row: JudgedRow): Promise<Judged> {
  const headers = { ApiKey: service.liveKey, 'content-type': 'application/json' }
  const {
    status,
    json,
    headers: got,
  } = await service.get('/v1/people/match', headers, 'POST', JSON.stringify(row.body))
  expect([200, 404]).toContain(status)
  return { row, served: status === 200 ? String(json['public_identifier']) : null, source: got.get('x-data-source') }
}

const told = ({ slug, facts }: JudgedRow) => new ToldPerson(slug, facts)

/** One after another, because two rows may ask for the same name and mean two records. */
async function askAll(service: TestService, asked: readonly JudgedRow[], provider?: FakeProvider): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const row of asked) {
    provider?.people.set(row.asked, told(row))
    judged.push(await ask(service, row))
  }
  return judged
}

/** Answers with another person than the row's, or with anybody for a row that means another person. */
function wrongIn(judged: readonly Judged[]): Judged[] {
  return judged.filter(({ row, served }) => served !== null && (row.label === 'different' || served !== row.slug))
}

/** The share of right people found, as a line of the guide. */
function lineOf(name: string, judged: readonly Judged[]): string {
  const found = (['email', 'phone', 'name'] as const).map((by) => {
    const these = judged.filter(({ row }) => row.label === 'same' && row.by === by)
    return `${these.filter(({ served }) => served !== null).length} of ${these.length}`
  })
  const strangers = judged.filter(({ row }) => row.label === 'different').length
  return `| ${name} | ${found.join(' | ')} | 0 of ${strangers} |`
}

/** The line of the guide; the short run's is not in it. */
function written(name: string, judged: readonly Judged[]): string | undefined {
  return isLong ? guide.find((line) => line.startsWith(`| ${name} | `)) : lineOf(name, judged)
}

const limits = { VITAE_NOT_FOUND_RATE: '100000/1h' }

test('the store serves no stranger, by contact details or by earlier questions', async () => {
  const service = await openTestService({ credits: 10_000, generate: false, env: limits })
  const { people } = service.upstream
  for (const row of rows) people.set(row.slug, told(row))
  for (const { slug } of rows) await service.person(slug)
  await askAll(
    service,
    rows.filter(({ by }) => by === 'name'),
    service.upstream,
  )
  people.clear()
  const judged = await askAll(service, rows)

  expect(new Set(judged.map(({ source }) => source))).toEqual(new Set(['store', null]))
  expect(wrongIn(judged)).toEqual([])
  expect(lineOf('the store', judged)).toBe(written('the store', judged))
})

const wires = [
  ['peopledatalabs', 'People Data Labs'],
  ['enrichlayer', 'Enrich Layer'],
  ['coresignal', 'Coresignal'],
  ['mirror', 'another Vitae'],
] as const

test.for(wires)('no stranger is served by %s', async ([wire, name]) => {
  const provider = await startFakeProvider({ provider: wire, generate: false })
  onTestFinished(() => provider.close())
  const variable = `VITAE_${wire.toUpperCase()}`
  const env = { VITAE_UPSTREAM: wire, [`${variable}_URL`]: provider.url, [`${variable}_KEY`]: provider.key }
  const service = await openTestService({ credits: 10_000, env: { ...env, ...limits } })

  const judged = await askAll(service, rows, provider)

  expect(wrongIn(judged)).toEqual([])
  expect(lineOf(name, judged)).toBe(written(name, judged))
})

test('no stranger is served by the directory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-judged-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const lines = rows.map(({ slug, facts }) => JSON.stringify(contractPerson(slug, facts)))
  writeFileSync(join(folder, 'people.ndjson'), `${lines.join('\n')}\n`)
  const env = { VITAE_UPSTREAM: 'directory', VITAE_DIRECTORY: folder, ...limits }
  const service = await openTestService({ upstream: 'directory', credits: 10_000, env })

  const judged = await askAll(service, rows)

  expect(wrongIn(judged)).toEqual([])
  expect(lineOf('the directory', judged)).toBe(written('the directory', judged))
})
