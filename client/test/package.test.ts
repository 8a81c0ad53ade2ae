import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failureErrors } from '../src/index.ts'
import { version } from '../src/version.ts'
import { company, employer, person, position } from './people.ts'
import { failed, found, openScriptedServer, type Seen } from './scripted-server.ts'
import { testKey } from './test-client.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'vitae-client-'))
const copy = join(folder, 'checkout')
const consumer = join(folder, 'consumer')
const tarball = join(copy, `client/vitae-client-${version}.tgz`)
const manifest = readFileSync(join(root, 'client/package.json'), 'utf8')

/** Runs a program in a folder and gives what it printed. */
async function run(cwd: string, program: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  // Without npm's own variables, which would make it believe that it still runs in this workspace.
  const clean = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
  const { stdout } = await promisify(execFile)(program, args, { cwd, env: { ...Object.fromEntries(clean), ...env } })
  return stdout
}

/** Packs a copy, so that a checkout in which others work keeps its manifest at every moment. */
beforeAll(async () => {
  mkdirSync(copy)
  cpSync(join(root, 'tsconfig.json'), join(copy, 'tsconfig.json'))
  cpSync(join(root, 'client'), join(copy, 'client'), { recursive: true })
  rmSync(join(copy, 'client/dist'), { recursive: true, force: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  await run(join(copy, 'client'), 'npm', ['pack', '--offline', '--silent'])
  mkdirSync(consumer)
  writeFileSync(join(consumer, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }')
  await run(consumer, 'npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', tarball])
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The pinned Node, and the machine's own where it is another one. */
async function nodes(): Promise<string[]> {
  const found = new Map<string, string>()
  for (const program of [
    process.execPath,
    ...(process.env.PATH ?? '').split(delimiter).map((at) => join(at, 'node')),
  ]) {
    const version = await run(folder, program, ['--version']).catch(() => 'v0')
    if (Number.parseInt(version.slice(1)) >= 20) found.set(version, found.get(version) ?? program)
  }
  return [...found.values()]
}

test('packing leaves the manifest of the checkout as it was', () => {
  expect(readFileSync(join(copy, 'client/package.json'), 'utf8')).toBe(manifest)
})

test('the tarball has no complaint of publint', async () => {
  const buffer = readFileSync(tarball)
  const pack = { tarball: buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength) }

  const { messages, pkg } = await publint({ pack, strict: true })

  expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([])
})

test('the tarball brings nothing along and asks for nothing', async () => {
  const packed = JSON.parse(readFileSync(join(consumer, 'node_modules/@vitae/client/package.json'), 'utf8')) as object

  expect(await run(consumer, 'npm', ['ls', '--all', '--parseable', '--offline'])).toMatch(/^\S+\n\S+client\n$/)
  expect(packed).not.toHaveProperty('scripts')
  expect(packed).not.toHaveProperty('dependencies')
  expect(packed).toHaveProperty('engines.node', '>=20')
  const licence = readFileSync(join(consumer, 'node_modules/@vitae/client/LICENSE'), 'utf8')
  expect(licence).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'))
})

const usage = `
import { type Answer, type Company, VitaeClient, VitaeNotFoundError, estimateHeadcount } from '@vitae/client'
const client = new VitaeClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1', fetch, onRetry: (event) => event.error.code })
export async function headcount(slug: string, signal: AbortSignal): Promise<number | null> {
  try {
    const answer: Answer<Company> = await client.companies.details(slug, { maxAgeDays: 1, signal })
    const when: Date = answer.fetchedAt
    return when.getTime() > 0 ? estimateHeadcount(answer.record) : null
  } catch (error) {
    if (error instanceof VitaeNotFoundError) return error.code === 'not_found' ? null : error.status
    throw error
  }
}
// @ts-expect-error: the record of a company has no headline
export const wrong = async () => (await client.companies.details('a')).record.headline
`

test.each([
  ['with the types of Node', { lib: ['es2022'], types: ['node'], typeRoots: [join(root, 'node_modules/@types')] }],
  ['with those of the web', { lib: ['es2022', 'dom'], types: [] }],
  [
    'where exports are not read, as by moduleResolution node10',
    {
      ...{ module: 'esnext', moduleResolution: 'bundler', resolvePackageJsonExports: false },
      ...{ lib: ['es2022', 'dom'], types: [] },
    },
  ],
])('a consumer of the tarball type-checks %s', async (_name, libraries) => {
  const strict = { strict: true, noEmit: true, skipLibCheck: false, exactOptionalPropertyTypes: true }
  const compilerOptions = { ...strict, module: 'nodenext', target: 'es2022', ...libraries }
  writeFileSync(join(consumer, 'usage.ts'), usage)
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['usage.ts'] }))

  const complaints = await run(consumer, join(root, 'node_modules/.bin/tsc'), ['-p', '.', '--pretty', 'false']).catch(
    (error: { stdout: string }) => error.stdout,
  )

  expect(complaints).toBe('')
})

test('the README names every class a call can throw', () => {
  const readme = readFileSync(join(root, 'client/README.md'), 'utf8')

  expect(Object.values(failureErrors).filter(({ name }) => !readme.includes(`\`${name}\``))).toEqual([])
})

const samples: Record<string, () => ReturnType<typeof found>> = {
  'sample-not-found': () => failed('not_found'),
  'sample-out-of-credits': () => failed('out_of_credits'),
  'sample-forbidden': () => failed('project_suspended'),
  'sample-promoted': () => found(person(employer('1', 'Unreal Bridges', position('Lead', '2023-01')))),
}
const answerSample = ({ path, query }: Seen) =>
  path.includes('companies') ? found(company()) : (samples[query.get('profile_id') ?? ''] ?? (() => found(person())))()

test('every example of the README runs as it stands, on the pinned Node and on that of the machine', async () => {
  const readme = readFileSync(join(root, 'client/README.md'), 'utf8')
  const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code)
  const server = await openScriptedServer(answerSample)
  const printed: string[] = []

  for (const node of await nodes()) {
    for (const code of examples) {
      writeFileSync(join(consumer, 'example.mjs'), code)
      printed.push(await run(consumer, node, ['example.mjs'], { VITAE_API_KEY: testKey, VITAE_URL: server.url }))
    }
  }

  expect(printed.slice(0, 4)).toEqual([
    'Mira Fictional: Builds bridges that do not exist\nfrom live, 0 s old, cost 1\nUnreal Bridges 2026-11-14T09:30:00.000Z\n',
    'sample-not-found does not exist\nsample-out-of-credits was not looked up: out_of_credits\n' +
      'sample-forbidden failed: project_suspended req-1\nada-example is Mira\n',
    'answered now\n',
    'about 31 people\nin null at https://unreal-bridges.example\nLead at Unreal Bridges since 2023\nchange: none\n',
  ])
  expect(printed.slice(4)).toEqual(Array.from({ length: printed.length / 4 - 1 }, () => printed.slice(0, 4)).flat())
})
