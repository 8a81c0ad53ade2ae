import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { creditOperations } from '../../src/credits/operations.ts'
import type { LedgerReport } from '../../src/credits/store/verify-ledger.ts'
import type { DemoKeys } from '../../src/app/demo.ts'
import { openPostgres } from '../../src/database/postgres/postgres.ts'
import { openSqlite } from '../../src/database/sqlite/sqlite.ts'
import { askAdmin } from '../harness/ask-admin.ts'
import { overPostgres, overSqlite, onPostgres, openOwnDatabase, type OpenDatabase } from '../harness/engines.ts'
import { ChildService, serveDemo, type Program } from '../harness/child-service.ts'

export interface CrashTally {
  cycles: number
  /** Different calls, each of which was retried until it was answered. */
  calls: number
  /** What the account paid for them, by its balance and by the sum of its entries. */
  spent: number
  /** Calls that a crash cut off, so that they had to be retried. */
  cutOff: number
  held: number
  ledger: LedgerReport
  /** What `pragma integrity_check` says; `ok` on an engine that has none. */
  integrity: string
  /** What the books of the service said right after a crash, where that cannot be. */
  wrong: string[]
}

export interface CrashOptions {
  /** What is killed; at the end the real service finishes what is left. */
  program: Program
  cycles: number
  /** Ends the run before its last cycle; what was begun is counted. */
  signal?: AbortSignal
  onCycle?: () => void
  /** Draws the moments of the crashes: at least 0, below 1. */
  draw?: () => number
}

interface Call {
  path: string
  value: string
}

const callers = 24
const holdSeconds = 2
const granted = 1_000_000
const token = 'a-token-for-crash-tests'
const account = { project: 'demo', environment: 'production' }
const accountQuery = new URLSearchParams(account).toString()
/** Answers that ask for another try: the first attempt still counts as running, or the nodes are still agreeing on limits. */
const notYet = new Set([409, 429, 503])
const fromDirectory = ['amara-okafor', 'tidewater-robotics']

/** Serves under load, kills the service at a random moment, again and again on one store, reads the books after each crash, and then counts. */
export async function runCrashes(options: CrashOptions): Promise<CrashTally> {
  const upstream = await startFakeProvider({ provider: 'mirror' })
  const folder = mkdtempSync(join(tmpdir(), 'vitae-crash-'))
  const database = onPostgres ? await openOwnDatabase() : null
  const env = {
    VITAE_DATA_DIR: folder,
    VITAE_ADMIN_TOKEN: token,
    VITAE_RATE_LIMIT: '1000000/60s',
    VITAE_UPSTREAM: 'directory,mirror',
    VITAE_CHAIN_ON_NOT_FOUND: 'true',
    VITAE_MIRROR_URL: upstream.url,
    VITAE_MIRROR_KEY: upstream.key,
    VITAE_IDEMPOTENCY_WAIT_MS: '1000',
    VITAE_HOLD_SECONDS: String(holdSeconds),
    ...(database ? { DATABASE_URL: database.url, ...redisEnv() } : {}),
  }
  const load = new Load()
  const wrong: string[] = []
  let cycles = 0
  try {
    for (; cycles < options.cycles && !options.signal?.aborted; cycles++) {
      wrong.push(...(await crashOnce(options, env, load)))
      options.onCycle?.()
    }
    const last = new ChildService(serveDemo, env)
    try {
      const url = await last.url
      if (load.calls > 0) wrong.push(...(await readBooks(url, load)))
      await load.finish(url, liveKey(folder))
    } finally {
      await last.stop('SIGTERM')
    }
    const { calls, cutOff } = load
    return { ...(await count(folder, database?.url ?? null)), cycles, calls, cutOff, wrong }
  } finally {
    await upstream.close()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function redisEnv(): Record<string, string> {
  const url = process.env['TEST_REDIS_URL']
  return url ? { REDIS_URL: url } : {}
}

async function crashOnce(options: CrashOptions, env: Record<string, string>, load: Load): Promise<string[]> {
  const child = new ChildService(options.program, env)
  try {
    const url = await child.url
    const wrong = load.calls === 0 ? [] : await readBooks(url, load)
    if (load.calls === 0) await grant(url)
    const ended = new AbortController()
    const running = load.run(url, liveKey(env['VITAE_DATA_DIR'] ?? ''), ended.signal)
    await Promise.race([load.answered(), running])
    // The random moment of the crash, not a wait for anything.
    await pause(20 + (options.draw ?? Math.random)() * 300)
    ended.abort()
    await child.stop('SIGKILL')
    await running
    return wrong
  } finally {
    // Also when something else went wrong: no service may outlive its test.
    await child.stop('SIGKILL')
  }
}

/** What was answered is paid, what was cut off at most once, and the ledger adds up. */
async function readBooks(url: string, load: Load): Promise<string[]> {
  const service = { url, token }
  const { balance } = await askAdmin<{ balance: number }>(service, 'GET', `/credits/balance?${accountQuery}`)
  const ledger = await askAdmin<LedgerReport>(service, 'GET', '/ledger/verify')
  const spent = granted - balance
  const paid = `${spent} are paid after ${load.calls} calls, of which ${load.unanswered} have no answer`
  return [
    ...(spent < load.calls - load.unanswered || spent > load.calls ? [paid] : []),
    ...ledger.differences.map((one) => JSON.stringify(one)),
  ]
}

function liveKey(folder: string): string {
  const keys = JSON.parse(readFileSync(join(folder, 'demo-keys.json'), 'utf8')) as DemoKeys
  return keys.live_key
}

/** The demo has 1,000 already. */
async function grant(url: string): Promise<void> {
  await askAdmin({ url, token }, 'POST', '/credits/grants', { ...account, amount: granted - 1_000 })
}

/** Callers that never give a call up: what a crash cuts off is retried with the same Idempotency-Key. */
class Load {
  calls = 0
  cutOff = 0
  #unanswered: Call[] = []
  #nextAnswer = Promise.withResolvers<void>()

  get unanswered(): number {
    return this.#unanswered.length
  }

  /** Resolves with the next answer: from then on the service is at work. */
  answered(): Promise<void> {
    this.#nextAnswer = Promise.withResolvers()
    return this.#nextAnswer.promise
  }

  async run(url: string, key: string, crashed: AbortSignal): Promise<void> {
    const one = async () => {
      while (!crashed.aborted) await this.#try(url, key, this.#unanswered.shift() ?? this.#next())
    }
    await Promise.all(Array.from({ length: callers }, one))
  }

  /** Retries what is left until everything is answered. */
  async finish(url: string, key: string): Promise<void> {
    while (this.#unanswered.length > 0) {
      const left = this.#unanswered.splice(0, callers)
      await Promise.all(left.map((call) => this.#try(url, key, call)))
    }
  }

  /** Store answers, fetches and companies, from the directory and from the mirror. */
  #next(): Call {
    const number = (this.calls += 1)
    const person = number % 7 === 0 ? fromDirectory[0] : `person-${number % 40}`
    const company = number % 11 === 0 ? fromDirectory[1] : `company-${number % 9}`
    const path = number % 5 === 0 ? `companies/details?company_id=${company}` : `people/profile?profile_id=${person}`
    return { path: `/v1/${path}${number % 3 === 0 ? '&bypass_cache=true' : ''}`, value: `call-${number}` }
  }

  async #try(url: string, key: string, call: Call): Promise<void> {
    const status = await statusOf(`${url}${call.path}`, { ApiKey: key, 'Idempotency-Key': call.value })
    if (status === 200) return this.#nextAnswer.resolve()
    if (status === null) this.cutOff++
    else if (!notYet.has(status)) throw new Error(`${call.path} was answered with ${status}`)
    this.#unanswered.push(call)
    // Asking again at once would keep the service from what it is busy with.
    if (status !== null) await pause(20)
  }
}

/** The status of a whole answer; null when the service died before its last byte. */
async function statusOf(url: string, headers: Record<string, string>): Promise<number | null> {
  try {
    const answer = await fetch(url, { headers })
    await answer.text()
    return answer.status
  } catch {
    return null
  }
}

async function count(
  folder: string,
  databaseUrl: string | null,
): Promise<Omit<CrashTally, 'cycles' | 'calls' | 'cutOff' | 'wrong'>> {
  const database: OpenDatabase = databaseUrl
    ? overPostgres(openPostgres(databaseUrl, () => undefined).db)
    : overSqlite(openSqlite(join(folder, 'vitae.db')))
  // With many nodes nobody can say whose holds are dead, so they end with their time.
  if (databaseUrl) await creditOperations.releaseHolds(database, { at: Date.now() + holdSeconds * 1_000, all: false })
  const { balance, held } = await creditOperations.creditBalance(database, { ...account, at: Date.now() })
  const ledger = await creditOperations.verifyLedger(database)
  const integrity = databaseUrl ? 'ok' : await integrityOf(database)
  await database.db.destroy()
  return { spent: granted - balance, held, ledger, integrity }
}

async function integrityOf({ db }: OpenDatabase): Promise<string> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db)
  return rows.map((row) => row.integrity_check).join('; ')
}
