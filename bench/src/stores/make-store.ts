/**
 * Fills a store with fictional records through the store's own import, and makes keys with credits:
 * `node bench/src/stores/make-store.ts --records 1000 --keys 1` in an environment that names the store as for the service.
 * The keys are left in `bench.json` in the data folder.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createApiKey, displayApiKey, hashApiKey } from '../../../service/src/accounts/api-key.ts'
import { readConfig } from '../../../service/src/config/config.ts'
import { systemClock } from '../../../service/src/foundation/clock.ts'
import { createLog } from '../../../service/src/foundation/log.ts'
import type { Engine } from '../../../service/src/app/engine.ts'
import { openEngine } from '../../../service/src/app/open-engine.ts'
import { foldText } from '../../../service/src/foundation/fold-text.ts'
import { suppressionHashes } from '../../../service/src/records/suppression/suppression-hash.ts'
import { personIdentity } from '@vitae/provider'
import { benchRecord } from './bench-person.ts'
import { account, madeFile, type MadeStore } from './made-store.ts'

const atOnce = 500
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

async function makeStore(records: number, keys: number): Promise<void> {
  const config = readConfig()
  const log = createLog('error', false, 2)
  const onFatal = (error: Error) => {
    throw error
  }
  const engine = await openEngine({ config, log, clock: systemClock, onFatal })
  for (let first = 0; first < records; first += atOnce) {
    await importRange(engine, first, Math.min(records, first + atOnce))
  }
  const liveKeys: string[] = []
  for (let index = 0; index < keys; index++) liveKeys.push(await makeKey(engine, 'live'))
  const testKey = await makeKey(engine, 'test')
  const at = systemClock.now()
  await engine.store.grantCredits({ ...account, amount: credits, reason: 'bench', actor: 'bench', at })
  await engine.close()
  const made: MadeStore = { records, madeAt: at, liveKeys, testKey }
  writeFileSync(join(config.dataDir, madeFile), JSON.stringify(made))
}

async function importRange({ store, secret }: Engine, from: number, to: number): Promise<void> {
  const items = Array.from({ length: to - from }, (_, offset) => {
    const { slug, body, parts, name, memberNumber, opaqueId } = benchRecord(from + offset)
    const identity = personIdentity({ slug, memberNumber, opaqueId })
    return {
      kind: 'people' as const,
      provider: 'import',
      projection: 1,
      payload: body,
      identity,
      body,
      parts,
      thin: false,
      sourceUpdatedAt: null,
      fetchedAt: systemClock.now(),
      pages: [],
      texts: { name: foldText(name), words: foldText(name) },
      suppressionHashes: suppressionHashes(secret, 'people', identity, null),
    }
  })
  const results = await store.importRecords({ items, at: systemClock.now() })
  const refused = results.filter((result) => result !== 'saved').length
  if (refused > 0) throw new Error(`${refused} of ${items.length} records were not saved`)
}

async function makeKey({ store }: Engine, mode: 'live' | 'test'): Promise<string> {
  const key = createApiKey(mode)
  const shown = { hash: hashApiKey(key), display: displayApiKey(key) }
  await store.createKey({ ...account, ...shown, mode, settings: noSettings, actor: 'bench', at: systemClock.now() })
  return key
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { records: { type: 'string', default: '1000' }, keys: { type: 'string', default: '1' } },
  })
  await makeStore(Number(values.records), Number(values.keys))
}
