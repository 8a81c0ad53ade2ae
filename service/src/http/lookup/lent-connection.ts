import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

type Done = (error?: Error | null) => void

/** Headers that can extend a request beyond its declared length, or switch the protocol. */
const openEnded = /\n(?:transfer-encoding|expect|upgrade|http2-settings|trailer)[\t ]*:/i
const anyLength = /\ncontent-length[^\r\n]*/gi

/** Whether the bytes, as Latin-1, are exactly one whole request of any kind. */
export function isOneWholeRequest(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const head = text.slice(0, end)
  if (openEnded.test(head)) return false
  const bodyLength = text.length - end - 4
  const lengths = head.match(anyLength)
  if (!lengths) return bodyLength === 0
  return lengths.length === 1 && /^\ncontent-length: ?(\d{1,9})$/i.exec(lengths[0])?.[1] === String(bodyLength)
}

/**
 * A connection that Node's HTTP server uses for one whole request. It is returned after the response, or closed if the
 * server ends it.
 */
export class LentConnection extends Duplex {
  readonly #socket: Socket
  readonly #giveBack: () => void
  #isBack = false

  constructor(socket: Socket, request: Buffer, giveBack: () => void) {
    super({ allowHalfOpen: true })
    this.#socket = socket
    this.#giveBack = giveBack
    this.push(request)
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress
  }

  get localPort(): number | undefined {
    return this.#socket.localPort
  }

  /** Whether the client has closed or half-closed the connection. */
  get isGone(): boolean {
    return this.#socket.readableEnded || this.#socket.destroyed
  }

  override _read(): void {
    // The constructor has already pushed the whole request.
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    this.#socket.write(chunk, encoding, done)
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: Done): void {
    this.#socket.cork()
    for (const [index, { chunk, encoding }] of chunks.entries())
      this.#socket.write(chunk, encoding, index === chunks.length - 1 ? done : undefined)
    this.#socket.uncork()
  }

  override _final(done: Done): void {
    this.#socket.destroySoon()
    done()
  }

  override _destroy(error: Error | null, done: Done): void {
    if (!this.#isBack) this.#socket.destroy()
    done(error)
  }

  /** Returns the connection once the response is finished. */
  answeredBy(request: IncomingMessage, response: ServerResponse): void {
    response.once('finish', () => {
      if (!this.writable) return
      // The server would take the next request for the rest of this incomplete one.
      if (!request.complete) return void this.end()
      this.#isBack = true
      this.destroy()
      this.#giveBack()
    })
  }
}

/** Tells lent connections when their response is finished. */
export function watchLent(server: Server): void {
  server.prependListener('request', (request, response) => {
    const connection: Duplex = request.socket
    if (connection instanceof LentConnection) connection.answeredBy(request, response)
  })
}
