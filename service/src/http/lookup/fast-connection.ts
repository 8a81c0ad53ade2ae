import type { Socket } from 'node:net'
import { systemClock } from '../../foundation/clock.ts'
import type { Body } from '../../records/body/record-bytes.ts'
import { answerBuffer, answerBufferBytes, answerWritten } from './serve-lookup.ts'
import { isOneWholeRequest, LentConnection } from './lent-connection.ts'
import type { IsGone, LookupRequest, Reply } from '../exchange/lookup-request.ts'
import { beginsPlainly, PlainReader } from './plain-request.ts'

const { STATUS_CODES } = process.getBuiltinModule('node:http')

export type ServePlain = (request: LookupRequest, reply: Reply, isGone: IsGone) => void

/** The handler and the limits of a listener's connections. */
export interface FastPathTerms {
  serve: ServePlain
  /** Limits on silence before the first request and between requests. */
  firstRequestMs: number
  keepAliveMs: number
  /** How long a response may remain unread without progress. */
  stalledMs: number
  keepAliveLines: string
  /** True while the listener drains or closes: each response then ends its connection. */
  closing: boolean
  /** Lends the connection to Node's server for one request. */
  lend(connection: LentConnection): void
  /** Hands the connection to Node's server permanently. */
  leave(connection: FastConnection, socket: Socket): void
}

export const sweepMs = 1_000
const requestAtMost = 8_192
const lentAtMost = 65_536
/** Lending costs more than handing over, so a connection that sends only such requests is handed over. */
const lentInRowAtMost = 16
const closeLines = 'Connection: close\r\n\r\n'

/** One connection on the fast path. */
export class FastConnection {
  readonly #socket: Socket
  readonly #terms: FastPathTerms
  readonly #peer: string
  #busy = false
  #served = false
  #quietMs = 0
  #ended = false
  /** The first bytes of an incomplete lookup. */
  #begun: Buffer | null = null
  /** Bytes that arrived before the previous response was sent. */
  #early: Buffer | null = null
  #lent: LentConnection | null = null
  /** Consecutive lent requests. */
  #lentInRow = 0
  readonly #reader = new PlainReader()

  constructor(socket: Socket, terms: FastPathTerms) {
    this.#socket = socket
    this.#terms = terms
    this.#peer = socket.remoteAddress ?? ''
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#busy) {
      this.#socket.pause()
      this.#early = chunk
      return
    }
    const bytes = this.#begun ? Buffer.concat([this.#begun, chunk]) : chunk
    this.#begun = null
    // Node's server handles clients that do not read their responses.
    if (this.#socket.writableLength > 0 || bytes.byteLength > lentAtMost) return this.#moveOn(bytes)
    const text = bytes.toString('latin1')
    const request = bytes.byteLength > requestAtMost ? null : this.#reader.read(text, this.#peer)
    if (!request) return this.#passOn(bytes, text)
    this.#busy = true
    this.#served = true
    this.#lentInRow = 0
    this.#terms.serve(request, this.#reply, this.#isGone)
  }

  /** Waits for the rest of an incomplete lookup. Node's server answers any other whole request, then returns the connection. */
  #passOn(bytes: Buffer, text: string): void {
    if (bytes.byteLength <= requestAtMost && beginsPlainly(text)) this.#begun = bytes
    else if (this.#lentInRow < lentInRowAtMost && isOneWholeRequest(text)) this.#lend(bytes)
    else this.#moveOn(bytes)
  }

  readonly #onEnd = (): void => {
    this.#ended = true
    // The client closed in the middle of a request; Node's server reports the error.
    if (this.#begun) this.#lend(this.#begun).push(null)
    else if (!this.#busy) this.#socket.end()
  }

  readonly #onError = (): void => {
    this.#socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#lent?.destroy()
  }

  readonly #isGone: IsGone = () => this.#ended || this.#socket.destroyed

  readonly #reply: Reply = (status, head, body) => {
    const socket = this.#socket
    // A request gets exactly one response, even if something fails after it.
    if (!this.#busy) return
    const isLast = this.#ended || this.#terms.closing
    if (socket.writable) {
      const last = isLast ? closeLines : this.#terms.keepAliveLines
      write(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${head}${dateLine()}${last}`, body)
    }
    this.#answered(isLast)
  }

  #answered(isLast: boolean): void {
    this.#busy = false
    this.#quietMs = 0
    if (isLast) return this.#socket.destroySoon()
    const early = this.#early
    if (!early || !this.#socket.writable) return
    this.#early = null
    this.#socket.resume()
    this.#onData(early)
  }

  #lend(request: Buffer): LentConnection {
    this.#busy = true
    this.#served = true
    this.#lentInRow++
    const lent = new LentConnection(this.#socket, request, () => {
      this.#lent = null
      this.#answered(this.#ended || this.#terms.closing)
    })
    this.#lent = lent
    this.#terms.lend(lent)
    return lent
  }

  #moveOn(bytes: Buffer): void {
    const socket = this.#socket
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('error', this.#onError)
    socket.off('close', this.#onClose)
    socket.off('timeout', this.#onStalled)
    socket.pause()
    this.#terms.leave(this, socket)
    socket.unshift(bytes)
    socket.resume()
  }

  /** Closes a connection that is silent for too long, and starts a timeout for one that does not read. */
  check(): void {
    if (this.#socket.writableLength > 0) this.#watchReader()
    if (this.#busy || this.#socket.writableLength > 0) return
    // Node's server handles slow requests.
    if (this.#begun) return this.#moveOn(this.#begun)
    this.#quietMs += sweepMs
    const quietAtMostMs = this.#served ? this.#terms.keepAliveMs : this.#terms.firstRequestMs
    if (this.#quietMs > quietAtMostMs) this.#socket.destroy()
  }

  closeIfIdle(): void {
    if (!this.#busy && !this.#begun && this.#socket.writableLength === 0) this.#socket.destroy()
  }

  /** Node's socket timeout detects a stalled write; it is set only while unread bytes exist. */
  #watchReader(): void {
    if (this.#socket.timeout === this.#terms.stalledMs) return
    this.#socket.on('timeout', this.#onStalled)
    this.#socket.setTimeout(this.#terms.stalledMs)
  }

  readonly #onStalled = (): void => {
    if (this.#socket.writableLength > 0) return void this.#socket.destroy()
    this.#socket.off('timeout', this.#onStalled)
    this.#socket.setTimeout(0)
  }
}

/** Writes small responses in one chunk, which costs the kernel less than several. */
function write(socket: Socket, lines: string, body: Body): void {
  const length = lines.length + body.byteLength
  if (length > answerBufferBytes) {
    socket.cork()
    socket.write(lines, 'latin1')
    socket.write(body.toBuffer())
    socket.uncork()
    return
  }
  const buffer = answerBuffer()
  body.copyTo(buffer, buffer.write(lines, 'latin1'))
  socket.write(buffer.subarray(0, length))
  answerWritten(socket)
}

let date: string | null = null

/** The Date header line, built once per second. */
function dateLine(): string {
  if (date !== null) return date
  const now = systemClock.now()
  setTimeout(() => (date = null), 1_000 - (now % 1_000)).unref()
  return (date = `Date: ${new Date(now).toUTCString()}\r\n`)
}
