import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Folder } from './enrich/enrich-fixture.ts'
import { program, vitaeProcess } from './vitae.ts'

const patiently = { timeout: 300_000, interval: 50 }

// In the first process it makes the launcher consider its Node too old.
const olderNode = `
if (!process.env.TEST_RELAUNCHED) Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })
process.env.TEST_RELAUNCHED = '1'`

function serve(folder: Folder, flags: readonly string[] = []): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !/^VITAE_|^NODE_OPTIONS$/.test(name))
  const env = { ...Object.fromEntries(inherited), PORT: '0', VITAE_DATA_DIR: folder.at('data') }
  const child = spawn(process.execPath, [...flags, program, 'serve', '--demo'], { cwd: folder.path, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** The URL of the service, once it listens. */
async function running(folder: Folder): Promise<{ url: string; pid: number }> {
  const read = () => JSON.parse(readFileSync(folder.at('data/service.json'), 'utf8')) as { url: string; pid: number }
  return vi.waitFor(read, patiently)
}

test('a service without a reader of its output keeps serving, and ends on a signal', async () => {
  const folder = new Folder()
  const child = serve(folder)
  child.stdout?.destroy()
  child.stderr?.destroy()

  const { url } = await running(folder)
  expect((await fetch(`${url}/v1/people/profile?profile_id=x`)).status).toBe(401)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')

  expect(await ended).toEqual([0, null])
})

test('a command ends with a clear message when the service stops responding', async () => {
  const folder = new Folder()
  const child = serve(folder)
  child.stdout?.resume()
  child.stderr?.resume()
  const { url, pid } = await running(folder)
  const env = { VITAE_DATA_DIR: folder.at('data'), VITAE_UPSTREAM: 'directory' }
  const commands = [
    ['doctor', '--json'],
    ['keys', 'list'],
    ['suppressions', 'add', 'amara-okafor'],
    ['own', 'usage', '--key', 'vt_test_x'],
  ]

  process.kill(pid, 'SIGSTOP')
  const ended = await Promise.all(commands.map((args) => vitaeProcess(args, { env })))
  process.kill(pid, 'SIGCONT')
  const after = await vitaeProcess(['keys', 'list', '--json'], { env })

  for (const { code, stdout, stderr } of ended) {
    expect(code).toBe(1)
    expect(`${stdout}${stderr}`).toMatch(new RegExp(`The service at ${url} has not responded for \\d+ seconds`))
  }
  expect(after.code).toBe(0)
})

test('a service ends with its launcher, even if that is killed', async () => {
  const folder = new Folder()
  const launcher = serve(folder, ['--import', folder.write('older.mjs', olderNode)])
  // The service shares its output, which is closed when both are gone.
  const closed = once(launcher, 'close')
  launcher.stdout?.resume()
  launcher.stderr?.resume()
  const { pid } = await running(folder)
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended, as expected.
    }
  })

  expect(pid).not.toBe(launcher.pid)
  launcher.kill('SIGKILL')
  await closed
  // It has closed properly: only a complete stop removes the file.
  expect(() => readFileSync(folder.at('data/service.json'))).toThrow('ENOENT')
})
