import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findBundle } from '../bin/bundle.js'

const run = promisify(execFile)
const repository = join(import.meta.dirname, '../..')
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitae-bundle-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the choice of the code to run', () => {
  test('is the bundle while every source file is unchanged', async () => {
    makeCheckout()

    expect(await whatRuns()).toBe('bundle')
  })

  test('is the sources once a source is changed or removed', async () => {
    makeCheckout()
    write('service/src/part.ts', 'changed')
    expect(await whatRuns()).toBe('sources')

    rmSync(join(folder, 'service/src/part.ts'))
    expect(await whatRuns()).toBe('sources')
  })

  test('detects text that moves from one source to the next', async () => {
    makeCheckout()
    write('service/src/part.ts', 'part')
    write('service/src/second.ts', 'one two')

    expect(await whatRuns()).toBe('sources')
  })

  test('skips files with unchanged times, and reads a changed one even if its size is the same', async () => {
    makeCheckout('a digest of other contents')
    expect(await whatRuns()).toBe('bundle')

    write('service/src/part.ts', 'PART ONE ')
    expect(await whatRuns()).toBe('sources')
  })

  test('is never an unfinished bundle', async () => {
    makeCheckout()
    rmSync(join(folder, 'dist/made-from.json'))

    expect(await whatRuns()).toBe('sources')
  })

  /** A small checkout whose bundle and sources print which of them runs. */
  function makeCheckout(digest?: string): void {
    cpSync(join(repository, 'cli/bin'), join(folder, 'cli/bin'), { recursive: true })
    write('package.json', '{ "type": "module" }')
    write('cli/src/main.ts', "export const run = (argv: string[]): void => console.log('sources')")
    write('dist/main.js', "export const run = () => console.log('bundle')")
    const sources = { 'service/src/part.ts': 'part one ', 'service/src/second.ts': 'two' }
    const hash = createHash('sha1')
    for (const [file, text] of Object.entries(sources)) {
      write(file, text)
      hash.update(`\0${file}\0${text}`)
    }
    const files = Object.keys(sources)
    const times = files.map((file) => `${statSync(join(folder, file)).ctimeMs} `).join('')
    const changes = createHash('sha1').update(times).digest('hex')
    const madeFrom = { digest: hash.digest('hex'), ...(digest ? { digest, changes } : {}), files }
    write('dist/made-from.json', JSON.stringify(madeFrom))
  }

  function write(file: string, text: string): void {
    mkdirSync(join(folder, file, '..'), { recursive: true })
    writeFileSync(join(folder, file), text)
  }

  async function whatRuns(): Promise<string> {
    const { stdout } = await run(process.execPath, [join(folder, 'cli/bin/vitae.js')])
    return stdout.trim()
  }
})

describe('a bundle', () => {
  test('serves lookups and the console, and its errors name the lines of the sources', async () => {
    const service = await serveFromBundle()
    try {
      const lookup = await fetch(`${service.url}/v1/people/profile?profile_id=amara-okafor`, {
        headers: { ApiKey: service.liveKey },
      })
      const page = await fetch(`${service.url}/console`)

      expect(lookup.status).toBe(200)
      expect(page.status).toBe(200)
      expect(service.stackOfAnError).toMatch(/at .*cli\/src\/admin\/admin-client\.ts:\d+/)
    } finally {
      await service.stop()
    }
  })

  /** A demo started from a fresh bundle, after a command that fails. */
  async function serveFromBundle() {
    const bundle = findBundle() ? join(repository, 'dist') : join(folder, 'bundle')
    if (!findBundle()) await run(process.execPath, [join(repository, 'scripts/bundle.js'), bundle])
    const program = join(folder, 'program.mjs')
    writeFileSync(
      program,
      `import { nameSourceLines } from ${JSON.stringify(join(repository, 'cli/bin/source-lines.js'))}
      nameSourceLines(${JSON.stringify(pathToFileURL(`${bundle}/`).href)})
      const { run, buildProgram } = await import(${JSON.stringify(join(bundle, 'main.js'))})
      const failing = ['', '', 'config', 'show', '--url', 'http://127.0.0.1:1']
      await buildProgram().parseAsync(failing).catch(({ stack }) => console.log(stack))
      await run(['', '', 'serve', '--demo'])`,
    )
    const env = { PATH: process.env['PATH'], VITAE_DATA_DIR: join(folder, 'data'), PORT: '0', LOG_LEVEL: 'error' }
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    let said = ''
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      said += String(chunk)
      if (said.includes('curl')) break
    }
    return {
      url: /ready at (\S+)/.exec(said)?.[1],
      liveKey: /vt_live_\w+/.exec(said)?.[0] ?? '',
      stackOfAnError: said,
      async stop() {
        child.stdout.resume()
        child.kill()
        await exited
      },
    }
  }
})
