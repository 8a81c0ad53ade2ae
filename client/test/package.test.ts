import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { npmEnv, packedTarballs } from '../../cli/test/packed.ts'
import { startTestService } from '../../service/test/harness/test-service.ts'
import * as packed from '../src/index.ts'
import { testKey } from './test-client.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'vitae-client-'))
const consumer = join(folder, 'consumer')
let tarball: string

/** Runs a program in a folder and returns its output. */
async function run(cwd: string, program: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  return (await promisify(execFile)(program, args, { cwd, env: { ...npmEnv, ...env } })).stdout
}

beforeAll(async () => {
  tarball = (await packedTarballs())('client')
  mkdirSync(consumer)
  writeFileSync(join(consumer, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }')
  await run(consumer, 'npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', tarball])
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The pinned Node, and the machine's own if it is a different one. */
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

test('publint accepts the tarball', async () => {
  const buffer = readFileSync(tarball)
  const pack = { tarball: buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength) }

  const { messages, pkg } = await publint({ pack, strict: true })

  expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([])
})

test('the tarball has no dependencies and no install scripts', async () => {
  const packed = JSON.parse(readFileSync(join(consumer, 'node_modules/@vitae/client/package.json'), 'utf8')) as object

  expect(await run(consumer, 'npm', ['ls', '--all', '--parseable', '--offline'])).toMatch(/^\S+\n\S+client\n$/)
  expect(packed).not.toHaveProperty('scripts')
  expect(packed).not.toHaveProperty('dependencies')
  expect(packed).toHaveProperty('engines.node', '>=20')
  const licence = readFileSync(join(consumer, 'node_modules/@vitae/client/LICENSE'), 'utf8')
  expect(licence).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'))
})

/** The compiler's messages about these files in the project that installed the tarball. */
async function complaintsOf(config: { compilerOptions: object; files: string[] }): Promise<string> {
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify(config))
  return run(consumer, join(root, 'node_modules/.bin/tsc'), ['-p', '.', '--pretty', 'false']).catch(
    (error: { stdout: string }) => error.stdout,
  )
}

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

  expect(await complaintsOf({ compilerOptions, files: ['usage.ts'] })).toBe('')
})

const readme = readFileSync(join(root, 'client/README.md'), 'utf8')
const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)

test('the README names every class a call can throw', () => {
  expect(Object.values(packed.failureErrors).filter(({ name }) => !readme.includes(`\`${name}\``))).toEqual([])
})

test('the README mentions every method of the client and every exported function', () => {
  const client = new packed.VitaeClient({ apiKey: testKey, baseUrl: 'http://127.0.0.1:8080' })
  const methods = Object.entries(client).flatMap(([name, value]) =>
    typeof value === 'function' ? [name] : Object.keys(value as object).map((method) => `${name}.${method}`),
  )
  const functions = Object.entries(packed).filter(([name, value]) => /^[a-z]/.test(name) && typeof value === 'function')

  expect(methods.length).toBeGreaterThan(15)
  expect(methods.filter((method) => !readme.includes(`client.${method}`))).toEqual([])
  expect(functions.map(([name]) => name).filter((name) => !readme.includes(`${name}(`))).toEqual([])
})

test('every example of the README compiles under strict', async () => {
  const compilerOptions = {
    ...{ strict: true, noEmit: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ module: 'nodenext', target: 'es2022', types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
  }
  const files = examples.map((_code, index) => `example-${index}.ts`)
  for (const [index, name] of files.entries()) writeFileSync(join(consumer, name), examples[index] ?? '')

  expect(await complaintsOf({ compilerOptions, files })).toBe('')
})

test("every README example runs unchanged, on the pinned Node and on the machine's own", async () => {
  const service = await startTestService({ realClock: true })
  onTestFinished(() => service.close())
  await service.service.batchRunner.start()
  const { key } = await service.newCaller(0, { mode: 'test' })
  const env = { VITAE_API_KEY: key, VITAE_URL: service.url }
  for (const [index, code] of examples.entries()) writeFileSync(join(consumer, `example-${index}.mjs`), code)

  for (const node of await nodes()) {
    const printed = await Promise.all(
      examples.map(async (_code, index) => run(consumer, node, [`example-${index}.mjs`], env)),
    )
    expect(printed.filter((text) => text === '')).toEqual([])
    expect(printed[1]).toMatch(/^peopledatalabs contact_info\.email_address/)
    expect(printed[2]).toMatch(
      /^sample-not-found does not exist\nsample-out-of-credits was not looked up: out_of_credits\n/,
    )
  }
})
