import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import startFlags from '../../cli/bin/start-flags.json' with { type: 'json' }
import { startFakeProvider } from '../../service/fake-provider/start-fake-provider.ts'
import { auditWords } from '../audit-ledger.ts'
import { startService, type RunningService } from './service.ts'

const usage = `node scripts/reliability/soak.ts [--minutes 10] [--clients 32] [--people 20000] [--json]

Runs a service in its own process under mixed calls (hot and stored people, misses, test keys, wrong keys,
retries) and records its memory every ten seconds. It fails if memory still grows after the first third, if a
response is neither 2xx nor 4xx, or if the ledger does not add up at the end. Runs under four minutes do not check memory.
--json prints one line of figures at the end, and progress to stderr.`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    clients: { type: 'string', default: '32' },
    people: { type: 'string', default: '20000' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const credits = 1_000_000_000
const everyS = 10
/** A younger process still grows to its normal size. */
const grownUpMs = 240_000
const failures: string[] = []

interface Soaked {
  statuses: Map<number, number>
  charged: number
  memory: number[]
}

if (values.help) console.log(usage)
else await soak(Number(values.minutes) * 60_000, Number(values.clients), Number(values.people))

async function soak(durationMs: number, clients: number, people: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-soak-'))
  const provider = await startFakeProvider({ provider: 'mirror', generate: true, logLimit: 1 })
  const mirror = { VITAE_UPSTREAM: 'mirror', VITAE_MIRROR_URL: provider.url, VITAE_MIRROR_KEY: provider.key }
  // With the settings that operators use.
  const env = { VITAE_CACHE_MB: '32', MALLOC_ARENA_MAX: '1', ...mirror }
  const service = await startService(folder, env, startFlags)
  try {
    const [live, test] = await Promise.all([service.makeKey('live'), service.makeKey('test')])
    await service.grant(credits)
    const soaked = await load({ service, live, test, until: performance.now() + durationMs, clients, people })
    await check(service, soaked, durationMs, await auditWords(join(folder, 'vitae.db')))
  } finally {
    await service.end()
    await provider.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function load(plan: {
  service: RunningService
  live: string
  test: string
  until: number
  clients: number
  people: number
}): Promise<Soaked> {
  const soaked: Soaked = { statuses: new Map(), charged: 0, memory: [] }
  let stopped = false
  process.once('SIGTERM', () => (stopped = true))
  const isOver = () => stopped || performance.now() >= plan.until
  const client = async () => {
    while (!isOver()) {
      const response = await fetch(`${plan.service.url}${someTarget(plan.people)}`, { headers: someHeaders(plan) })
      await response.arrayBuffer()
      soaked.statuses.set(response.status, (soaked.statuses.get(response.status) ?? 0) + 1)
      soaked.charged += Number(response.headers.get('x-credits-charged') ?? 0)
    }
  }
  const watch = async () => {
    while (!isOver()) {
      const megabytes = await plan.service.residentMegabytes()
      soaked.memory.push(megabytes)
      const calls = [...soaked.statuses.values()].reduce((sum, count) => sum + count, 0)
      say(`${Math.round((plan.until - performance.now()) / 1_000)} s left: ${megabytes} MB, ${calls} calls`)
      for (let second = 0; second < everyS && !isOver(); second++) await pause(1_000)
    }
  }
  await Promise.all([...Array.from({ length: plan.clients }, client), watch()])
  return soaked
}

/** Requests a few people often, most of them rarely, and some with invalid names. */
function someTarget(people: number): string {
  const dice = Math.random()
  if (dice < 0.02) return '/v1/people/profile?profile_id=%20%20'
  const id = dice < 0.6 ? Math.floor(Math.random() * 50) : Math.floor(Math.random() * people)
  const bypass = dice > 0.98 ? '&bypass_cache=true' : ''
  return dice < 0.8
    ? `/v1/people/profile?profile_id=soaked-${id}${bypass}`
    : `/v1/companies/details?company_id=soaked-${id}${bypass}`
}

function someHeaders({ live, test }: { live: string; test: string }): Record<string, string> {
  const dice = Math.random()
  if (dice < 0.05) return { ApiKey: `vt_live_${Math.random()}` }
  if (dice < 0.15) return { ApiKey: test }
  if (dice < 0.25) return { ApiKey: live, 'Idempotency-Key': `soak-${Math.random()}` }
  return { ApiKey: live }
}

async function check(
  service: RunningService,
  { statuses, charged, memory }: Soaked,
  durationMs: number,
  findings: readonly string[],
): Promise<void> {
  for (const finding of findings) fail(finding)
  const rest = memory.slice(Math.floor(memory.length / 3))
  const [early, late] = [rest.slice(0, Math.ceil(rest.length / 2)), rest.slice(Math.floor(rest.length / 2))]
  const growth = Math.max(...late) - Math.max(...early)
  const spent = credits - (await service.balance())
  const calls = [...statuses.values()].reduce((sum, count) => sum + count, 0)
  const wrong = [...statuses.keys()].filter((status) => status >= 500)
  if (wrong.length > 0) fail(`there were answers with ${wrong.join()}`)
  if (spent !== charged) fail(`the ledger says ${spent}, the answers ${charged}`)
  if (durationMs >= grownUpMs && growth > Math.max(30, Math.max(...early) * 0.1))
    fail(`memory grew by ${growth} MB after the first third`)
  const figures = { calls, statuses: Object.fromEntries(statuses), charged, spent, growth, failures }
  const range = { least: Math.min(...rest), most: Math.max(...rest) }
  console.log(values.json ? JSON.stringify({ ...figures, memory: range }) : { ...figures, memory: range })
}

function say(line: string): void {
  if (values.json) console.error(line)
  else console.log(line)
}

function fail(why: string): void {
  failures.push(why)
  console.error(`FAILED: ${why}`)
  process.exitCode = 1
}
