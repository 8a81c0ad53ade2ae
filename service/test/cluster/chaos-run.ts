import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { serveWith } from '../harness/child-service.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { auditWords } from '../../../scripts/audit-ledger.ts'
import type { LedgerReport } from '../../src/credits/store/verify-ledger.ts'
import { drawSkewMs } from '../harness/clock-skews.ts'
import { admin, newKey, startNodes, type NodeProcess } from '../harness/node-processes.ts'
import { startOwnPostgres, type OwnPostgres } from '../harness/own-postgres.ts'
import { until } from '../harness/scale-out-engine.ts'
import { startRedis } from '../harness/start-engines.ts'
import { ChaosLoad } from './chaos-load.ts'

export interface ChaosTally {
  cycles: number
  disturbances: number
  /** Calls that got a record, and their cost by the balance and by their answers. */
  answered: number
  spent: number
  charged: number
  /** Attempts that failed. */
  failed: number
  ends: Record<string, number>
  ledger: LedgerReport
  /** Findings of the ledger audit, at rest. */
  audit: string[]
}

export interface ChaosOptions {
  cycles: number
  /** Ends the run before its last cycle. Finished work is counted. */
  signal?: AbortSignal
  onCycle?: () => void
  /** Draws moments and nodes: at least 0, below 1. */
  draw?: () => number
}

type Redis = NonNullable<Awaited<ReturnType<typeof startRedis>>>
const granted = 10_000_000
const callsBetween = 50
/** Fewer are rarely cut off between their charge and their answer. */
const callers = 16

/**
 * Three nodes on their own PostgreSQL and Redis, repeatedly disturbed under load; null if this machine lacks these
 * engines.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosTally | null> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-chaos-'))
  const postgres = await startOwnPostgres()
  const redis = await startRedis(folder)
  const upstream = await startFakeProvider({ provider: 'mirror', latencyMs: 20, logLimit: 0 })
  const place = postgres && redis ? new Disturbed(options, folder, postgres, redis) : null
  try {
    if (!place || !postgres || !redis) return null
    const nodeEnv = {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      VITAE_UPSTREAM: 'mirror',
      VITAE_MIRROR_URL: upstream.url,
      VITAE_MIRROR_KEY: upstream.key,
      VITAE_HOLD_SECONDS: '5',
      LOG_LEVEL: 'silent',
    }
    place.nodes = await startNodes(3, nodeEnv, serveWith({ idempotencyWaitMs: 2_000 }))
    return await place.run()
  } finally {
    await Promise.all(place?.nodes.map((node) => node.close()) ?? [])
    await upstream.close()
    await (place?.redis ?? redis)?.stop()
    await postgres?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

class Disturbed {
  nodes: NodeProcess[] = []
  redis: Redis
  readonly #options: ChaosOptions
  readonly #folder: string
  readonly #postgres: OwnPostgres

  constructor(options: ChaosOptions, folder: string, postgres: OwnPostgres, redis: Redis) {
    this.#options = options
    this.#folder = folder
    this.#postgres = postgres
    this.redis = redis
  }

  async run(): Promise<ChaosTally> {
    const url = this.nodes[0]?.url ?? ''
    const { key, balance } = await newKey(url, 'chaos', granted)
    const load = new ChaosLoad(
      this.nodes.map((node) => node.url),
      key,
      callers,
    )
    load.start()
    const { cycles, disturbances } = await this.#disturb(load)
    await load.answeredMore(callsBetween)
    await load.finish()
    // Holds of dead nodes are released when they expire.
    const account = 'project=chaos&environment=production'
    const held = async () => (await admin<{ held: number }>(url, 'GET', `/credits/balance?${account}`)).held
    await until(async () => (await held()) === 0)
    const ledger = await admin<LedgerReport>(url, 'GET', '/ledger/verify')
    const audit = await auditWords(this.#postgres.url)
    const { answered, charged, failed } = load
    const ends = Object.fromEntries(load.ends)
    return { cycles, disturbances, answered, spent: granted - (await balance()), charged, failed, ends, ledger, audit }
  }

  async #disturb(load: ChaosLoad): Promise<{ cycles: number; disturbances: number }> {
    let [cycles, disturbances] = [0, 0]
    // At least one cycle, because the time may be up before all nodes have started.
    for (; cycles === 0 || (cycles < this.#options.cycles && !this.#options.signal?.aborted); cycles++) {
      await load.answeredMore(callsBetween)
      await this.#anyMoment()
      const faults = this.#faults[cycles % this.#faults.length] ?? []
      await Promise.all(faults.map((fault) => fault()))
      disturbances += faults.length
      this.#options.onCycle?.()
    }
    return { cycles, disturbances }
  }

  #draw(): number {
    return (this.#options.draw ?? Math.random)()
  }

  /** The random moment of a fault. It does not wait for anything. */
  async #anyMoment(): Promise<void> {
    await pause(this.#draw() * 400)
  }

  readonly #killNode = async (): Promise<void> => {
    const index = Math.floor(this.#draw() * this.nodes.length)
    const node = this.nodes[index]
    await node?.end('SIGKILL')
    await this.#anyMoment()
    // The first node keeps the right clock. A clock that is off by more than a hold lasts refuses paid calls.
    if (node && index > 0) node.clockAheadMs = drawSkewMs(() => this.#draw())
    await node?.start()
  }

  readonly #stopPostgres = async (): Promise<void> => {
    await this.#postgres.stopAtOnce()
    await this.#anyMoment()
    await this.#postgres.start()
  }

  readonly #killRedis = async (): Promise<void> => {
    await this.redis.stop()
    await this.#anyMoment()
    this.redis = (await startRedis(this.#folder, this.redis.port)) ?? this.redis
  }

  readonly #freezeRedis = async (): Promise<void> => {
    this.redis.process.kill('SIGSTOP')
    await pause(800 + this.#draw() * 800)
    this.redis.process.kill('SIGCONT')
  }

  /** The faults of one cycle. Two cycles cover all of them. */
  readonly #faults = [
    [this.#killNode, this.#freezeRedis],
    [this.#stopPostgres, this.#killRedis],
    [this.#stopPostgres],
    [this.#killRedis, this.#killNode],
  ]
}
