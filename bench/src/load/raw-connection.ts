import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  status: number
  /** The unparsed response head, in Latin-1. */
  head: string
}

const headEnd = Buffer.from('\r\n\r\n')

/** A connection that sends one request at a time and reads its response by Content-Length, with minimal overhead. */
export class RawConnection {
  readonly #socket: Socket
  #received: Buffer[] = []
  #size = 0
  #head: { answer: RawAnswer; end: number } | null = null
  #waiting: { resolve(answer: RawAnswer): void; reject(error: Error): void } | null = null

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', (error) => this.#waiting?.reject(error))
    socket.on('close', () => this.#waiting?.reject(new Error('the connection was closed before its answer was whole')))
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  send(request: string): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(request, 'latin1')
    })
  }

  close(): void {
    this.#waiting = null
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    this.#received.push(chunk)
    this.#size += chunk.length
    this.#head ??= this.#readHead()
    if (!this.#head || this.#size < this.#head.end) return
    const { answer } = this.#head
    const waiting = this.#waiting
    this.#received = []
    this.#size = 0
    this.#head = null
    this.#waiting = null
    waiting?.resolve(answer)
  }

  #readHead(): { answer: RawAnswer; end: number } | null {
    const bytes = this.#received.length === 1 ? this.#received[0] : Buffer.concat(this.#received)
    const end = bytes?.indexOf(headEnd) ?? -1
    if (!bytes || end < 0) return null
    const head = bytes.toString('latin1', 0, end)
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length === undefined) throw new Error('an answer without Content-Length cannot be read')
    return { answer: { status: Number(head.slice(9, 12)), head }, end: end + headEnd.length + Number(length) }
  }
}
