import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../service/test/harness/test-service.ts'

const run = promisify(execFile)
const recipes = join(import.meta.dirname, '../../../docs/recipes')
const folder = mkdtempSync(join(tmpdir(), 'vitae-recipes-'))

interface Workflow {
  nodes: { name: string; type: string; parameters: { method?: string; url?: string; jsonBody?: string } }[]
  connections: Record<string, { main: { node: string }[][] }>
}

let service: TestService
let apiKey = ''

beforeAll(async () => {
  service = await startTestService({ realClock: true })
  apiKey = (await service.makeKey({ mode: 'test' })).key
  writeFileSync(join(folder, 'ids.txt'), 'sample-complete\nsample-not-found\nsample-stored\n')
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

const isThere = (program: string) => spawnSync(program, ['--version']).error === undefined
const tools = ['curl', 'python3'].filter((program) => !isThere(program))
if (tools.length > 0) console.warn(`NOT RUN: recipes that need ${tools.join(' and ')}`)

const rowsOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { row: number; input: string; status: string })

describe('recipes', () => {
  const languages = [
    ['curl', 'sh', 'batch.sh'],
    ['Node', process.execPath, 'batch.mjs'],
    ['python3', 'python3', 'batch.py'],
  ] as const
  const start = (program: string, recipe: string, args: string[], key = apiKey) => {
    const env = { PATH: process.env['PATH'] ?? '', VITAE_URL: service.url, VITAE_API_KEY: key, POLL_SECONDS: '0.2' }
    return run(program, [join(recipes, recipe), ...args], { env, timeout: 300_000 })
  }

  test.for(languages)(
    '%s submits a file of ids, waits and prints every row',
    async ([name, program, recipe], { skip }) => {
      if (tools.includes(name)) return skip()

      const { stdout } = await start(program, recipe, ['people', join(folder, 'ids.txt')])

      const rows = rowsOf(stdout)
      expect(rows.map(({ row, status }) => [row, status])).toEqual([
        [1, 'found'],
        [2, 'not_found'],
        [3, 'found'],
      ])
    },
  )

  test.for(languages)(
    '%s keeps line numbers across blank lines, in every common encoding',
    async ([name, program, recipe], { skip }) => {
      if (tools.includes(name)) return skip()
      const text = 'sample-complete\r\n\r\nzo\u00eb-fictional\r\n'
      const files = {
        'utf-8': Buffer.from(`\uFEFF${text}`),
        'utf-16': Buffer.from(`\uFEFF${text}`, 'utf16le'),
        'windows-1252': Buffer.from(text, 'latin1'),
      }

      for (const [encoding, bytes] of Object.entries(files)) {
        const file = join(folder, `${encoding}.txt`)
        writeFileSync(file, bytes)
        const rows = rowsOf((await start(program, recipe, ['people', file])).stdout)
        expect(
          rows.map(({ row, input, status }) => [row, input, status]),
          encoding,
        ).toEqual([
          [1, 'sample-complete', 'found'],
          [2, '', 'invalid'],
          [3, 'zo\u00eb-fictional', 'found'],
        ])
      }
    },
  )

  test.for(languages)(
    '%s exits with 1 and the reason at the first failure',
    async ([name, program, recipe], { skip }) => {
      if (tools.includes(name)) return skip()
      const file = join(folder, 'ids.txt')
      const failed = async (args: string[], key?: string) => {
        const end = await start(program, recipe, args, key).then(
          () => ({ code: 0, stderr: '' }),
          (error: { code: number; stderr: string }) => error,
        )
        return { code: end.code, stderr: end.stderr }
      }

      expect(await failed(['people', file], 'vt_test_wrong')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('invalid_api_key'),
      })
      expect(await failed(['planets', file])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('kind must be'),
      })
      expect(await failed(['people', join(folder, 'no-such-file')])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/no-such-file/),
      })
      expect(await failed(['people'])).toMatchObject({ code: 1, stderr: expect.stringContaining('usage') })
    },
  )

  test('n8n: every node of the workflow is connected, and its HTTP nodes use existing routes', async () => {
    const { nodes, connections } = JSON.parse(readFileSync(join(recipes, 'batch.n8n.json'), 'utf8')) as Workflow
    const targets = Object.values(connections).flatMap(({ main }) => main.flat().map(({ node }) => node))
    const names = nodes.map(({ name }) => name)
    const headers = { ApiKey: apiKey, 'content-type': 'application/json' }
    let id = ''

    expect(new Set([...Object.keys(connections), ...targets])).toEqual(new Set(names))
    for (const { type, parameters } of nodes.filter((node) => node.type.endsWith('httpRequest'))) {
      const { method = 'GET', url = '', jsonBody } = parameters
      const path = url.replace(/^=\{\{[^}]*vitae_url \}\}/, '').replace(/\{\{[^}]*Submit[^}]*\}\}/, id)
      const body = jsonBody && JSON.stringify({ kind: 'people', ids: ['sample-complete'] })
      const answer = await service.get(path, headers, method, body)
      expect([200, 202], `${type} ${path}: ${answer.text}`).toContain(answer.status)
      id = typeof answer.json['id'] === 'string' ? answer.json['id'] : id
    }
    expect(id).toMatch(/^batch_/)
  })
})
