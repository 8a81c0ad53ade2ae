import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  /** 0 if the connection was closed without a response. */
  status: number
  headers: Record<string, string>
  body: string
}

const closed: RawAnswer = { status: 0, headers: {}, body: '' }
const patienceMs = 30_000

/** A connection that writes any bytes, one request at a time, and reconnects after the server closed it. */
export class RawClient {
  readonly #port: number
  #socket: Socket | null = null
  #heard = Buffer.alloc(0)
  #waiting: ((answer: RawAnswer) => void) | null = null

  constructor(port: number) {
    this.#port = port
  }

  async send(request: Buffer): Promise<RawAnswer> {
    const socket = (this.#socket ??= this.#open())
    this.#heard = Buffer.alloc(0)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`no answer to ${request.toString('latin1').slice(0, 300)}`)),
        patienceMs,
      )
      this.#waiting = (answer) => {
        clearTimeout(timer)
        this.#waiting = null
        resolve(answer)
      }
      socket.write(request)
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  #open(): Socket {
    const socket = connect(this.#port, '127.0.0.1')
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk: Buffer) => {
      this.#heard = Buffer.concat([this.#heard, chunk])
      const answer = wholeAnswer(this.#heard)
      if (!answer) return
      if (answer.headers['connection'] === 'close') this.#forget(socket)
      this.#waiting?.(answer)
    })
    socket.on('close', () => {
      // An abandoned connection says nothing about the current request.
      const current = this.#socket === socket
      this.#forget(socket)
      if (current) this.#waiting?.(closed)
    })
    return socket
  }

  #forget(socket: Socket): void {
    if (this.#socket === socket) this.#socket = null
    // Remaining bytes belong to no request.
    socket.removeAllListeners('data').resume()
  }
}

/** The first complete response in these bytes. Responses of this service always have a length. */
function wholeAnswer(bytes: Buffer): RawAnswer | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const length = Number(headers['content-length'] ?? 0)
  const body = bytes.subarray(end + 4)
  if (body.length < length) return null
  return { status: Number(first.slice(9, 12)), headers, body: body.subarray(0, length).toString() }
}

/**
 * Everything that comes back over a separate connection, for bytes that may be no request, or several. Closes the
 * writing side once the server is silent, so that the server sees the end of an unfinished request.
 */
export function exchange(port: number, bytes: Buffer, silenceMs = 60): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(bytes))
    let heard = ''
    const impatient = setTimeout(() => {
      socket.destroy()
      reject(new Error(`the connection stayed open after ${bytes.toString('latin1').slice(0, 300)}`))
    }, patienceMs)
    let silent = setTimeout(() => socket.end(), silenceMs * 3)
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
      clearTimeout(silent)
      silent = setTimeout(() => socket.end(), silenceMs)
    })
    socket.on('end', () => socket.end())
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(impatient)
      clearTimeout(silent)
      resolve(heard)
    })
  })
}

/** The statuses of all responses in a text. */
export function statusesIn(text: string): number[] {
  return Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))
}

export interface Attack {
  /** The description of the attack if it succeeds. */
  name: string
  bytes: Buffer
  /** Whether the bytes may be no request or several, so that they need a separate connection. */
  alone?: boolean
}

export interface Outcome {
  attack: Attack
  statuses: number[]
  answers: RawAnswer[]
}

/** Sends all attacks over a few connections, and passes every outcome to `check`. */
export async function attackAll(
  port: number,
  attacks: Iterable<Attack>,
  check: (outcome: Outcome) => void,
  connections = 32,
): Promise<void> {
  const queue = attacks[Symbol.iterator]()
  const worker = async () => {
    const client = new RawClient(port)
    try {
      for (let next = queue.next(); !next.done; next = queue.next()) check(await attackOnce(port, client, next.value))
    } finally {
      client.close()
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

async function attackOnce(port: number, client: RawClient, attack: Attack): Promise<Outcome> {
  if (attack.alone) return { attack, statuses: statusesIn(await exchange(port, attack.bytes)), answers: [] }
  const answer = await client.send(attack.bytes)
  return { attack, statuses: answer.status === 0 ? [] : [answer.status], answers: [answer] }
}

/** A GET request as bytes. Header values and the target are sent exactly as given, encoded as UTF-8. */
export function getBytes(target: string, headers: Record<string, string> = {}): Buffer {
  const lines = Object.entries({ Host: 'vitae.example', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
}
