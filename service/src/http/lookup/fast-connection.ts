import type { Socket } from 'node:net'
import { systemClock } from '../../foundation/clock.ts'
import type { Body } from '../../records/body/record-bytes.ts'
import { answerBuffer, answerBufferBytes, answerWritten } from './serve-lookup.ts'
import { isOneWholeRequest, LentConnection } from './lent-connection.ts'
import type { IsGone, LookupRequest, Reply } from './lookup-request.ts'
import { beginsPlainly, PlainReader } from './plain-request.ts'

const { STATUS_CODES } = process.getBuiltinModule('node:http')

export type ServePlain = (request: LookupRequest, reply: Reply, isGone: IsGone) => void

/** How the connections of a listener are treated, and by whom. */
export interface FastPathTerms {
  serve: ServePlain
  /** How long a connection may stay silent before its first request, and between two of them. */
  firstRequestMs: number
  keepAliveMs: number
  /** How long an answer may lie unread without any progress. */
  stalledMs: number
  keepAliveLines: string
  /** True while the listener closes or is about to: every answer is the last of its connection. */
  closing: boolean
  /** Lets Node's server answer one request on a connection that comes back. */
  lend(connection: LentConnection): void
  /** Gives Node's server a connection for good. */
  leave(connection: FastConnection, socket: Socket): void
}

export const sweepMs = 1_000
const requestAtMost = 8_192
const lentAtMost = 65_536
/** To lend a connection costs more than to give it to Node's server: whoever sends nothing but such requests is given to it. */
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
  /** The first piece of a lookup whose rest has not come yet. */
  #begun: Buffer | null = null
  /** What came while an answer was still due. */
  #early: Buffer | null = null
  #lent: LentConnection | null = null
  /** How many requests in a row were lent. */
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
    // A client that does not read its answers is Node's to deal with.
    if (this.#socket.writableLength > 0 || bytes.byteLength > lentAtMost) return this.#moveOn(bytes)
    const text = bytes.toString('latin1')
    const request = bytes.byteLength > requestAtMost ? null : this.#reader.read(text, this.#peer)
    if (!request) return this.#passOn(bytes, text)
    this.#busy = true
    this.#served = true
    this.#lentInRow = 0
    this.#terms.serve(request, this.#reply, this.#isGone)
  }

  /** Waits for the rest of a lookup; any other whole request goes to Node's server, and the connection comes back. */
  #passOn(bytes: Buffer, text: string): void {
    if (bytes.byteLength <= requestAtMost && beginsPlainly(text)) this.#begun = bytes
    else if (this.#lentInRow < lentInRowAtMost && isOneWholeRequest(text)) this.#lend(bytes)
    else this.#moveOn(bytes)
  }

  readonly #onEnd = (): void => {
    this.#ended = true
    // Half a request and its end: Node's server says what is wrong about it.
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
    // Whatever goes wrong after an answer, the caller gets one.
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

  /** Looks after a connection: one that is silent for too long ends, and one that does not read is given a time to. */
  check(): void {
    if (this.#socket.writableLength > 0) this.#watchReader()
    if (this.#busy || this.#socket.writableLength > 0) return
    // Slow requests are Node's to deal with.
    if (this.#begun) return this.#moveOn(this.#begun)
    this.#quietMs += sweepMs
    const quietAtMostMs = this.#served ? this.#terms.keepAliveMs : this.#terms.firstRequestMs
    if (this.#quietMs > quietAtMostMs) this.#socket.destroy()
  }

  closeIfIdle(): void {
    if (!this.#busy && !this.#begun && this.#socket.writableLength === 0) this.#socket.destroy()
  }

  /** Node's timeout of a socket knows whether what lies in it moves; it is set only where something lies. */
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

/** Sends an answer, as one piece where it is not too large: that is cheaper to hand to the kernel than several. */
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

/** The Date header line, made once per second. */
function dateLine(): string {
  if (date !== null) return date
  const now = systemClock.now()
  setTimeout(() => (date = null), 1_000 - (now % 1_000)).unref()
  return (date = `Date: ${new Date(now).toUTCString()}\r\n`)
}
