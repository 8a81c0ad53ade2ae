import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { readConfig } from '../../src/config/config.ts'
import type { FixedValues } from '../../src/config/fixed-values.ts'
import { busyMachine } from './child-service.ts'
import { checkAgainstDocument } from './check-against-document.ts'
import { migratedStore, onPostgres, openOwnDatabase, testStart, type OwnDatabase } from './engines.ts'
import { keptThread } from './kept-threads.ts'
import { placesInPostgres, placesOf } from './search-bytes.ts'
import type { Clock } from '../../src/foundation/clock.ts'
import { serializers, type Log } from '../../src/foundation/log.ts'
import { buildService, type Service } from '../../src/app/build-service.ts'
import { listen } from '../../src/app/listen.ts'
import type { Reading } from '../../src/database/sqlite/reader/reports.ts'

export interface TestAnswer {
  status: number
  headers: Headers
  text: string
  json: Record<string, unknown>
}

interface KeyWish {
  mode?: 'live' | 'test'
  project?: string
  environment?: string
  ceiling?: number
  [setting: string]: unknown
}

export interface TestCaller {
  project: string
  keyId: string
  key: string
  balance: () => Promise<number>
}

/** A log whose lines a test reads. Without a reader only errors are printed, so that a rare 500 shows its cause. */
export function logTo(onLine: TestOptions['onLogLine']): Log {
  if (!onLine) return pino({ base: null, serializers, level: 'error' }, process.stderr)
  return pino({ base: null, serializers }, { write: (line) => onLine(JSON.parse(line) as Record<string, unknown>) })
}

/** A clock that advances only on request. */
export class TestClock {
  #now: number
  #elapsed = 0

  constructor(start = testStart) {
    this.#now = start
  }

  elapsed(): number {
    return this.#elapsed
  }

  now(): number {
    return this.#now
  }

  advance({
    days = 0,
    hours = 0,
    minutes = 0,
    seconds = 0,
  }: {
    days?: number
    hours?: number
    minutes?: number
    seconds?: number
  }): void {
    const ms = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000
    this.#now += ms
    this.#elapsed += ms
  }

  /** Sets the clock like an operator or a time server: no time passes. */
  set(time: string): void {
    this.#now = Date.parse(time)
  }
}

export interface TestOptions {
  env?: Record<string, string>
  /** Other values than the fixed ones of the service. */
  fixed?: Partial<FixedValues>
  /** A fake provider with our own contract, unless `directory` is requested. */
  upstream?: 'mirror' | 'directory'
  credits?: number
  people?: Record<string, unknown>
  companies?: Record<string, unknown>
  generate?: boolean
  /** Real time instead of a test clock. */
  realClock?: boolean
  /** The clock of the service's machine, while the engine uses real time. */
  machineClock?: Clock
  /** If false, every call goes through Node's HTTP server. */
  fastPath?: boolean
  /** Runs reports in separate processes, like `vitae serve`; otherwise in the store's thread. */
  reading?: Reading
  /** Called for every log line at level info or above. */
  onLogLine?: (line: Record<string, unknown>) => void
}

/** A complete service on loopback, with a real store in its own folder and a real HTTP server as its provider. */
export class TestService {
  readonly clock = new TestClock()
  readonly folder = mkdtempSync(join(tmpdir(), 'vitae-service-'))
  readonly upstream: FakeProvider
  liveKey = ''
  url = ''
  service!: Service
  readonly #options: TestOptions
  #close: (() => Promise<void>) | null = null
  #projects = 0
  #engine: Record<string, string> | null = null
  #database: OwnDatabase | null = null

  constructor(options: TestOptions, upstream: FakeProvider) {
    this.#options = options
    this.upstream = upstream
  }

  async start(): Promise<void> {
    this.#engine ??= await this.#openEngine()
    const mirror = {
      VITAE_UPSTREAM: 'mirror',
      VITAE_MIRROR_URL: this.upstream.url,
      VITAE_MIRROR_KEY: this.upstream.key,
    }
    const env = {
      PORT: '0',
      LOG_LEVEL: 'silent',
      VITAE_DATA_DIR: this.folder,
      ...this.#engine,
      VITAE_RATE_LIMIT: '100000/60s',
      ...(this.#options.upstream === 'directory' ? { VITAE_UPSTREAM: 'directory' } : mirror),
      ...this.#options.env,
    }
    // Nobody can take it for dead: a database of its own has no other node.
    const alone = this.#database ? { nodeDeadAfterMs: 600_000 } : {}
    const config = readConfig(env, { fixed: { ...busyMachine, ...alone, ...this.#options.fixed } })
    const onFatal = (error: Error) => {
      throw error
    }
    const { onLogLine, reading, realClock, machineClock } = this.#options
    const clock = realClock || machineClock ? { machineClock } : { clock: this.clock }
    const log = logTo(onLogLine)
    this.service = await buildService({ config, log, onFatal, startThread: keptThread, reading, ...clock })
    const { fastPath = true } = this.#options
    const listeners = await listen(fastPath ? this.service : { ...this.service, fastPath }, config)
    await this.service.batchRunner.start()
    this.service.exportRunner.start()
    this.url = listeners.url
    this.#close = async () => {
      await listeners.close()
      await this.service.close()
    }
  }

  /**
   * In the scale-out run every service has its own database. Redis uses real time, so it is used only with the real
   * clock.
   */
  async #openEngine(): Promise<Record<string, string>> {
    if (!onPostgres) {
      writeFileSync(join(this.folder, 'vitae.db'), await migratedStore())
      return {}
    }
    const redisUrl = process.env['TEST_REDIS_URL']
    const { realClock, machineClock } = this.#options
    const redis = (realClock || machineClock) && redisUrl ? { REDIS_URL: redisUrl } : {}
    if (this.#options.env?.['DATABASE_URL']) return redis
    this.#database = await openOwnDatabase()
    const url = new URL(this.#database.url)
    // No other node shares this database. Without a password, secrets are not encrypted with a slow hash.
    if (process.env['TEST_POSTGRES_TRUSTS'] === '1') url.password = ''
    return { DATABASE_URL: url.href, ...redis }
  }

  /** The places where the store contains a text, in any of its files or compressed values. */
  async placesOf(text: string): Promise<string[]> {
    return this.#database ? placesInPostgres(text, this.#database.url) : placesOf(text, this.folder)
  }

  async stop(): Promise<void> {
    await this.#close?.()
    this.#close = null
  }

  /** Stops everything, including the provider, and removes the data folder. */
  async close(): Promise<void> {
    await this.stop()
    await this.upstream.close()
    await this.#database?.drop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** Sends one ordinary HTTP request. */
  async get(path: string, headers: Record<string, string> = {}, method = 'GET', body?: string): Promise<TestAnswer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    checkAgainstDocument(method, path, response, text)
    const isJson = text !== '' && response.headers.get('content-type')?.match(/\bjson/)
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} }
  }

  person(id: string, query = '', headers: Record<string, string> = {}): Promise<TestAnswer> {
    return this.get(`/v1/people/profile?profile_id=${encodeURIComponent(id)}${query}`, {
      ApiKey: this.liveKey,
      ...headers,
    })
  }

  company(id: string, query = '', headers: Record<string, string> = {}): Promise<TestAnswer> {
    return this.get(`/v1/companies/details?company_id=${encodeURIComponent(id)}${query}`, {
      ApiKey: this.liveKey,
      ...headers,
    })
  }

  async admin<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = {
      authorization: `Bearer ${this.service.admin.ownerToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const answer = await this.get(
      `/admin/v1${path}`,
      headers,
      method,
      body === undefined ? undefined : JSON.stringify(body),
    )
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.json as T
  }

  makeKey(wish: KeyWish = {}): Promise<{ id: string; key: string }> {
    return this.admin('POST', '/keys', { project: 'acme', environment: 'production', mode: 'live', ...wish })
  }

  /** A new project with a live key and credits, so that tests on a shared service are independent. */
  async newCaller(credits: number, wish: KeyWish = {}): Promise<TestCaller> {
    const project = `project-${(this.#projects += 1)}`
    const { id, key } = await this.makeKey({ project, ...wish })
    if (credits > 0) await this.grant(credits, 'production', project)
    return { project, keyId: id, key, balance: async () => (await this.balance('production', project)).balance }
  }

  grant(amount: number, environment = 'production', project = 'acme'): Promise<unknown> {
    return this.admin('POST', '/credits/grants', { project, environment, amount })
  }

  balance(environment = 'production', project = 'acme'): Promise<{ balance: number; held: number; available: number }> {
    return this.admin('GET', `/credits/balance?project=${project}&environment=${environment}`)
  }
}

/** Starts a test service with a live key and credits, for all tests of a file. Close it in `afterAll`. */
export async function startTestService(options: TestOptions = {}): Promise<TestService> {
  const { people = {}, companies = {}, generate = true } = options
  const upstream = await startFakeProvider({ provider: 'mirror', people, companies, generate })
  const test = new TestService(options, upstream)
  try {
    await test.start()
    test.liveKey = (await test.makeKey()).key
    if (options.credits !== 0) await test.grant(options.credits ?? 1_000)
    return test
  } catch (error) {
    await test.close()
    throw error
  }
}

/** Starts a test service for one test. It is closed when the test ends. */
export async function openTestService(options: TestOptions = {}): Promise<TestService> {
  const test = await startTestService(options)
  onTestFinished(() => test.close())
  return test
}
