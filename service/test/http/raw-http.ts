import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  /** 0 where the connection was closed without an answer. */
  status: number
  headers: Record<string, string>
  body: string
}

const closed: RawAnswer = { status: 0, headers: {}, body: '' }
const patienceMs = 30_000

/** One connection that writes any bytes at all, one request at a time, and reconnects when the server has closed it. */
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
    socket.on('data', (chunk) => {
      this.#heard = Buffer.concat([this.#heard, chunk])
      const answer = wholeAnswer(this.#heard)
      if (!answer) return
      if (answer.headers['connection'] === 'close') this.#forget(socket)
      this.#waiting?.(answer)
    })
    socket.on('close', () => {
      // A connection that was given up long ago says nothing about the request that is waiting now.
      const current = this.#socket === socket
      this.#forget(socket)
      if (current) this.#waiting?.(closed)
    })
    return socket
  }

  #forget(socket: Socket): void {
    if (this.#socket === socket) this.#socket = null
    // What still comes over it belongs to no request.
    socket.removeAllListeners('data').resume()
  }
}

/** The first answer in these bytes once it is there whole; answers of this service always say how long they are. */
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
 * Everything that comes back over a connection of its own: for bytes that may be no request, or several. The writing
 * side is closed once the server has fallen silent, so that it sees the end of an unfinished request.
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

/** The statuses of all answers in what came back. */
export function statusesIn(text: string): number[] {
  return Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))
}

export interface Attack {
  /** What to say about it when it succeeds. */
  name: string
  bytes: Buffer
  /** Whether the bytes may be no request or several: then it gets a connection of its own. */
  alone?: boolean
}

export interface Outcome {
  attack: Attack
  statuses: number[]
  answers: RawAnswer[]
}

/** Sends all attacks over a few connections, and hands every outcome to `check`. */
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

/** A GET request as bytes: header values and the target go out exactly as given, encoded as UTF-8. */
export function getBytes(target: string, headers: Record<string, string> = {}): Buffer {
  const lines = Object.entries({ Host: 'vitae.example', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
}
