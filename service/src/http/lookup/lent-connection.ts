import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

type Done = (error?: Error | null) => void

/** What can make a request longer than its head and length say, or its connection something else. */
const openEnded = /\n(?:transfer-encoding|expect|upgrade|http2-settings|trailer)[\t ]*:/i
const anyLength = /\ncontent-length[^\r\n]*/gi

/** True where the bytes, as Latin-1, are one whole request and nothing behind it, whatever it asks for. */
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
 * A connection as Node's HTTP server sees it while it answers one whole request. With the end of the answer the connection
 * is given back; where the server ends it instead, it ends.
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

  /** Whether the other end has closed it, or its side of it. */
  get isGone(): boolean {
    return this.#socket.readableEnded || this.#socket.destroyed
  }

  override _read(): void {
    // All that there is to read has been pushed.
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

  /** Waits for the end of the one answer. */
  answeredBy(request: IncomingMessage, response: ServerResponse): void {
    response.once('finish', () => {
      if (!this.writable) return
      // A server that waits for more of this request would take the next one for it.
      if (!request.complete) return void this.end()
      this.#isBack = true
      this.destroy()
      this.#giveBack()
    })
  }
}

/** Lets lent connections know of their answers. */
export function watchLent(server: Server): void {
  server.prependListener('request', (request, response) => {
    const connection: Duplex = request.socket
    if (connection instanceof LentConnection) connection.answeredBy(request, response)
  })
}
