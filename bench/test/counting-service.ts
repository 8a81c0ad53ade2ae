import { mkdtempSync, rmSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FakeProvider } from '../../service/fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../service/fake-provider/start-fake-provider.ts'
import type { BatchRunner } from '../../service/src/batches/run/batch-runner.ts'
import { readConfig } from '../../service/src/config/config.ts'
import { systemClock } from '../../service/src/foundation/clock.ts'
import type { RunOperation } from '../../service/src/database/engine/operation.ts'
import type { LoadGuard } from '../../service/src/foundation/pacing/load-guard.ts'
import { createLog } from '../../service/src/foundation/log.ts'
import { openEngine } from '../../service/src/app/open-engine.ts'
import { buildService } from '../../service/src/app/build-service.ts'
import { listen } from '../../service/src/app/listen.ts'
import { storeRunBy } from '../../service/test/harness/store-on.ts'
import { BatchCaller } from '../../service/test/batches/batch-caller.ts'
import { upstreamOf } from '../src/contestants/provider.ts'
import { RawConnection } from '../src/load/raw-connection.ts'
import { background, type SyncCounter } from './sync-counter.ts'

/** The costs of calls. */
export interface Costs {
  /** Messages to the store, by operation. */
  messages: Record<string, number>
  upstreamCalls: number
  /** JSON texts parsed or serialised by the serving thread. */
  json: number
  /** Writes to the sockets of callers. */
  writes: number
}

/** A whole service in this process, on the embedded engine by default, with counters for every cost. */
export class CountingService {
  /** Runs before every message to the store. */
  beforeMessage: (name: string) => Promise<void> | void = () => undefined
  readonly provider: FakeProvider
  readonly #folder = mkdtempSync(join(tmpdir(), 'vitae-cost-'))
  readonly #connections: RawConnection[] = []
  readonly #idle: RawConnection[] = []
  #messages: Record<string, number> = {}
  #url = ''
  #keys = { live: '', test: '', limited: '' }
  #shut: () => Promise<void> = async () => undefined
  #guard: LoadGuard | null = null
  #runner: BatchRunner | null = null

  readonly #syncs: SyncCounter | null

  constructor(provider: FakeProvider, syncs: SyncCounter | null) {
    this.provider = provider
    this.#syncs = syncs
  }

  async open(env: Record<string, string> = {}): Promise<this> {
    const own = { PORT: '0', VITAE_DATA_DIR: this.#folder, VITAE_RATE_LIMIT: '100000/60s' }
    const config = readConfig({ ...own, ...upstreamOf(this.provider), ...env })
    const log = createLog('warn', false)
    const onFatal = (error: Error) => {
      throw error
    }
    const engine = await openEngine({ config, log, clock: systemClock, onFatal })
    const counted: RunOperation =
      this.#syncs?.open(engine.folder.storePath) ??
      // Timers write these for many calls at once, how many depends on the speed of the machine.
      (async (name, args) => {
        if (background.has(name)) return
        const [subject = '', operation = ''] = name.split('.')
        return Reflect.get(Reflect.get(engine.store, subject), operation)(args)
      })
    const run: RunOperation = async (name, args) => {
      this.#messages[name] = (this.#messages[name] ?? 0) + 1
      await this.beforeMessage(name)
      return counted(name, args)
    }
    const store = storeRunBy(run)
    const service = await buildService({ config, log, onFatal, engine: { ...engine, store } })
    const listeners = await listen(service, config)
    this.#shut = async () => {
      await listeners.close()
      await service.close()
      await this.#syncs?.close()
      await engine.close()
    }
    this.#guard = service.guard
    this.#runner = service.batchRunner
    this.#url = listeners.url
    this.#keys = await makeKeys(listeners.url, service.admin.ownerToken)
    return this
  }

  get callsInFlight(): number {
    return this.#guard?.inFlight ?? 0
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) connection.close()
    await this.#shut()
    await this.provider.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** One call over a connection that no other call uses meanwhile. Fails unless it has the expected status. */
  async get(mode: 'live' | 'test' | 'limited', id: string, expected = 200): Promise<{ head: string }> {
    const connection = this.#idle.pop() ?? (await this.#connect())
    const head = `Host: test\r\nApiKey: ${this.#keys[mode]}`
    const answer = await connection.send(`GET /v1/people/profile?profile_id=${id} HTTP/1.1\r\n${head}\r\n\r\n`)
    this.#idle.push(connection)
    if (answer.status !== expected) throw new Error(answer.head)
    return answer
  }

  /**
   * Submits a batch with the live key and waits until all rows are answered. The batch runner keeps running afterwards.
   */
  async batch(ids: string[]): Promise<void> {
    await this.#runner?.start()
    const caller = new BatchCaller(this.#url, this.#keys.live)
    await caller.until(await caller.submit({ kind: 'people', ids }))
  }

  /** Sends the given number of calls in one write, which the service reads in one or two turns. All must succeed. */
  async getPipelined(count: number, id: string): Promise<void> {
    const { hostname, port } = new URL(this.#url)
    const socket = connect(Number(port), hostname)
    const head = `Host: test\r\nApiKey: ${this.#keys.live}`
    socket.write(`GET /v1/people/profile?profile_id=${id} HTTP/1.1\r\n${head}\r\n\r\n`.repeat(count))
    let [answers, text] = [0, '']
    for await (const chunk of socket.setEncoding('latin1') as AsyncIterable<string>) {
      text += chunk
      answers = text.split('HTTP/1.1 200 OK\r\n').length - 1
      if (answers === count) break
      if (/HTTP\/1\.1 [345]/.test(text)) throw new Error(text.slice(0, 2_000))
    }
    if (answers !== count) throw new Error(`${answers} of ${count} calls were answered`)
  }

  /** Makes the given number of concurrent calls. */
  async getAtOnce(count: number, id: string): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.get('live', id)))
  }

  /** Runs some calls and counts their costs, without background timers. */
  async costOf(calls: () => Promise<unknown>): Promise<Costs> {
    this.#messages = {}
    const asked = this.provider.requests.length
    const json = countJson()
    const writes = countWrites(Number(new URL(this.#url).port))
    try {
      await calls()
    } finally {
      json.stop()
      writes.stop()
    }
    const counted = Object.entries(this.#messages).filter(([name]) => !background.has(name))
    const upstreamCalls = this.provider.requests.length - asked
    return { messages: Object.fromEntries(counted), upstreamCalls, json: json.count, writes: writes.count }
  }

  async #connect(): Promise<RawConnection> {
    const connection = await RawConnection.open(this.#url)
    this.#connections.push(connection)
    return connection
  }
}

/** Opens a service with a provider that knows everyone. Close it in `afterAll`. */
export async function openCountingService(
  env: Record<string, string> = {},
  syncs: SyncCounter | null = null,
): Promise<CountingService> {
  return new CountingService(await startFakeProvider({ provider: 'mirror' }), syncs).open(env)
}

async function makeKeys(url: string, token: string): Promise<Record<'live' | 'test' | 'limited', string>> {
  const account = { project: 'acme', environment: 'production' }
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/admin/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()) as { key: string }
  }
  const live = await post('/keys', { ...account, mode: 'live' })
  const test = await post('/keys', { ...account, mode: 'test' })
  const limited = await post('/keys', { ...account, mode: 'live', rate: '1/3600s' })
  await post('/credits/grants', { ...account, amount: 100_000 })
  return { live: live.key, test: test.key, limited: limited.key }
}

interface Counter {
  readonly count: number
  stop(): void
}

/** Counts every JSON text that is parsed or serialised. */
function countJson(): Counter {
  return counter([
    [JSON, 'parse'],
    [JSON, 'stringify'],
  ])
}

/** Counts writes to the kernel on the server's side of its connections. */
function countWrites(port: number): Counter {
  const isServers = (self: unknown) => self instanceof Socket && self.localPort === port
  return counter(
    [
      [Socket.prototype, '_write'],
      [Socket.prototype, '_writev'],
    ],
    isServers,
  )
}

function counter(methods: [owner: object, method: string][], counts = (_self: unknown) => true): Counter {
  let count = 0
  const restores = methods.map(([owner, method]) => watch(owner, method, (self) => counts(self) && count++))
  return {
    get count() {
      return count
    },
    stop() {
      for (const restore of restores) restore()
    },
  }
}

/** Calls `note` at every call of a method. The returned function stops it. */
function watch(owner: object, method: string, note: (self: unknown) => unknown): () => void {
  const methods = owner as Record<string, (this: unknown, ...args: unknown[]) => unknown>
  const original = methods[method]
  if (!original) throw new Error(`there is no method ${method}`)
  methods[method] = function watched(...args) {
    note(this)
    return original.apply(this, args)
  }
  return () => {
    methods[method] = original
  }
}
