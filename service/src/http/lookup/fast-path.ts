import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { systemClock } from '../../foundation/clock.ts'
import type { Body } from '../../records/body/record-bytes.ts'
import type { LookupRequest, Reply } from './lookup-request.ts'
import { PlainReader } from './plain-request.ts'

const { STATUS_CODES } = process.getBuiltinModule('node:http')

export type ServePlain = (request: LookupRequest, reply: Reply) => void

interface FastPathLimits {
  /** How long a connection may stay silent before its first request, and between two of them. */
  firstRequestMs: number
  keepAliveMs: number
  /** How long an answer may lie unread without any progress. */
  stalledMs: number
}

/** The limits, and how they are told to callers. */
interface FastPathTerms extends FastPathLimits {
  keepAliveLines: string
}

const sweepMs = 1_000
const requestAtMost = 8_192
const scratchBytes = 32_768

/**
 * The way in for plain lookups, past Node's HTTP server, which would cost more than all of the lookup. A connection
 * stays here as long as it sends nothing but plain lookups, one at a time. With the first bytes that are anything else it
 * moves, those bytes included, to the server that would have had it otherwise, and never comes back.
 */
export function openFastPath(server: Server, serve: ServePlain, limits: FastPathLimits): void {
  const connections = new Set<FastConnection>()
  const keepAliveLines = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(limits.keepAliveMs / 1_000)}\r\n\r\n`
  const terms = { ...limits, keepAliveLines }
  const usual = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const connection = new FastConnection(socket, serve, terms, () => {
      connections.delete(connection)
      for (const listener of usual) listener.call(server, socket)
    })
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
  })

  const sweep = setInterval(() => {
    for (const connection of connections) connection.check()
  }, sweepMs)
  sweep.unref()
  server.once('close', () => clearInterval(sweep))

  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    for (const connection of connections) connection.closeIfIdle()
    closeIdle()
  }
}

/** One connection on the fast path. */
class FastConnection {
  readonly #socket: Socket
  readonly #serve: ServePlain
  readonly #limits: FastPathTerms
  readonly #leave: () => void
  readonly #address: string
  #busy = false
  #served = false
  #quietMs = 0
  #ended = false
  /** What came while an answer was still due. */
  #early: Buffer | null = null
  readonly #reader = new PlainReader()

  constructor(socket: Socket, serve: ServePlain, limits: FastPathTerms, leave: () => void) {
    this.#socket = socket
    this.#serve = serve
    this.#limits = limits
    this.#leave = leave
    this.#address = socket.remoteAddress ?? ''
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#busy) {
      // A client that does not wait for its answer goes to Node's server after this answer, with what it has sent.
      this.#socket.pause()
      this.#early = chunk
      return
    }
    const request = this.#socket.writableLength === 0 ? this.#read(chunk) : null
    if (!request) return this.#moveOn(chunk)
    this.#busy = true
    this.#served = true
    this.#serve(request, this.#reply)
  }

  readonly #onEnd = (): void => {
    this.#ended = true
    if (!this.#busy) this.#socket.end()
  }

  readonly #onError = (): void => {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): LookupRequest | null {
    if (chunk.byteLength > requestAtMost) return null
    return this.#reader.read(chunk.toString('latin1'), this.#address)
  }

  readonly #reply: Reply = (status, head, body) => {
    const socket = this.#socket
    // Whatever goes wrong after an answer, the caller gets one.
    if (!this.#busy) return
    this.#busy = false
    this.#quietMs = 0
    if (!socket.writable) return
    const last = this.#ended ? 'Connection: close\r\n\r\n' : this.#limits.keepAliveLines
    const lines = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}${dateLine()}${last}`
    if (lines.length + body.byteLength <= scratchBytes) {
      writeCopied(socket, lines, body)
    } else {
      socket.cork()
      socket.write(lines, 'latin1')
      socket.write(body.toBuffer())
      socket.uncork()
    }
    if (this.#ended) socket.end()
    else if (this.#early) this.#moveOn(this.#early)
  }

  #moveOn(bytes: Buffer): void {
    const socket = this.#socket
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('error', this.#onError)
    socket.off('timeout', this.#onStalled)
    socket.pause()
    this.#leave()
    socket.unshift(bytes)
    socket.resume()
  }

  /** Looks after a connection: one that is silent for too long ends, and one that does not read is given a time to. */
  check(): void {
    if (this.#busy) return
    this.#quietMs += sweepMs
    if (this.#socket.writableLength > 0) return this.#watchReader()
    const patience = this.#served ? this.#limits.keepAliveMs : this.#limits.firstRequestMs
    if (this.#quietMs > patience) this.#socket.destroy()
  }

  closeIfIdle(): void {
    if (!this.#busy && this.#socket.writableLength === 0) this.#socket.destroy()
  }

  /** Node's timeout of a socket knows whether what lies in it moves; it is set only where something lies. */
  #watchReader(): void {
    if (this.#socket.timeout === this.#limits.stalledMs) return
    this.#socket.on('timeout', this.#onStalled)
    this.#socket.setTimeout(this.#limits.stalledMs)
  }

  readonly #onStalled = (): void => {
    if (this.#socket.writableLength > 0) return void this.#socket.destroy()
    this.#socket.off('timeout', this.#onStalled)
    this.#socket.setTimeout(0)
  }
}

let scratch = Buffer.allocUnsafeSlow(scratchBytes)

/**
 * Sends an answer as one piece, which is cheaper to hand to the kernel than several. The kernel takes most answers at
 * once, and then the same memory serves the next one: a buffer for each would be all of the garbage that a hot answer makes.
 */
function writeCopied(socket: Socket, lines: string, body: Body): void {
  const bodyStart = scratch.write(lines, 'latin1')
  body.copyTo(scratch, bodyStart)
  socket.write(scratch.subarray(0, bodyStart + body.byteLength))
  // What is still on its way belongs to the socket now.
  if (socket.writableLength > 0) scratch = Buffer.allocUnsafeSlow(scratchBytes)
}

let date: string | null = null

/** The Date header line, made once per second. */
function dateLine(): string {
  if (date !== null) return date
  const now = systemClock.now()
  setTimeout(() => (date = null), 1_000 - (now % 1_000)).unref()
  return (date = `Date: ${new Date(now).toUTCString()}\r\n`)
}
