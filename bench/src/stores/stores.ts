import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { madeFile, type MadeStore } from './made-store.ts'
import { startProcess } from '../process/start-process.ts'

export interface Store extends MadeStore {
  dataDir: string
}

const script = join(import.meta.dirname, 'fill.ts')
/** A benchmark of calls begins with none. */
const nothingElse = ['--calls', '0', '--events', '0', '--environments', '1']
/** Of these every second one is of the second environment. */
const eventsOfTwo = ['--calls', '0', '--events', '100000', '--environments', '2']
const asManyOfAll = (rows: number) => ['--calls', String(rows), '--events', String(rows)]
// Records are fresh for a week; a kept store must not turn a benchmark of hits into one of misses.
const usableMs = 5 * 86_400_000

/** Generated stores. Making a million records takes minutes, so each is made once per run, or kept between runs. */
export class Stores {
  readonly #folder: string
  readonly #cores: string | null
  readonly #say: (text: string) => void

  constructor(folder: string, cores: string | null, say: (text: string) => void) {
    this.#folder = folder
    this.#cores = cores
    this.#say = say
  }

  /** An embedded store with so many records and live keys; `name` keeps it apart from others of its size. */
  async embedded(records: number, { keys = 1, name = 'store', hasEvents = false } = {}): Promise<Store> {
    const dataDir = join(this.#folder, `${name}-${records}-${keys}`)
    const more = hasEvents ? eventsOfTwo : nothingElse
    return this.#read(dataDir) ?? this.#make(dataDir, ['--keys', String(keys), ...more], records, {})
  }

  /** A store with so many records, calls and events, as one that has run for 90 days; in PostgreSQL where one is named. */
  async filled(rows: number, databaseUrl: string | null): Promise<Store> {
    const dataDir = join(this.#folder, `filled-${databaseUrl === null ? 'embedded' : 'scale-out'}-${rows}`)
    if (databaseUrl !== null) return this.#make(dataDir, asManyOfAll(rows), rows, { DATABASE_URL: databaseUrl })
    return this.#read(dataDir) ?? this.#make(dataDir, asManyOfAll(rows), rows, {})
  }

  /** The same in a database of PostgreSQL. */
  scaleOut(records: number, databaseUrl: string): Promise<Store> {
    return this.#make(join(this.#folder, 'scale-out'), nothingElse, records, { DATABASE_URL: databaseUrl })
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
