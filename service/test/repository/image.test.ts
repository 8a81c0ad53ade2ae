import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const tools = ['buildah', 'mmdebstrap', 'unshare', 'nsenter', 'ip']
const missing = tools.filter((tool) => spawnSync('which', [tool]).status !== 0)
const obstacle = !process.env['VITAE_TEST_LONG']
  ? 'it takes minutes: VITAE_TEST_LONG=1 runs it'
  : process.getuid?.() !== 0
    ? 'it needs root'
    : missing.length > 0
      ? `these are missing: ${missing.join(', ')}`
      : null
if (obstacle) console.warn(`NOT RUN: the build and start of the image, because ${obstacle}`)

/**
 * The Dockerfile's base image cannot be pulled everywhere, so a similar one is built from Debian's packages and this
 * Node.
 */
const baseFile = `FROM scratch
ADD base.tar /
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && \\
  groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node
`
const base = 'docker.io/library/node:26-bookworm-slim'

interface Inspected {
  Docker: {
    config: { User: string; Entrypoint: string[]; Cmd: string[]; Volumes: object; Healthcheck: { Test: string[] } }
  }
}

describe.skipIf(obstacle !== null)('the image', { timeout: 1_800_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-image-'))
  // Works in most sandboxes, without overlay mounts and without a container runtime.
  const env = { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' }
  const place = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]

  function run(command: string, args: readonly string[]): string {
    const ran = spawnSync(command, args, { cwd: root, env, encoding: 'utf8', maxBuffer: 1e8 })
    if (ran.status !== 0)
      throw new Error(`${command} ${args.join(' ')}\n${ran.stdout.slice(-2_000)}${ran.stderr.slice(-4_000)}`)
    return ran.stdout.trim()
  }
  const buildah = (command: string, ...args: string[]) => run('buildah', [...place, command, ...args])

  beforeAll(() => {
    buildBase()
    // Only the package source reaches the build, and nothing of it the image.
    const npmrc = join(folder, 'npmrc')
    const authority = process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt'
    writeFileSync(npmrc, `registry=${run('npm', ['config', 'get', 'registry'])}\ncafile=/root/ca.crt\n`)
    const mounts = ['-v', `${npmrc}:/root/.npmrc:ro`, '-v', `${authority}:/root/ca.crt:ro`]
    const options = ['--format', 'docker', '--pull-never', '--layers=false', ...mounts]
    buildah('build', ...options, '-t', 'vitae', '-f', 'deploy/Dockerfile', '.')
  }, 1_500_000)

  function buildBase(): void {
    const context = join(folder, 'base')
    mkdirSync(context)
    const packages = '--include=ca-certificates,passwd,libstdc++6'
    run('mmdebstrap', ['--quiet', '--variant=essential', packages, 'bookworm', join(context, 'base.tar')])
    copyFileSync(process.execPath, join(context, 'node'))
    cpSync(join(run('npm', ['root', '-g']), 'npm'), join(context, 'npm'), { recursive: true })
    writeFileSync(join(context, 'Dockerfile'), baseFile)
    buildah('build', '--format', 'docker', '--quiet', '-t', base, context)
  }

  afterAll(() => {
    spawnSync('buildah', [...place, 'rm', '--all'], { env })
    rmSync(folder, { recursive: true, force: true })
  })

  test('it starts node without root, on a volume', () => {
    const { config } = (JSON.parse(buildah('inspect', '--type', 'image', 'vitae')) as Inspected).Docker

    expect(config).toMatchObject({ User: 'node', Cmd: ['serve'], Volumes: { '/data': {} } })
    expect(config.Entrypoint[0]).toBe('node')
  })

  test('it contains no tests, no development tools, and no build secrets', () => {
    const container = buildah('from', '--pull-never', 'vitae')
    const files = join(buildah('mount', container), '/')

    expect(existsSync(join(files, 'app/service/src/main.ts'))).toBe(true)
    for (const path of ['app/service/test', 'app/node_modules/vitest', 'app/.git', 'app/.env'])
      expect([path, existsSync(join(files, path))]).toEqual([path, false])
    // Mounts of the build leave empty files.
    for (const path of ['root/ca.crt', 'root/.npmrc'])
      expect([path, statSync(join(files, path), { throwIfNoEntry: false })?.size ?? 0]).toEqual([path, 0])
  })

  test('it serves as its user, its health check passes, and it stops cleanly', async () => {
    const { config } = (JSON.parse(buildah('inspect', '--type', 'image', 'vitae')) as Inspected).Docker
    const container = buildah('from', '--pull-never', 'vitae')
    const started = [...config.Entrypoint, ...config.Cmd].map((part) => `'${part}'`).join(' ')
    // In a separate network, where port 8080 is free.
    const script = `ip link set lo up && exec buildah ${place.join(' ')} run ${container} -- ${started}`
    const child = spawn('unshare', ['--net', '--', 'sh', '-c', script], { env })
    const ended = once(child, 'exit')
    try {
      await said(child, /listening|8080/)
      const inside = (...command: string[]) =>
        spawnSync('nsenter', ['--target', String(child.pid), '--net', '--', ...command], { encoding: 'utf8' })
      const [, , ...check] = config.Healthcheck.Test
      const healthy = inside('env', 'PORT=8080', process.execPath, ...check)
      const ready = inside(
        process.execPath,
        '-e',
        "fetch('http://127.0.0.1:8080/readyz').then(async (r) => console.log(r.status))",
      )
      const served = servingProcess(child.pid ?? 0)

      expect(healthy.status).toBe(0)
      expect(ready.stdout.trim()).toBe('200')
      expect(served.uid).toBe(1000)
      process.kill(served.pid, 'SIGTERM')
      expect((await ended)[0]).toBe(0)
    } finally {
      child.kill('SIGKILL')
    }
  })
})

/** Resolves when the output of a process matches. */
async function said(child: ChildProcess, pattern: RegExp): Promise<void> {
  let text = ''
  await new Promise<void>((resolve, reject) => {
    const hear = (part: Buffer) => {
      text += part.toString()
      if (pattern.test(text)) resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.on('exit', (code) => reject(new Error(`it ended with ${code}: ${text.slice(-2_000)}`)))
  })
}

/** The service among the descendants of a process. */
function servingProcess(ancestor: number): { pid: number; uid: number } {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid=,uid=,args='], { encoding: 'utf8' })
  const rows = stdout.split('\n').flatMap((line) => {
    const [, pid, ppid, uid, args] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return args === undefined ? [] : [{ pid: Number(pid), parent: Number(ppid), uid: Number(uid), args }]
  })
  const isBelow = (pid: number): boolean =>
    pid === ancestor || rows.some((row) => row.pid === pid && row.parent > 0 && isBelow(row.parent))
  const own = rows.filter(
    ({ pid, args }) => /^\S*node /.test(args) && args.includes('cli/bin/vitae.js') && isBelow(pid),
  )
  const [served] = own.filter(({ pid }) => !own.some(({ parent }) => parent === pid))
  if (!served) throw new Error('the service is not running')
  return served
}
