import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { npmEnv, packedTarballs, unpack } from '../../cli/test/packed.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'vitae-kit-'))
const consumer = join(folder, 'consumer')
let tarball: (name: string) => string

async function run(cwd: string, program: string, args: string[]): Promise<string> {
  return (await promisify(execFile)(program, args, { cwd, env: npmEnv })).stdout
}

/** Unpacks the packages next to their dependencies. */
beforeAll(async () => {
  tarball = await packedTarballs()
  for (const name of ['contract', 'provider']) await unpack(tarball(name), join(consumer, 'node_modules'), name)
  for (const name of ['typebox', 'i18n-iso-countries', 'entities'])
    symlinkSync(join(root, 'node_modules', name), join(consumer, 'node_modules', name))
  writeFileSync(join(consumer, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('publint accepts the tarball', async () => {
  const buffer = readFileSync(tarball('provider'))
  const pack = { tarball: buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength) }

  const { messages, pkg } = await publint({ pack, strict: true })

  expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([])
})

test('plain JavaScript uses the packed kit', async () => {
  const code = `
import { parsePartialDate, ProviderFault, readProviderModule } from '@vitae/provider'
import { brokenRules, testProvider } from '@vitae/provider/conformance'
const fault = new ProviderFault('limited', 'slow down')
console.log(fault instanceof ProviderFault, typeof parsePartialDate, typeof readProviderModule, typeof brokenRules, typeof testProvider)
`
  writeFileSync(join(consumer, 'usage.mjs'), code)

  expect(await run(consumer, process.execPath, ['usage.mjs'])).toBe('true function function function function\n')
})

// cli/test/guides checks the declarations themselves with the guide's example.
test('strict TypeScript type-checks against the packed kit', async () => {
  const code = `
import { type Provider, ProviderFault, type ProviderModule, type ProviderSettings } from '@vitae/provider'
const create = ({ url, key }: ProviderSettings): Provider => ({
  name: 'acme',
  supplies: { people: new Set(['headline']), companies: new Set() },
  projectionVersion: 1,
  async ask({ signal }, send) {
    const answer = await send({ method: 'GET', url: new URL(url), headers: { key } }, signal)
    return { outcome: 'not_found', answer, cost: null }
  },
  project() {
    throw new ProviderFault('invalid', 'nothing to map')
  },
})
export const provider: ProviderModule = { name: 'acme', label: 'Acme', defaultUrl: 'https://acme.example', create }
// @ts-expect-error: a fault has one of five kinds
export const wrong = new ProviderFault('sleepy', 'no such kind')
`
  const strict = { strict: true, noEmit: true, skipLibCheck: true, exactOptionalPropertyTypes: true }
  const types = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] }
  const compilerOptions = { ...strict, ...types, module: 'nodenext', target: 'es2024', lib: ['es2024'] }
  writeFileSync(join(consumer, 'usage.ts'), code)
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['usage.ts'] }))

  const complaints = await run(consumer, join(root, 'node_modules/.bin/tsc'), ['-p', '.', '--pretty', 'false']).catch(
    (error: { stdout: string }) => error.stdout,
  )

  expect(complaints).toBe('')
})
