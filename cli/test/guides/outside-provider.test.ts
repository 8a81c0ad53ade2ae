import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { installPackages, npmEnv as env } from '../packed.ts'
import { readBlocks, root } from './guide-text.ts'

const run = promisify(execFile)
const blocks = readBlocks('docs/guides/adding-a-provider.md')

/** A folder with the packed packages and the files of the guide. */
async function makeFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-outside-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const empty = await installPackages(folder)
  for (const { text } of blocks) {
    const [, name, code = ''] = /^\/\/ ([\w.-]+)\n([\s\S]*)$/.exec(text) ?? []
    if (name !== undefined) writeFileSync(join(empty, name), code)
  }
  return empty
}

/** AcmeData, which knows one person. */
async function startAcme(body: Buffer): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${String(request.headers['x-acme-key'])}`)
    const isKnown = request.url?.includes('wren-saltmarsh')
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' }).end(isKnown ? body : '{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** Compiles the example strictly, without the repository's settings, and installs it as npm would. */
async function packAndInstall(empty: string): Promise<void> {
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2024']
  const types = [
    '--types',
    'node',
    '--typeRoots',
    join(root, 'node_modules/@types'),
    '--rewriteRelativeImportExtensions',
  ]
  await run(join(root, 'node_modules/.bin/tsc'), ['--outDir', 'dist', ...strict, ...types, 'acmedata.ts'], {
    cwd: empty,
  })
  await run('npm', ['pack', '--offline', '--silent'], { cwd: empty, env })
  const into = join(empty, 'node_modules/@team/vitae-acmedata')
  mkdirSync(into, { recursive: true })
  await run('tar', ['xzf', 'team-vitae-acmedata-1.0.0.tgz', '-C', into, '--strip-components=1'], { cwd: empty })
}

/** Starts the packed service with the module, and returns the answer to one call. */
async function serveAndAsk(empty: string, own: NodeJS.ProcessEnv): Promise<{ status: number; record: object }> {
  const data = mkdtempSync(join(empty, 'data-'))
  const bin = join(empty, 'node_modules/@vitae/cli/bin/vitae.js')
  const service = spawn(process.execPath, [bin, 'serve', '--demo'], {
    cwd: empty,
    env: { ...env, PORT: '0', LOG_LEVEL: 'error', VITAE_DATA_DIR: data, ...own },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => service.once('exit', resolve))
  try {
    const file = join(data, 'service.json')
    for (let waited = 0; !existsSync(file) && waited < 300_000 && service.exitCode === null; waited += 100)
      await pause(100)
    const { url } = JSON.parse(readFileSync(file, 'utf8')) as { url: string }
    const { live_key: key } = JSON.parse(readFileSync(join(data, 'demo-keys.json'), 'utf8')) as { live_key: string }
    const answer = await fetch(`${url}/v1/people/profile?profile_id=wren-saltmarsh`, { headers: { ApiKey: key } })
    return { status: answer.status, record: (await answer.json()) as object }
  } finally {
    service.kill('SIGTERM')
    await ended
  }
}

test('the file and the module of the guide are written, tested, loaded and served without the repository', async () => {
  const empty = await makeFolder()
  const bin = join(empty, 'node_modules/@vitae/cli/bin/vitae.js')
  const scripts = blocks.flatMap(({ language, notRun, text }) => {
    if (language === 'yaml') return `cat > acmedata.provider.yaml <<'YAML'\n${text}\nYAML`
    return language === 'sh' && notRun === null ? text : []
  })
  const script = ['set -euo pipefail', `vitae() { "${process.execPath}" "${bin}" "$@"; }`, ...scripts]

  const said = await run('bash', ['-c', script.join('\n')], { cwd: empty, env })
  await packAndInstall(empty)
  const acme = await startAcme(readFileSync(join(empty, 'payloads/people/wren.json')))
  const own = { VITAE_UPSTREAM: 'acmedata', VITAE_ACMEDATA_URL: acme.url, VITAE_ACMEDATA_KEY: 'a key of acme' }
  const byFile = await serveAndAsk(empty, { VITAE_PROVIDER_FILES: './acmedata.provider.yaml', ...own })
  const byModule = await serveAndAsk(empty, { VITAE_PROVIDER_MODULES: '@team/vitae-acmedata', ...own })

  const found = '"mapped": 1,\n  "refused": 0,\n  "mutations": 400,\n  "findings": []'
  expect(said.stdout.split(found)).toHaveLength(3)
  expect(said.stdout).toContain('"public_identifier": "wren-saltmarsh"')
  const wren = {
    member_urn: 'urn:li:member:5550100',
    first_name: 'Wren',
    experience: [{ company_name: 'Ebb Office' }],
  }
  expect(byFile).toMatchObject({ status: 200, record: wren })
  expect(byModule).toMatchObject({ status: 200, record: wren })
  const asked = '/v2/person?handle=wren-saltmarsh a key of acme'
  expect(acme.asked).toEqual([asked, asked])
})
