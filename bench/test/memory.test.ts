import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startVitae } from '../src/contestants/vitae.ts'
import { sendAll } from '../src/load/own-load.ts'
import { memoryOf } from '../src/process/process-cost.ts'
import { Stores } from '../src/stores/stores.ts'

const records = 5_000
const cacheMb = 32
/** For code that a service loads with its first calls, and for memory that V8 and malloc retain. */
const workingMb = 60

// Only in the long run, because it takes as long as twenty other tests.
test.runIf(process.env['VITAE_TEST_LONG'] && existsSync('/proc/self/status'))(
  'distinct lookups take no more memory than VITAE_CACHE_MB allows',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitae-memory-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const store = await new Stores(folder, null, () => undefined).embedded(records)
    const env = { VITAE_CACHE_MB: String(cacheMb) }
    const vitae = await startVitae({ name: 'vitae', store, cores: null, env })
    onTestFinished(() => vitae.stop())
    const [pid = 0] = vitae.pids
    const headers = { ApiKey: vitae.keys[0] ?? '' }
    const path = '/v1/people/profile?profile_id=p#'
    const before = memoryOf(pid)?.nowMb ?? NaN

    const plan = { url: vitae.url, path, headers, connections: 64 }
    const { statuses } = await sendAll(null, { ...plan, requests: records })

    expect(statuses).toEqual({ 200: records })
    expect((memoryOf(pid)?.peakMb ?? NaN) - before).toBeLessThan(cacheMb + workingMb)
  },
)
