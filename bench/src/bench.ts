import { mkdtempSync, chmodSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { planCores, pinSelf, type Cores } from './process/cores.ts'
import { startEngines, type Engines } from './contestants/engines.ts'
import { autocannonLoad } from './load/autocannon.ts'
import type { Load } from './load/load.ts'
import { findWrk } from './load/wrk.ts'
import type { Options } from './options.ts'
import { Stores } from './stores/stores.ts'

/** The shared environment of all scenarios. */
export interface Bench {
  options: Options
  cores: Cores
  load: Load
  /** For files of the contestants; removed after the run. */
  folder: string
  stores: Stores
  /**
   * PostgreSQL and Redis, started on first use; null if they are not available. PostgreSQL is kept in the given folder
   * for the next run.
   */
  engines: (keptIn?: string) => Promise<Engines | null>
  say: (text: string) => void
  close(): Promise<void>
}

/** Prepares a run: cores, load generator, a folder. */
export function openBench(options: Options): Bench {
  const cores = planCores()
  pinSelf(cores.load)
  const folder = mkdtempSync(join(tmpdir(), 'vitae-bench-'))
  // nginx and PostgreSQL change to their own users when root starts them.
  chmodSync(folder, 0o755)
  const load = findWrk(cores.load) ?? autocannonLoad(cores.load)
  const say = (text: string) => void process.stderr.write(`${text}\n`)
  if (load.name !== 'wrk') say('!! wrk is missing (Debian package wrk): using autocannon, which is slower.')
  const engines = new Map<string | undefined, Promise<Engines | null>>()
  return {
    options,
    cores,
    load,
    folder,
    stores: new Stores(options.stores ?? join(folder, 'stores'), cores.every, say),
    engines(keptIn) {
      const started = engines.get(keptIn) ?? startEngines(cores.server, folder, say, keptIn)
      engines.set(keptIn, started)
      return started
    },
    say,
    async close() {
      for (const started of engines.values()) await (await started)?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
