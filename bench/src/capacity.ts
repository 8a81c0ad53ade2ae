/**
 * The cost of a call and of a stored record on both engines, in CPU time and bytes. These figures also hold on a busy
 * machine. `node bench/src/capacity.ts --records 20000 --calls 5000` prints JSON. The capacity page
 * (docs/guides/scaling.md) is computed from them.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startEngines, type Engines } from './contestants/engines.ts'
import { startVitae } from './contestants/vitae.ts'
import { sendAll } from './load/own-load.ts'
import { cpuSeconds } from './process/process-cost.ts'
import { Stores, type Store } from './stores/stores.ts'

interface Cost {
  engine: 'embedded' | 'scale-out'
  records: number
  bytesPerRecord: number
  /** Microseconds of CPU per answered call: in total, and the share of PostgreSQL and Redis. */
  hot: { totalUs: number; enginesUs: number }
  cold: { totalUs: number; enginesUs: number }
}

const connections = 64

const { values } = parseArgs({
  options: { records: { type: 'string', default: '20000' }, calls: { type: 'string', default: '5000' } },
})
const records = Number(values.records)
const calls = Number(values.calls)
const folder = mkdtempSync(join(tmpdir(), 'vitae-capacity-'))
const stores = new Stores(folder, null, (text) => console.error(text))
const engines = await startEngines(null, folder, (text) => console.error(text))
try {
  const costs = [await embeddedCost(), ...(engines ? [await scaleOutCost(engines)] : [])]
  console.log(JSON.stringify(costs, null, 2))
} finally {
  await engines?.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function embeddedCost(): Promise<Cost> {
  const store = await stores.embedded(records)
  const bytes = readdirSync(store.dataDir)
    .filter((name) => name.startsWith('vitae.db'))
    .reduce((sum, name) => sum + statSync(join(store.dataDir, name)).size, 0)
  return { engine: 'embedded', records, bytesPerRecord: Math.round(bytes / records), ...(await costs(store, {}, null)) }
}

async function scaleOutCost({ vitaeUrl, redisUrl, pid }: Engines): Promise<Cost> {
  const empty = await databaseBytes(vitaeUrl)
  const store = await stores.scaleOut(records, { vitaeUrl, redisUrl })
  const bytesPerRecord = Math.round(((await databaseBytes(vitaeUrl)) - empty) / records)
  const env = { DATABASE_URL: vitaeUrl, REDIS_URL: redisUrl }
  return { engine: 'scale-out', records, bytesPerRecord, ...(await costs(store, env, pid)) }
}

/** Hot: a hundred records, all in memory. Cold: each record once, with almost no cache. */
async function costs(
  store: Store,
  env: Record<string, string>,
  enginePid: number | null,
): Promise<Pick<Cost, 'hot' | 'cold'>> {
  const hot = await cost(store, { ...env, VITAE_CACHE_MB: '256' }, enginePid, 100)
  const cold = await cost(store, { ...env, VITAE_CACHE_MB: '1' }, enginePid, records)
  return { hot, cold }
}

async function cost(
  store: Store,
  env: Record<string, string>,
  enginePid: number | null,
  ids: number,
): Promise<Cost['hot']> {
  const pids = enginePid === null ? [] : [enginePid]
  const vitae = await startVitae({ name: 'vitae', store, cores: null, env, pids })
  const send = (first: number, requests: number) =>
    sendAll(null, {
      url: vitae.url,
      path: '/v1/people/profile?profile_id=p#',
      headers: { ApiKey: vitae.keys[0] ?? '' },
      connections,
      requests,
      first,
      repeat: Math.max(1, Math.ceil(requests / ids)),
    })
  try {
    // The first thousand calls pay for compilation and fill the cache.
    await send(0, Math.min(1_000, ids * 10))
    const before = [cpuOf(vitae.pids), cpuOf(pids)] as const
    const { statuses } = await send(ids > calls ? records - calls : 0, calls)
    const used = [cpuOf(vitae.pids) - before[0], cpuOf(pids) - before[1]] as const
    if (statuses['200'] !== calls) throw new Error(`not every call was answered: ${JSON.stringify(statuses)}`)
    const perCall = (seconds: number) => Math.round((seconds * 1e6) / calls)
    return { totalUs: perCall(used[0]), enginesUs: perCall(used[1]) }
  } finally {
    await vitae.stop()
  }
}

function cpuOf(pids: readonly number[]): number {
  return pids.length === 0 ? 0 : (cpuSeconds(pids) ?? NaN)
}

async function databaseBytes(url: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('checkpoint')
  const { rows } = await client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes')
  await client.end()
  return Number(rows[0]?.bytes)
}
