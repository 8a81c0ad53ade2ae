import { execFile, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { parse } from 'yaml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../service/src/config/config.ts'
import { buildProgram } from '../../src/main.ts'
import { blocksOf, guides, pages, readBlocks, root, scriptOf } from './guide-text.ts'
import { openReader, type Reader } from './open-reader.ts'

let reader: Reader
beforeAll(async () => {
  reader = await openReader()
})
afterAll(() => reader.close())

/** The guide to a new provider changes the checkout, so a separate test follows it in a copy. */
const here = guides.filter((guide) => !guide.endsWith('/adding-a-provider.md'))
const withCommands = here.filter((guide) => scriptOf(readBlocks(guide)).includes('\n'))

describe('the commands of the guides', () => {
  test('are in blocks with a language, so that none is missed', () => {
    const languages = ['sh', 'ts', 'python', 'ini', 'text', 'json', 'toml', 'yaml']
    const unnamed = guides.flatMap((guide) =>
      readBlocks(guide)
        .filter(({ language }) => !languages.includes(language))
        .map(({ line }) => `${guide}:${line}`),
    )

    expect(unnamed).toEqual([])
    expect(withCommands.length).toBeGreaterThanOrEqual(5)
  })

  test.each(withCommands)('run unchanged in %s, in order', async (guide) => {
    expect(await reader.run(scriptOf(readBlocks(guide)))).not.toBe('')
  })

  test('settings that they show are understood', () => {
    const settings = here.flatMap((guide) => readBlocks(guide).filter(({ language }) => language === 'ini'))

    expect(settings.length).toBeGreaterThan(0)
    for (const { text } of settings)
      expect(() => readConfig({ VITAE_DATA_DIR: reader.data, ...parseEnv(text) }), text).not.toThrow()
  })
})

/** The mistakes of a command in running text: an unknown command or option. */
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
  const commands = [...text.matchAll(/`vitae ([a-z][^`]*)`/g)].map((match) => match[1] ?? '')

  expect(commands.flatMap((line) => mistakesIn(line.replaceAll('\n', ' ').replaceAll(String.raw`\|`, '|')))).toEqual([])
})

describe('one way to call the command', () => {
  const sources = globSync('{cli,service,client,contract,provider,console}/src/**/*.{ts,tsx}', { cwd: root })
  const deployed = globSync('deploy/**/*.*', { cwd: root })
  const text = (file: string) => readFileSync(join(root, file), 'utf8')

  test('no page, message or example fetches the bare name from a registry', () => {
    const warning = /`npx vitae` would run a stranger's package/
    const calls = [...pages, ...sources, ...deployed].filter((file) =>
      /npx['", ]+vitae\b/.test(text(file).replace(warning, '')),
    )

    expect(calls).toEqual([])
  })

  test('every guide that uses it links to the page that explains how to call it', () => {
    const users = guides.filter(
      (guide) => /^ *vitae /m.test(scriptOf(readBlocks(guide))) || /`vitae [a-z]/.test(text(guide)),
    )

    expect(users.length).toBeGreaterThan(8)
    expect(users.filter((guide) => !guide.endsWith('/command.md') && !/\(\S*command\.md/.test(text(guide)))).toEqual([])
  })

  test('that page names the service, the deployment, the image and the program of the deployments', () => {
    const page = text('docs/guides/command.md')
    const { services } = parse(text('deploy/compose.yaml')) as { services: object }
    const [, user] = /^User=(\w+)$/m.exec(text('deploy/vitae.service')) ?? []

    expect(page).toContain(`exec ${Object.keys(services)[0]} vitae'`)
    expect(page).toContain(`sudo -u ${user} env VITAE_DATA_DIR=/var/lib/vitae /opt/vitae/node_modules/.bin/vitae`)
    expect(text('deploy/Dockerfile')).toContain('ln -s /app/cli/bin/vitae.js /usr/local/bin/vitae')
    expect(text('deploy/helm/vitae/templates/deployment.yaml')).toMatch(
      /kind: Deployment\nmetadata:\n {2}name: \{\{ .Release.Name \}\}/,
    )
  })

  test('a link to the program works from anywhere, as in the image', async () => {
    const script =
      'ln -s "$PWD/cli/bin/vitae.js" ../vitae-linked && cd / && "$OLDPWD/../vitae-linked" --version; rm "$OLDPWD/../vitae-linked"'

    expect(await reader.run(script)).toMatch(/^\d+\.\d+\.\d+/)
  })

  test('scripts on pages exist, and need no particular Node in the path', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> }
    const named = pages.flatMap((page) =>
      [...text(page).matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, name = '']) => name),
    )

    expect(named.filter((name) => !(name in scripts))).toEqual([])
    // npm puts the pinned Node first; a bare "node x.ts" would use the reader's own.
    expect(pages.filter((page) => /(?<!npx )\bnode (--\S+ )*\S+\.ts\b/.test(text(page)))).toEqual([])
  })
})

test('TypeScript in the guides compiles under strict', () => {
  const code = here.flatMap((guide) =>
    readBlocks(guide).flatMap(({ language, text, line }) => {
      const inShell = [...text.matchAll(/<<'CODE'\n([\s\S]*?)^CODE$/gm)].map(([, inner = '']) => inner)
      return (language === 'ts' ? [text] : inShell).map((found, index) => ({
        name: `${basename(guide, '.md')}-${line}-${index}.ts`,
        found,
      }))
    }),
  )
  const folder = join(reader.folder, 'examples')
  mkdirSync(folder)
  for (const { name, found } of code) writeFileSync(join(folder, name), found)
  const compilerOptions = {
    ...{
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
    },
    ...{ module: 'nodenext', target: 'es2024', types: ['node'], allowImportingTsExtensions: true },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))

  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false'], {
    encoding: 'utf8',
  })

  expect(code.length).toBeGreaterThan(3)
  expect(stdout).toBe('')
})

test.runIf(process.env['VITAE_TEST_LONG'])('npm run guides runs all pages', { timeout: 1_800_000 }, async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'guides'], {
    cwd: root,
    maxBuffer: 50_000_000,
  })

  expect(stdout).toContain('0 failed')
})

test('a block inside a list, one that is not run and a wrong command are recognised', () => {
  const [inList, left] = blocksOf('1. x\n\n   ```sh\n   a\n     b\n   ```\n\n<!-- not run: why -->\n```sh\nc\n```\n')

  expect(inList).toMatchObject({ text: 'a\n  b\n', line: 3, notRun: null })
  expect(left).toMatchObject({ text: 'c\n', notRun: 'why' })
  expect(mistakesIn('keys make --project x')).toEqual(['vitae keys make --project x: there is no make'])
  expect(mistakesIn('keys list --colour')).toEqual(['vitae keys list --colour: there is no --colour'])
})
