import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const isLong = Boolean(process.env['VITAE_TEST_LONG'])
if (!isLong) console.warn('NOT RUN: the steps of the workflows, because they take minutes: VITAE_TEST_LONG=1 runs them')

interface Step {
  name?: string
  run?: string
}
type Jobs = Record<string, { steps?: Step[] }>

/** The registries have no runner for workflows, so each script step runs like in a runner: by `bash -e`, in a clone. */
describe.skipIf(!isLong)('the steps of the workflows', { timeout: 900_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-steps-'))
  const clone = join(folder, 'clone')
  const called = join(folder, 'called')
  const version = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version

  beforeAll(() => {
    const cloned = spawnSync('git', ['clone', '--quiet', root, clone], { encoding: 'utf8' })
    if (cloned.status !== 0) throw new Error(cloned.stderr)
    mkdirSync(join(folder, 'bin'))
    // Programs that need an account only record their calls. A publication is a dry run.
    program('cosign', `echo "cosign $*" >> '${called}'; while [ "$1" != --bundle ]; do shift; done; echo '{}' > "$2"`)
    program('gh', `echo "gh $*" >> '${called}'`)
    const npm = spawnSync('which', ['npm'], { encoding: 'utf8' }).stdout.trim()
    program(
      'npm',
      `if [ "$1" = publish ]; then echo "npm $*" >> '${called}'; set -- \${@/--provenance/--dry-run}; fi; exec '${npm}' "$@"`,
    )
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function program(name: string, script: string): void {
    writeFileSync(join(folder, 'bin', name), `#!/bin/bash\n${script}\n`)
    chmodSync(join(folder, 'bin', name), 0o755)
  }

  function runSteps(workflow: string, job: string, change = (script: string) => script, more: NodeJS.ProcessEnv = {}) {
    const jobs = (parse(readFileSync(join(clone, '.github/workflows', workflow), 'utf8')) as { jobs: Jobs }).jobs
    const steps = (jobs[job]?.steps ?? []).filter(({ run, name }) => run && name !== 'What it said')
    expect(steps).not.toEqual([])
    for (const { name, run } of steps) {
      const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, ...more }
      const script = join(folder, 'step.sh')
      writeFileSync(script, change(run ?? ''))
      const ran = spawnSync('bash', ['-e', script], { cwd: clone, env, encoding: 'utf8' })
      const log = join(clone, 'start.log')
      const said = existsSync(log) ? readFileSync(log, 'utf8') : ''
      expect(ran.status, `${name}\n${ran.stdout}${ran.stderr}${said}`).toBe(0)
    }
  }

  test('a release is packed, checksummed, signed, published in order and described', () => {
    const github = { GITHUB_REF_NAME: `v${version}`, GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'a/b' }
    runSteps('release.yml', 'packages', undefined, github)

    const names = ['contract', 'provider', 'client', 'service', 'cli']
    const packed = readdirSync(join(clone, 'release'))
    for (const name of names) expect(packed).toContain(`vitae-${name}-${version}.tgz`)
    const sums = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: join(clone, 'release'), encoding: 'utf8' })
    expect(sums.stdout.trim().split('\n')).toHaveLength(names.length + 1)
    expect(sums.status).toBe(0)
    const calls = readFileSync(called, 'utf8')
    const published = [...calls.matchAll(/^npm publish \.\/release\/vitae-(\w+)-.*--provenance.*$/gm)]
    expect(published.map(([, name]) => name)).toEqual(names)
    expect(calls).toMatch(/^cosign sign-blob .*SHA256SUMS$/m)
    expect(calls).toMatch(/^gh release create v\S+ .*release\/SHA256SUMS /m)
  })

  test('CI starts the service and makes one call with each key', async () => {
    const port = await freePort()
    runSteps('ci.yml', 'start', (script) => script.replaceAll('8080', String(port)), { PORT: String(port) })

    expect(existsSync(join(clone, 'data/demo-keys.json'))).toBe(true)
  })

  test('the hourly proof plays fresh seeds, and a failed seed opens an issue with the command that replays it', () => {
    const plan = { WHAT: 'simulator', ENGINE: 'sqlite', MINUTES: '0.01' }
    runSteps('proof.yml', 'hourly', undefined, plan)
    expect(readFileSync(called, 'utf8')).not.toMatch(/^gh issue/m)

    const planted = (script: string) =>
      script.replace('--issue', `--issue --first 1 --plant 'a replay is billed' || [ $? = 1 ]`)
    runSteps('proof.yml', 'hourly', planted, plan)

    const [, seed] =
      /^gh issue create --title simulator: seed (\d+) fails on sqlite/m.exec(readFileSync(called, 'utf8')) ?? []
    expect(readFileSync(called, 'utf8')).toContain(`npm run simulate -- --seed ${seed} --engine sqlite`)
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}
