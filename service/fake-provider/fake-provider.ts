import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseFault, playBreakage, type Fault, type FaultOptions } from './faults.ts'
import type { FakeReply, World } from './wire/wire.ts'
import { wires, type WireName } from './wire/wires.ts'

export interface FakeProviderOptions extends Partial<FaultOptions> {
  provider: WireName
  /** The required key. Default: `secret`. */
  key?: string
  port?: number
  /** Records by slug, without the envelope; null means "not found". */
  people?: Record<string, unknown>
  companies?: Record<string, unknown>
  /** Whether unknown slugs get a generated record. Default: true. */
  generate?: boolean
  latencyMs?: number
  sourceAgeDays?: number
  pollsUntilReady?: number
  /** The maximum number of recorded requests. */
  logLimit?: number
}

export interface LoggedRequest {
  method: string
  /** The unmodified path and query. */
  path: string
  headers: IncomingMessage['headers']
}

/** A server that plays a provider. Its fields may be changed while it runs. */
export class FakeProvider implements World {
  readonly key: string
  /** The requests so far, oldest first. */
  readonly requests: LoggedRequest[] = []
  people: Map<string, unknown>
  companies: Map<string, unknown>
  generate: boolean
  latencyMs: number
  /** Delays every answer until this resolves. */
  until: Promise<void> | null = null
  sourceAgeDays: number
  pollsUntilReady: number
  readonly snapshots: World['snapshots'] = new Map()
  readonly #wire: (typeof wires)[WireName]
  readonly #limits: FaultOptions
  readonly #logLimit: number
  readonly #server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => this.#serve(request, response))
  #port = 0
  #fault: Fault | null = null
  #times = Number.POSITIVE_INFINITY

  constructor(options: FakeProviderOptions) {
    this.key = options.key ?? 'secret'
    this.people = new Map(Object.entries(options.people ?? {}))
    this.companies = new Map(Object.entries(options.companies ?? {}))
    this.generate = options.generate ?? true
    this.latencyMs = options.latencyMs ?? 0
    this.sourceAgeDays = options.sourceAgeDays ?? 0
    this.pollsUntilReady = options.pollsUntilReady ?? 0
    this.#wire = wires[options.provider]
    this.#limits = { slowMs: options.slowMs ?? 2000, hugeBytes: options.hugeBytes ?? 64 * 1024 * 1024 }
    this.#logLimit = options.logLimit ?? 100_000
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get fault(): Fault | null {
    return this.#fault
  }

  /** Opens the port. */
  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Plays a fault from now on, or for the next `times` requests; null ends it. */
  async setFault(fault: Fault | null, times = Number.POSITIVE_INFINITY): Promise<void> {
    this.#fault = fault
    this.#times = times
    if (fault === 'refused') await this.close()
    else if (!this.#server.listening) await this.listen(this.#port)
  }

  /** Closes the port and every connection, even hanging ones. */
  async close(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const isSteering = request.url === '/_fault' && request.method === 'POST'
    const served = isSteering ? this.#steer(request, response) : this.#answer(request, response)
    // An unreadable question is a bug of the fake or of the adapter, so it must be obvious.
    served.catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy()
      else reply(response, { status: 500, body: `fake provider: ${String(error)}` })
    })
  }

  async #steer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = JSON.parse((await read(request)) || '{}') as { fault?: unknown; times?: number; seconds?: number }
    const fault = parseFault(asked.fault)
    reply(response, { status: 200, headers: { connection: 'close' }, body: { fault } })
    await once(response, 'close')
    await this.setFault(fault, asked.times)
    // A closed port cannot receive the request that would end the fault.
    if (fault === 'refused') setTimeout(() => void this.setFault(null), (asked.seconds ?? 5) * 1000)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? 'GET'
    const target = request.url ?? '/'
    if (this.requests.length < this.#logLimit) this.requests.push({ method, path: target, headers: request.headers })
    const fault = this.#takeFault()
    if (typeof fault === 'number') return reply(response, this.#wire.error(fault))
    if (fault !== null && (await playBreakage(fault, response, this.#limits))) return
    const [path = '/', query = ''] = target.split('?', 2)
    const body = method === 'POST' ? await read(request) : ''
    const asked = { method, path, query: new URLSearchParams(query), headers: request.headers, body }
    await this.until
    if (this.latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, this.latencyMs))
    reply(response, this.#wire.isAuthorized(asked, this.key) ? this.#wire.answer(asked, this) : this.#wire.error(401))
  }

  #takeFault(): Fault | null {
    const fault = this.#fault
    if (fault === null) return null
    this.#times -= 1
    if (this.#times <= 0) this.#fault = null
    return fault
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function reply(response: ServerResponse, { status, headers = {}, body }: FakeReply): void {
  const text = typeof body === 'string' ? body : null
  const bytes = Buffer.from(text ?? JSON.stringify(body))
  const type = text === null ? 'application/json' : 'text/plain'
  const shown = text?.startsWith('<') ? 'text/html' : type
  response.writeHead(status, { 'content-type': shown, 'content-length': bytes.length, ...headers }).end(bytes)
}
