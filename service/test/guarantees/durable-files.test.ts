import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ChildService, serve, serveDemo, type Program } from '../harness/child-service.ts'

const hasTracer = !spawnSync('strace', ['--version']).error
if (!hasTracer) console.warn('NOT RUN: the order of writes to the disk, because there is no strace on this machine.')

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-durable-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a service that is stopped with its test. */
function start(program: Program, env: Record<string, string>, wrapper: readonly string[] = []): ChildService {
  const service = new ChildService(program, env, wrapper)
  onTestFinished(async () => void (await service.stop('SIGKILL')))
  return service
}

interface Step {
  call: 'sync' | 'rename'
  path: string
  to?: string
}

/** The syncs and renames of a trace, in order. */
function stepsOf(trace: string): Step[] {
  return trace.split('\n').flatMap((line): Step[] => {
    const synced = /\bf(?:data)?sync\(\d+<([^>]+)>/.exec(line)?.[1]
    if (synced !== undefined) return [{ call: 'sync', path: synced }]
    const [, path, to] = /\brename(?:at2?)?\((?:[^"]*)"([^"]+)",[^"]*"([^"]+)"/.exec(line) ?? []
    return path !== undefined && to !== undefined ? [{ call: 'rename', path, to }] : []
  })
}

test.skipIf(!hasTracer)(
  'secrets and demo keys are synced before their rename, and the rename before the service is ready',
  async () => {
    const folder = ownFolder()
    const file = join(ownFolder(), 'trace')
    // The tracer runs separately, so that the signalled process is the service.
    const calls = 'trace=fsync,fdatasync,rename,renameat,renameat2'
    const tracer = ['strace', '-D', '-f', '--seccomp-bpf', '-y', '-o', file, '-e', calls]
    const service = start(serveDemo, { VITAE_DATA_DIR: folder }, tracer)
    await service.url
    await service.stop('SIGTERM')

    const steps = stepsOf(readFileSync(file, 'utf8'))

    for (const name of ['secret-key', 'admin-token', 'demo-keys.json']) {
      const renamed = steps.findIndex(({ call, to }) => call === 'rename' && basename(to ?? '') === name)
      const draft = steps[renamed]?.path ?? ''
      expect(draft, name).not.toBe('')
      expect(steps.slice(0, renamed), name).toContainEqual({ call: 'sync', path: draft })
      expect(steps.slice(renamed), name).toContainEqual({ call: 'sync', path: dirname(draft) })
    }
  },
)

describe('a store with a known secret', () => {
  const used = mkdtempSync(join(tmpdir(), 'vitae-durable-'))
  let secret: string

  const startOn = async (folder: string, env: Record<string, string> = {}) => {
    const service = start(serve, { VITAE_DATA_DIR: folder, LOG_LEVEL: 'info', ...env })
    await service.url
    return (await service.stop('SIGTERM')).code
  }
  const copyOfUsed = () => {
    const folder = ownFolder()
    cpSync(used, folder, { recursive: true })
    return { folder, path: join(folder, 'secret-key') }
  }
  beforeAll(async () => {
    const first = new ChildService(serve, { VITAE_DATA_DIR: used, LOG_LEVEL: 'info' })
    await first.url
    await first.stop('SIGTERM')
    secret = readFileSync(join(used, 'secret-key'), 'utf8')
  })
  afterAll(() => rmSync(used, { recursive: true, force: true }))

  test('does not start with an empty, torn or missing secret: a one-line message says what to do, and no new secret is made', async () => {
    const { folder, path } = copyOfUsed()
    for (const left of ['', secret.slice(0, 20), null]) {
      if (left === null) rmSync(path)
      else writeFileSync(path, left)

      const { code, stderr } = await start(serve, { VITAE_DATA_DIR: folder }).ended

      expect(code).toBe(1)
      expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(/secret-key .*: put the file back from a copy/)])
      expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(left)
    }
    writeFileSync(path, secret)
    expect(await startOn(folder)).toBe(0)
  })

  test('accepts VITAE_SECRET_KEY in place of a lost secret if nobody was erased', async () => {
    const { folder, path } = copyOfUsed()
    writeFileSync(path, '')

    expect(await startOn(folder, { VITAE_SECRET_KEY: 'a-new-secret-of-enough-length' })).toBe(0)
  })
})

test('replaces demo keys that a power cut has torn, without granting credits again', async () => {
  const folder = ownFolder()
  const first = start(serveDemo, { VITAE_DATA_DIR: folder })
  await first.url
  await first.stop('SIGTERM')
  writeFileSync(join(folder, 'demo-keys.json'), '')

  const second = start(serveDemo, { VITAE_DATA_DIR: folder })
  const url = await second.url
  const keys = JSON.parse(readFileSync(join(folder, 'demo-keys.json'), 'utf8')) as { live_key: string }
  const lookup = `${url}/v1/people/profile?profile_id=amara-okafor`
  const answer = await fetch(lookup, { headers: { ApiKey: keys.live_key } })
  await second.stop('SIGTERM')

  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-credits-remaining')).toBe('999')
})
