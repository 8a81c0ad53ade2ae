import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../service/src/config/config.ts'
import { ChildService, serveDemo } from '../../../service/test/harness/child-service.ts'
import { buildProgram } from '../../src/main.ts'
import { blocksOf, guides, makePrograms, readBlocks, root, runScript, scriptOf } from './guide-text.ts'

let folder = ''
let data = ''
let service: ChildService
let env: Record<string, string> = {}
let reader: (script: string) => string = (script) => script

/** What a reader of the guides has: the demo service, a folder to work in, and what stands for "..." in them. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vitae-guides-'))
  data = join(folder, 'data')
  service = new ChildService(serveDemo, { VITAE_DATA_DIR: data })
  const url = await service.url
  mkdirSync(join(folder, 'backup'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const { PATH = '' } = process.env
  env = { PATH: `${makePrograms(folder, root)}:${PATH}`, HOME: folder, CURL_HOME: folder, LOG_LEVEL: 'silent' }
  const { test_key: testKey = '', live_key: liveKey = '' } = JSON.parse(
    readFileSync(join(data, 'demo-keys.json'), 'utf8'),
  ) as Record<string, string>
  const headers = { ApiKey: liveKey }
  expect((await fetch(`${url}/v1/people/profile?profile_id=tobias-lindqvist`, { headers })).status).toBe(200)
  const made = async (command: string) =>
    (JSON.parse(await runScript(`vitae ${command} --json`, { cwd: folder, env })) as { id: string }).id
  const places: [written: string, here: string][] = [
    ['http://127.0.0.1:8080', url],
    ['vt_test_...', testKey],
    ['key_...', await made('keys create --project acme --environment production --mode live')],
    ['tok_4a1f...', await made('tokens create --role viewer --label guides')],
    ['/mnt/backup', join(folder, 'backup')],
    ['/var/lib/vitae', join(folder, 'restored')],
    ['/root/vitae-secret-key', join(data, 'secret-key')],
  ]
  reader = (script) => places.reduce((text, [written, here]) => text.replaceAll(written, here), script)
})
afterAll(async () => {
  await service.stop('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

/** The guide to a new provider changes the checkout, so that it is followed in a copy, by a test of its own. */
const here = guides.filter((guide) => !guide.endsWith('/adding-a-provider.md'))
const withCommands = here.filter((guide) => scriptOf(readBlocks(guide)).includes('\n'))

describe('the commands of the guides', { timeout: 300_000 }, () => {
  test('are in blocks that name their language, so that none is missed', () => {
    const languages = ['sh', 'ts', 'python', 'ini', 'text', 'json']
    const unnamed = guides.flatMap((guide) =>
      readBlocks(guide)
        .filter(({ language }) => !languages.includes(language))
        .map(({ line }) => `${guide}:${line}`),
    )

    expect(unnamed).toEqual([])
    expect(withCommands.length).toBeGreaterThanOrEqual(5)
  })

  test.each(withCommands)('run as they stand in %s, in order', async (guide) => {
    const script = reader(scriptOf(readBlocks(guide)))

    expect(await runScript(script, { cwd: folder, env })).not.toBe('')
  })

  test('settings that they show are understood', () => {
    const settings = here.flatMap((guide) => readBlocks(guide).filter(({ language }) => language === 'ini'))

    expect(settings.length).toBeGreaterThan(0)
    for (const { text } of settings)
      expect(() => readConfig({ VITAE_DATA_DIR: data, ...parseEnv(text) }), text).not.toThrow()
  })
})

const pages = [...guides, 'SECURITY.md', 'CONTRIBUTING.md', 'deploy/README.md']

/** What is wrong with a command in running text: a word that is no command, or an option that it does not have. */
function mistakesIn(line: string): string[] {
  const words = line.split(/\s+/)
  let command = buildProgram()
  const known = new Set(['--help', '--version', ...command.options.map(({ long }) => long)])
  for (const word of words) {
    if (command.commands.length === 0 || !/^[a-z]/.test(word)) break
    const [name = '', ...others] = word.split('|')
    const missing = [name, ...others].filter((one) => !command.commands.some((inner) => inner.name() === one))
    if (missing.length > 0) return [`vitae ${line}: there is no ${missing.join(', ')}`]
    command = command.commands.find((inner) => inner.name() === name) ?? command
  }
  for (const { long } of command.options) known.add(long)
  const options = words.flatMap((word) => /^--[a-z-]+/.exec(word)?.[0] ?? [])
  return options.filter((option) => !known.has(option)).map((option) => `vitae ${line}: there is no ${option}`)
}

test.each(pages)('commands in the text of %s exist, with their options', (page) => {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
  const commands = [...text.matchAll(/`(?:npx )?vitae ([a-z][^`]*)`/g)].map((match) => match[1] ?? '')

  expect(commands.flatMap((line) => mistakesIn(line.replaceAll('\n', ' ').replaceAll(String.raw`\|`, '|')))).toEqual([])
})

test('a block inside a list, one that is not run and a wrong command are read as such', () => {
  const [inList, left] = blocksOf('1. x\n\n   ```sh\n   a\n     b\n   ```\n\n<!-- not run: why -->\n```sh\nc\n```\n')

  expect(inList).toMatchObject({ text: 'a\n  b\n', line: 3, notRun: null })
  expect(left).toMatchObject({ text: 'c\n', notRun: 'why' })
  expect(mistakesIn('keys make --project x')).toEqual(['vitae keys make --project x: there is no make'])
  expect(mistakesIn('keys list --colour')).toEqual(['vitae keys list --colour: there is no --colour'])
})
