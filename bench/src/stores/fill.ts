/**
 * `npm run fill -- --records 1000000 --calls 1000000 --events 1000000` fills a new store with fictional records, calls
 * and events. It finds the store by the variables of the service (`VITAE_DATA_DIR`, `DATABASE_URL`). Records go through
 * the import and payments through the ledger, so every sum is exact. The keys are in `bench.json` in the data folder.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createApiKey, displayApiKey, hashApiKey } from '../../../service/src/accounts/api-key.ts'
import { readConfig } from '../../../service/src/config/config.ts'
import { systemClock } from '../../../service/src/foundation/clock.ts'
import { createLog } from '../../../service/src/foundation/log.ts'
import type { Engine } from '../../../service/src/app/deps/engine.ts'
import { sumFinishedDays } from '../../../service/src/lifecycle/retention/sum-days.ts'
import { openEngine } from '../../../service/src/app/open-engine.ts'
import { fillCalls } from './fill-calls.ts'
import { fillEvents } from './fill-events.ts'
import { fillRecords } from './fill-records.ts'
import { account, madeFile, type MadeStore, type Payer } from './made-store.ts'

const credits = 1_000_000_000
const noSettings = {
  label: null,
  ceiling: null,
  daily_ceiling: null,
  rate_limit: null,
  rate_window_ms: null,
  endpoints: null,
  parts: null,
  networks: null,
  expires_at: null,
}

const sizes = { records: '1000000', calls: '1000000', events: '1000000', days: '90', environments: '4', keys: '1' }
type Sizes = Record<keyof typeof sizes, number>

async function fill(size: Sizes): Promise<void> {
  const config = readConfig()
  const log = createLog('error', false, 2)
  const onFatal = (error: Error) => {
    throw error
  }
  const opening = { config, log, clock: systemClock, onFatal }
  const engine = await openEngine(opening)
  const at = systemClock.now()
  if ((await engine.store.projects.listProjects({ project: null, at })).length > 0)
    throw new Error(`${config.dataDir} holds a store that is in use: fill a new one`)
  await fillRecords(engine, size.records, tell('records'))
  const liveKeys: string[] = []
  const payers: Payer[] = []
  for (let index = 1; index < size.keys + size.environments; index++) {
    const environment = index <= size.keys ? account.environment : `environment-${index - size.keys + 1}`
    const { key, payer } = await makeKey(engine, environment, 'live')
    if (index <= size.keys) liveKeys.push(key)
    payers.push(payer)
  }
  const { key: testKey } = await makeKey(engine, account.environment, 'test')
  for (const environment of new Set(payers.map((payer) => payer.environment)))
    await engine.store.grants.grantCredits({
      ...account,
      environment,
      amount: credits,
      reason: 'fill',
      actor: 'fill',
      at,
    })
  const span = { since: at - size.days * 86_400_000, until: at }
  await fillCalls(engine.store, { ...span, calls: size.calls, records: size.records, payers }, tell('calls'))
  await engine.close()
  await fillEvents({ config, storePath: engine.folder.storePath }, { ...span, ...size, payers }, tell('events'))
  // Sums finished days, as a running service does.
  const filled = await openEngine(opening)
  await sumFinishedDays({ store: filled.store, clock: systemClock })
  await filled.close()
  const made: MadeStore = { records: size.records, madeAt: at, liveKeys, testKey }
  writeFileSync(join(config.dataDir, madeFile), JSON.stringify(made))
}

const tellEvery = 50_000

function tell(what: string): (done: number, all: number) => void {
  let next = tellEvery
  return (done, all) => {
    if (done < next) return
    next = done + tellEvery
    process.stdout.write(`${what}: ${done} of ${all}\n`)
  }
}

async function makeKey({ store }: Engine, environment: string, mode: 'live' | 'test') {
  const key = createApiKey(mode)
  const { project } = account
  const shown = { hash: hashApiKey(key), display: displayApiKey(key) }
  const at = systemClock.now()
  const { id: keyId } = await store.keys.createKey({
    project,
    environment,
    ...shown,
    mode,
    settings: noSettings,
    actor: 'fill',
    at,
  })
  const { environmentId } = await store.keys.payerOfKey({ id: keyId })
  const payer: Payer = { environment, keyId, environmentId }
  return { key, payer }
}

const help = `npm run fill -- [options]

Fills an empty folder or database with fictional records, calls and events, to try reports, erasures and backups at that size.

${Object.entries(sizes)
  .map(([name, value]) => `  --${name.padEnd(13)} number of ${name} (${value})`)
  .join('\n')}

Target: VITAE_DATA_DIR or DATABASE_URL. The keys are written to bench.json in the data folder.
Example: VITAE_DATA_DIR=/tmp/large npm run fill -- --records 100000 --calls 1000000 --keys 5000`

if (import.meta.main) {
  const options = Object.fromEntries(
    Object.entries(sizes).map(([name, value]) => [name, { type: 'string' as const, default: value }]),
  )
  if (process.argv.includes('--help')) {
    console.log(help)
    process.exit()
  }
  const { values } = parseArgs({ options })
  const given = Object.fromEntries(Object.keys(sizes).map((name) => [name, Number(values[name])])) as Sizes
  const wrong = Object.entries(given).find(([, size]) => !Number.isSafeInteger(size) || size < 0)
  if (wrong) throw new Error(`--${wrong[0]} must be a whole number`)
  await fill(given)
}
