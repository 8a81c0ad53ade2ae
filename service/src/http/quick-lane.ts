import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { systemClock } from '../foundation/clock.ts'
import { lengthOf, type Pieces } from '../records/variants.ts'
import type { LookupRequest, Reply } from './lookup-request.ts'
import { PlainReader } from './plain-request.ts'

const { STATUS_CODES } = process.getBuiltinModule('node:http')

export type ServePlain = (request: LookupRequest, reply: Reply) => void

interface LaneLimits {
  /** How long a connection may stay silent before its first request, and between two of them. */
  firstRequestMs: number
  keepAliveMs: number
  /** How long an answer may lie unread without any progress. */
  stalledMs: number
}

const sweepMs = 1_000
const requestAtMost = 8_192
const scratchBytes = 32_768

/**
 * The way in for plain lookups, past Node's HTTP server, which would cost more than all of the lookup. A connection
 * stays here as long as it sends nothing but plain lookups, one at a time. With the first bytes that are anything else it
 * moves, those bytes included, to the server that would have had it otherwise, and never comes back.
 */
export function openQuickLane(server: Server, serve: ServePlain, limits: LaneLimits): void {
  const lanes = new Set<Lane>()
  const usual = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const lane = new Lane(socket, serve, limits, () => {
      lanes.delete(lane)
      for (const listener of usual) listener.call(server, socket)
    })
    lanes.add(lane)
    socket.once('close', () => lanes.delete(lane))
  })

  const sweep = setInterval(() => {
    for (const lane of lanes) lane.check()
  }, sweepMs)
  sweep.unref()
  server.once('close', () => clearInterval(sweep))

  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    for (const lane of lanes) lane.closeIfIdle()
    closeIdle()
  }
}

/** One connection in the lane. */
class Lane {
  readonly #socket: Socket
  readonly #serve: ServePlain
  readonly #limits: LaneLimits
  readonly #leave: () => void
  readonly #address: string
  #busy = false
  #served = false
  #quietMs = 0
  #ended = false
  /** What came while an answer was still due. */
  #early: Buffer | null = null
  readonly #reader = new PlainReader()

  constructor(socket: Socket, serve: ServePlain, limits: LaneLimits, leave: () => void) {
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
      // No lane for who does not wait: the rest of what it sends is read elsewhere, after this answer.
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
    const last = this.#ended ? 'Connection: close\r\n\r\n' : this.#keepAlive
    const lines = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}Date: ${dateText()}\r\n${last}`
    const length = lines.length + lengthOf(body)
    if (length <= scratchBytes) {
      writeCopied(socket, lines, body, length)
    } else {
      socket.cork()
      socket.write(lines, 'latin1')
      for (const piece of body) socket.write(piece)
      socket.uncork()
    }
    if (this.#ended) socket.end()
    else if (this.#early) this.#moveOn(this.#early)
  }

  get #keepAlive(): string {
    return `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(this.#limits.keepAliveMs / 1_000)}\r\n\r\n`
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
function writeCopied(socket: Socket, lines: string, body: Pieces, length: number): void {
  let at = scratch.write(lines, 'latin1')
  for (const piece of body) {
    scratch.set(piece, at)
    at += piece.byteLength
  }
  socket.write(scratch.subarray(0, length))
  // What is still on its way belongs to the socket now.
  if (socket.writableLength > 0) scratch = Buffer.allocUnsafeSlow(scratchBytes)
}

let date: string | null = null

/** The second that it is, as a header has it; made anew when it is over. */
function dateText(): string {
  if (date !== null) return date
  const now = systemClock.now()
  setTimeout(() => (date = null), 1_000 - (now % 1_000)).unref()
  return (date = new Date(now).toUTCString())
}
