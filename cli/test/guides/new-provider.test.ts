import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { makePrograms, readBlocks, root, runScript, scriptOf } from './guide-text.ts'

const run = promisify(execFile)
const blocks = readBlocks('docs/guides/adding-a-provider.md')

/** The checkout without its dependencies, which are linked. */
function copyCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'vitae-provider-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  const parts = [
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
    '.oxfmtrc.json',
    '.env.example',
    'contract',
    'provider',
    'cli',
  ]
  const ofService = [
    'package.json',
    'src',
    'fake-provider',
    'directory',
    'test/providers',
    'test/contract-rules.ts',
    'test/config',
  ]
  const left = /\/(node_modules|dist|build)$/
  for (const part of [...parts, ...ofService.map((path) => join('service', path))])
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: (path) => !left.test(path) })
  mkdirSync(join(copy, 'node_modules/@vitae'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@vitae') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  for (const name of ['contract', 'provider', 'service', 'cli', 'client'])
    symlinkSync(join(name === 'client' ? root : copy, name), join(copy, 'node_modules/@vitae', name))
  return copy
}

/** Does what the guide says with a block of code: a new file, or lines into an object and its imports. */
function follow(copy: string, text: string): string {
  const [, into, path = '', code = ''] = /^\/\/ (into )?(\S+)\n([\s\S]*)$/.exec(text) ?? []
  const file = join(copy, path)
  if (into === undefined) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, code)
  } else {
    const lines = code.trimEnd().split('\n')
    const imports = lines.filter((line) => line.startsWith('import '))
    const entries = lines.filter((line) => !line.startsWith('import '))
    const old = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      `${imports.join('\n')}\n${old.replace(/^export const \w+ = \{$/m, (start) => [start, ...entries].join('\n'))}`,
    )
  }
  return path
}

test(
  'the provider of the guide compiles, is formatted, and answers like all others',
  { timeout: 300_000 },
  async () => {
    const copy = copyCheckout()
    const paths = blocks.filter(({ language }) => language === 'ts').map(({ text }) => follow(copy, text))
    const made = paths.filter((path) => path.includes('acmedata'))
    const checked = { extends: './tsconfig.json', include: [...paths, 'service/test/providers/wire.test.ts'] }
    writeFileSync(join(copy, 'tsconfig.guide.json'), JSON.stringify(checked))

    expect(made.length).toBe(5)
    await run(join(root, 'node_modules/.bin/oxfmt'), ['--check', ...made], { cwd: copy })
    await run(join(root, 'node_modules/.bin/tsc'), ['--noEmit', '-p', 'tsconfig.guide.json'], { cwd: copy })
    const settings = 'npx vitest run --project embedded service/test/config/settings.test.ts -t env.example'
    const said = await runScript(`${scriptOf(blocks)}\n${settings}`, {
      cwd: copy,
      env: { PATH: `${makePrograms(copy, copy)}:${process.env['PATH'] ?? ''}`, HOME: copy },
    })

    expect(said).toContain('"public_identifier": "wren-saltmarsh"')
    expect(said).toMatch(/Tests .*1[5-9] passed/)
  },
)
