import { connect, createServer, type Socket } from 'node:net'

/** A proxy to a server that counts what its users send. */
export interface CountingWay {
  url: string
  /** Messages that the server answers one by one. */
  readonly messages: number
  close(): void
}

/** Reads the next message of a stream: its length, and whether it counts. Null: it is not complete yet. */
type ReadMessage = (bytes: Buffer, isFirst: boolean) => { length: number; counts: boolean } | null

/** Counts round trips to PostgreSQL: messages that end with a sync, and simple queries. */
export function countPostgres(url: string): Promise<CountingWay> {
  return countingWay(url, (bytes, isFirst) => {
    // The first message of a connection has no type.
    const header = isFirst ? 4 : 5
    if (bytes.length < header) return null
    const length = bytes.readInt32BE(header - 4) + header - 4
    const type = isFirst ? '' : String.fromCharCode(bytes[0] ?? 0)
    return { length, counts: type === 'S' || type === 'Q' }
  })
}

/** The probes of a connection, which are sent with or without calls. */
const probes = /vitae:echo|vitae:epoch|\r\nclient\r\n|\r\ninfo\r\n/i

/** Counts commands to Redis, without the probes of the connection. */
export function countRedis(url: string): Promise<CountingWay> {
  return countingWay(url, (bytes) => {
    let end = bytes.indexOf('\r\n')
    if (end < 0) return null
    const parts = Number(bytes.toString('latin1', 1, end))
    for (let part = 0; part < parts; part++) {
      const at = end + 2
      end = bytes.indexOf('\r\n', at)
      if (end < 0) return null
      end += 2 + Number(bytes.toString('latin1', at + 1, end))
    }
    const length = end + 2
    if (length > bytes.length) return null
    return { length, counts: !probes.test(bytes.toString('latin1', 0, length)) }
  })
}

async function countingWay(url: string, read: ReadMessage): Promise<CountingWay> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let messages = 0
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    let [waiting, isFirst] = [Buffer.alloc(0), true]
    near.on('data', (bytes: Buffer) => {
      waiting = Buffer.concat([waiting, bytes])
      for (let next = read(waiting, isFirst); next && next.length <= waiting.length; next = read(waiting, isFirst)) {
        if (next.counts) messages++
        waiting = waiting.subarray(next.length)
        isFirst = false
      }
      far.write(bytes)
    })
    far.pipe(near)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one.setNoDelay())
      one.on('error', () => other.destroy()).on('close', () => sockets.delete(one) && other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('no port')
  const way = new URL(url)
  way.hostname = '127.0.0.1'
  way.port = String(address.port)
  return {
    url: way.href,
    get messages() {
      return messages
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
