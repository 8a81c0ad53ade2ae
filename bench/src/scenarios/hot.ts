import type { Bench } from '../bench.ts'
import { account } from '../stores/made-store.ts'
import { benchSlug } from '../stores/bench-slug.ts'
import type { Contestant } from '../contestants/contestant.ts'
import { startExpress } from '../contestants/express.ts'
import { startNginx } from '../contestants/nginx.ts'
import { startReadyBytes } from '../contestants/ready-bytes.ts'
import { takeSample, type SampleAnswer } from '../contestants/sample-answer.ts'
import { adminToken, startVitae } from '../contestants/vitae.ts'
import { cpu, p99, race, rps, type Race } from '../race.ts'
import type { Findings } from '../report/result.ts'
import { withAll } from './with-all.ts'
import { atLeast, atMost, atMostMicroseconds, type Scenario } from './scenario.ts'

const records = 100

/** Store hits from a hot cache, like most calls of a running service. */
export const hot: Scenario = {
  name: 'hot',
  title: 'Store hit, hot cache: 64 connections, 100 records of 11 KB',
  run: (bench) => withAll((start) => compete(bench, start)),
}

type Start = <C extends Contestant | null>(contestant: Promise<C>) => Promise<C>

async function compete(bench: Bench, start: Start): Promise<Findings> {
  const { cores, folder, say } = bench
  const wanted = (name: string) => bench.options.contestants.length === 0 || bench.options.contestants.includes(name)
  const store = await bench.stores.embedded(records, { name: 'hot' })
  const live = await start(startVitae({ name: 'vitae-live', store, cores: cores.server }))
  const key = live.keys[0] ?? ''
  const sample = await takeSample(live.url, key, benchSlug(0))
  const bare = await start(startReadyBytes({ cores: cores.server, folder, sample, key }))
  const raw = await start(startReadyBytes({ program: 'raw-socket', cores: cores.server, folder, sample, key }))
  const others = [
    wanted('vitae-book') ? await start(startWithBook(bench)) : null,
    wanted('vitae-limits') ? await start(startWithLimits(bench)) : null,
    ...(wanted('vitae-test') ? await startTestKeys(bench, start) : []),
    wanted('vitae-scale-out') ? await start(startScaleOut(bench)) : null,
    wanted('nginx') ? await start(startNginx({ cores: cores.server, folder, key, origin: bare.url, say })) : null,
    wanted('express-pg-redis') ? await start(startPeer(bench, sample, key)) : null,
  ]
  const contestants = [live, bare, raw, ...others].filter((one) => one !== null)
  const runners = contestants.map((contestant) => ({ name: contestant.name, contestant, ids: records }))
  return judged(await race(bench, runners))
}

function judged({ rows, ratio, above, billing, notes }: Race): Findings {
  const liveAboveRaw = above('vitae-live', 'raw-socket', cpu)
  const toBare = ratio('vitae-live', 'node-http')
  const toNginx = ratio('vitae-live', 'nginx')
  const toExpress = ratio('vitae-live', 'express-pg-redis')
  const p99ToBare = ratio('vitae-live', 'node-http', p99)
  const scaleOutToLive = ratio('vitae-scale-out', 'vitae-live', cpu)
  const bookToLive = ratio('vitae-book', 'vitae-live', cpu)
  const limitsToLive = ratio('vitae-limits', 'vitae-live', cpu)
  const testToBare = ratio('vitae-test', 'node-http, test bytes')
  return {
    rows,
    ratios: [
      ...toBare,
      ...p99ToBare,
      ...testToBare,
      ...bookToLive,
      ...limitsToLive,
      ...ratio('vitae-scale-out', 'node-http'),
      ...scaleOutToLive,
      ...toNginx,
      ...toExpress,
    ],
    billing,
    notes,
    shown: rps,
    verdicts: [
      ...atMostMicroseconds('CPU of a live call above that of a raw socket', 40, liveAboveRaw),
      ...atLeast('live key, durable billing, against bare node:http', 0.65, toBare),
      ...atLeast('live key, durable billing, against nginx without billing', 0.33, toNginx),
      ...atLeast('live key, durable billing, against Express + pg + Redis', 20, toExpress),
      ...atMost('p99 at 64 connections, against bare node:http', 2, p99ToBare),
      ...atMost('PostgreSQL and Redis, CPU per call, against the embedded store', 2, scaleOutToLive),
      ...atMost('a price book of 200 lines, CPU per call, against the default book', 1.02, bookToLive),
      ...atMost('two ceilings and a budget, CPU per call, against none', 1.15, limitsToLive),
      ...atLeast('test key, against bare node:http', 0.85, testToBare),
    ],
  }
}

/**
 * The same calls at the same price, which here is the last of 200 price lines. The earlier lines name this project or
 * others, and one part has a price.
 */
async function startWithBook({ cores, stores }: Bench): Promise<Contestant> {
  const store = await stores.embedded(records, { name: 'price-book' })
  const vitae = await startVitae({ name: 'vitae-book', store, cores: cores.server })
  const line = (number: number) => {
    return { project: number % 2 ? account.project : `other-${number}`, source: 'stale_fallback', credits: number }
  }
  const lines = [...Array.from({ length: 199 }, (_, number) => line(number)), { credits: 1 }]
  await post(vitae, '/prices', { lines, parts: [{ part: 'contact', credits: 3 }] })
  return vitae
}

/** A key with ceilings of a day and of a month, in an environment with a budget. None of them is ever reached. */
async function startWithLimits({ cores, stores }: Bench): Promise<Contestant> {
  const store = await stores.embedded(records, { name: 'limits' })
  const vitae = await startVitae({ name: 'vitae-limits', store, cores: cores.server })
  const enough = 1_000_000_000
  const made = await post(vitae, '/keys', { ...account, mode: 'live', ceiling: enough, daily_ceiling: enough })
  await post(vitae, '/credits/budgets', { ...account, monthly: enough })
  return { ...vitae, keys: [String(made['key'])] }
}

async function post({ url, name }: Contestant, path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/admin/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${name}: ${path} was refused: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

/** Sample records have other bytes than stored ones, so they need their own bare server for comparison. */
async function startTestKeys({ cores, stores, folder }: Bench, start: Start): Promise<Contestant[]> {
  const store = await stores.embedded(1, { name: 'test-keys' })
  const vitae = await start(startVitae({ name: 'vitae-test', store, cores: cores.server, mode: 'test' }))
  const sample = await takeSample(vitae.url, store.testKey, benchSlug(0))
  const options = { name: 'node-http, test bytes', cores: cores.server, folder, sample, key: store.testKey }
  return [vitae, await start(startReadyBytes(options))]
}

async function startScaleOut({ cores, stores, engines }: Bench): Promise<Contestant | null> {
  const started = await engines()
  if (!started) return null
  const store = await stores.scaleOut(records, started)
  const env = { DATABASE_URL: started.vitaeUrl, REDIS_URL: started.redisUrl }
  return startVitae({ name: 'vitae-scale-out', store, cores: cores.server, env, pids: [started.pid] })
}

async function startPeer(
  { cores, engines, say }: Bench,
  sample: SampleAnswer,
  key: string,
): Promise<Contestant | null> {
  const started = await engines()
  if (!started) return null
  const bodyOf = (slug: string) => sample.body.replaceAll(benchSlug(0), slug)
  try {
    return await startExpress({ cores: cores.server, engines: started, key, records, bodyOf })
  } catch (error) {
    say(`!! SKIPPED: express-pg-redis did not start. ${String(error)}`)
    return null
  }
}
