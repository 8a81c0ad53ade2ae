import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { madeFile, type MadeStore } from './made-store.ts'
import { startProcess } from '../process/start-process.ts'
import type { Engines } from '../contestants/engines.ts'

export interface Store extends MadeStore {
  dataDir: string
}

const script = join(import.meta.dirname, 'fill.ts')
/** A benchmark of calls starts without any. */
const nothingElse = ['--calls', '0', '--events', '0', '--environments', '1']
/** Every second event belongs to the second environment. */
const eventsOfTwo = ['--calls', '0', '--events', '100000', '--environments', '2']
const asManyOfAll = (rows: number) => ['--calls', String(rows), '--events', String(rows)]
// Records are fresh for a week. An older kept store would turn hits into misses.
const usableMs = 5 * 86_400_000

/** Generated stores. A million records take minutes, so each store is generated once per run, or kept between runs. */
export class Stores {
  readonly #folder: string
  readonly #cores: string | null
  readonly #say: (text: string) => void

  constructor(folder: string, cores: string | null, say: (text: string) => void) {
    this.#folder = folder
    this.#cores = cores
    this.#say = say
  }

  /** An embedded store with the given number of records and live keys. `name` distinguishes stores of the same size. */
  async embedded(records: number, { keys = 1, name = 'store', hasEvents = false } = {}): Promise<Store> {
    const dataDir = join(this.#folder, `${name}-${records}-${keys}`)
    const more = hasEvents ? eventsOfTwo : nothingElse
    return this.#read(dataDir) ?? this.#make(dataDir, ['--keys', String(keys), ...more], records, {})
  }

  /** A store with the given number of records, calls and events, like one that has run for 90 days. */
  async filled(rows: number): Promise<Store> {
    const dataDir = join(this.#folder, `filled-embedded-${rows}`)
    return this.#read(dataDir) ?? this.#make(dataDir, asManyOfAll(rows), rows, {})
  }

  /** The same in a PostgreSQL that `start` starts in a folder beside the store; null if none can be started. */
  async filledScaleOut(
    rows: number,
    start: (keptIn: string) => Promise<Engines | null>,
  ): Promise<{ store: Store; engines: Engines } | null> {
    const dataDir = join(this.#folder, `filled-scale-out-${rows}`)
    const keptIn = resolve(`${dataDir}-postgres`)
    const kept = this.#read(dataDir)
    if (!kept) rmSync(keptIn, { recursive: true, force: true })
    mkdirSync(this.#folder, { recursive: true })
    const engines = await start(keptIn)
    if (!engines) return null
    const env = { DATABASE_URL: engines.vitaeUrl, REDIS_URL: engines.redisUrl }
    return { store: kept ?? (await this.#make(dataDir, asManyOfAll(rows), rows, env)), engines }
  }

  /** A store with the given number of records in a PostgreSQL database. */
  scaleOut(records: number, { vitaeUrl, redisUrl }: Pick<Engines, 'vitaeUrl' | 'redisUrl'>): Promise<Store> {
    // A node without Redis beside it would close the rate limits of the measured one for a window.
    const env = { DATABASE_URL: vitaeUrl, REDIS_URL: redisUrl }
    return this.#make(join(this.#folder, 'scale-out'), nothingElse, records, env)
  }

  async #make(dataDir: string, more: string[], records: number, env: Record<string, string>): Promise<Store> {
    if (records >= 10_000) this.#say(`making a store of ${records} records ...`)
    rmSync(dataDir, { recursive: true, force: true })
    mkdirSync(dataDir, { recursive: true })
    const maker = startProcess({
      name: 'fill',
      command: process.execPath,
      args: [script, '--records', String(records), ...more],
      cores: this.#cores,
      env: { VITAE_DATA_DIR: dataDir, ...env },
    })
    await maker.ended
    const made = this.#read(dataDir)
    if (!made) throw await maker.died.then(null, (error: unknown) => error)
    return made
  }

  #read(dataDir: string): Store | null {
    const file = join(dataDir, madeFile)
    if (!existsSync(file)) return null
    const made = JSON.parse(readFileSync(file, 'utf8')) as MadeStore
    return Date.now() - made.madeAt < usableMs ? { ...made, dataDir } : null
  }
}
