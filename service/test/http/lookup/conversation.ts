import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

export interface HeardAnswer {
  statusLine: string
  status: number
  /** In their original order and spelling. */
  headers: [name: string, value: string][]
  body: string
}

/** One connection that sends any bytes and reads the responses one by one. */
export class Conversation {
  readonly socket: Socket
  #heard: Buffer[] = []
  /** The number of bytes needed before parsing again. */
  #wanted = 0
  #over = false
  #events = Promise.withResolvers<void>()

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    this.socket.on('data', (chunk: Buffer) => {
      this.#heard.push(chunk)
      this.#tell()
    })
    for (const event of ['end', 'close'])
      this.socket.on(event, () => {
        this.#over = true
        this.#tell()
      })
    this.socket.on('error', () => this.socket.destroy())
  }

  say(bytes: string): void {
    if (this.socket.writable) this.socket.write(bytes, 'latin1')
  }

  /** Sends bytes, and waits until a server in this process has read them, so that the next ones arrive separately. */
  async sayAlone(bytes: string): Promise<void> {
    if (this.socket.connecting) await new Promise((resolve) => this.socket.once('connect', resolve))
    this.say(bytes)
    for (let turn = 0; turn < 4; turn++) await nextTurn()
  }

  /** The next complete response; null if the server has closed the connection instead. */
  async answer({ bodyless = false } = {}): Promise<HeardAnswer | null> {
    for (;;) {
      const answer = this.#takeAnswer(bodyless)
      if (answer || this.#over) return answer
      await this.#events.promise
    }
  }

  async answers(count: number): Promise<(HeardAnswer | null)[]> {
    const heard: (HeardAnswer | null)[] = []
    for (let index = 0; index < count; index++) heard.push(await this.answer())
    return heard
  }

  /** All remaining bytes until the server closes the connection. */
  async rest(): Promise<string> {
    while (!this.#over) await this.#events.promise
    this.socket.destroy()
    return Buffer.concat(this.#heard).toString('latin1')
  }

  #tell(): void {
    this.#events.resolve()
    this.#events = Promise.withResolvers()
  }

  /** Responses of this service always have a length. A refusal by Node itself has an empty chunked body. */
  #takeAnswer(bodyless: boolean): HeardAnswer | null {
    if (this.#heard.reduce((sum, chunk) => sum + chunk.byteLength, 0) < this.#wanted) return null
    const bytes = Buffer.concat(this.#heard)
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0) return null
    const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
    const valueOf = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
    const isChunked = valueOf('transfer-encoding') === 'chunked'
    const length = isChunked ? '0\r\n\r\n'.length : Number(valueOf('content-length') ?? 0)
    const bodyEnd = end + 4 + (bodyless ? 0 : length)
    this.#wanted = bytes.byteLength < bodyEnd ? bodyEnd : 0
    if (this.#wanted > 0) return null
    this.#heard = [bytes.subarray(bodyEnd)]
    return {
      statusLine,
      status: Number(statusLine.split(' ')[1]),
      headers,
      body: bytes.subarray(end + 4, bodyEnd).toString(),
    }
  }
}

/** Opens a connection that is closed when the test ends. */
export function converse(port: number): Conversation {
  const conversation = new Conversation(port)
  onTestFinished(() => void conversation.socket.destroy())
  return conversation
}

/** A person lookup in its simplest form; `more` are further header lines. */
export function lookup(id: string, key: string, more = ''): string {
  return `GET /v1/people/profile?profile_id=${id} HTTP/1.1\r\nHost: x\r\nApiKey: ${key}\r\n${more}\r\n`
}

/** The last request of a connection. */
export const lastRequest = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

/** The lookups that Node's HTTP server gets at this port from now on. It does not see those on the fast path. */
export function seenByNode(port: number): string[] {
  const seen: string[] = []
  const onRequest = (message: unknown) => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket }
    if (socket.localPort === port && request.url?.startsWith('/v1/')) seen.push(request.url)
  }
  subscribe('http.server.request.start', onRequest)
  onTestFinished(() => void unsubscribe('http.server.request.start', onRequest))
  return seen
}
