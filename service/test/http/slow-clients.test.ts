import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWatchedService, type WatchedService } from '../harness/watched-service.ts'

const long = process.env['VITAE_TEST_LONG'] === '1'
const connections = long ? 1_000 : 100
/** The promise is ten seconds. A machine that runs many tests at once gets more, and the actual time is printed. */
const cutWithinMs = 25_000
const patience = 180_000

let service: WatchedService
let key = ''

beforeAll(async () => {
  service = await startWatchedService({ LOG_LEVEL: 'info' })
  key = (await service.makeKey()).key
}, patience)
afterAll(() => service.close())

interface Attacker {
  socket: Socket
  livedMs: Promise<number>
}

/** Opens a connection that sends `first` and then one piece per second, as long as it can. */
async function attack(first: string, drip: string | null, reads: boolean): Promise<Attacker> {
  const socket = connect(service.port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const since = performance.now()
  if (reads) socket.resume()
  else socket.pause()
  socket.write(first)
  const timer = drip === null ? null : setInterval(() => void (socket.writable && socket.write(drip)), 1_000)
  // Not `once(socket, 'close')`, which rejects for a reset connection; a reset is a valid end here.
  const livedMs = new Promise<number>((resolve) => {
    socket.on('close', () => {
      clearInterval(timer ?? undefined)
      resolve(performance.now() - since)
    })
  })
  return { socket, livedMs }
}

async function normalCall(index: number): Promise<number> {
  const since = performance.now()
  const response = await fetch(`${service.url}/v1/people/profile?profile_id=normal-${index % 20}`, {
    headers: { ApiKey: key },
  })
  await response.arrayBuffer()
  expect(response.status).toBe(200)
  return performance.now() - since
}

const modes: [name: string, first: () => string, drip: string | null, reads: boolean][] = [
  ['headers that never end', () => 'GET / HTTP/1.1\r\nHost: x\r\n', 'X-More: 1\r\n', true],
  [
    'a body that never ends',
    () =>
      `POST /admin/v1/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{`,
    ' ',
    true,
  ],
  [
    'a body that never ends, from a stranger',
    () => 'POST /admin/v1/keys HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{',
    ' ',
    true,
  ],
  [
    'chunks that never end',
    () => 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
    '1\r\nx\r\n',
    true,
  ],
  ['not a single byte', () => '', null, true],
]

// All at once, because each test mostly waits ten seconds.
describe.concurrent('slow senders', () => {
  test.each(modes)(
    `${connections} connections with %s are cut in time while normal calls continue`,
    async (_name, first, drip, reads) => {
      const attackers = await Promise.all(Array.from({ length: connections }, () => attack(first(), drip, reads)))
      const gone = Promise.all(attackers.map((attacker) => attacker.livedMs))
      let attacked = true
      void gone.then(() => (attacked = false))

      const times: number[] = []
      while (attacked) {
        times.push(await normalCall(times.length))
        await pause(200)
      }
      const lived = await gone

      console.log(
        `${_name}: cut after ${Math.round(Math.min(...lived))} to ${Math.round(Math.max(...lived))} ms; ${times.length} normal calls, slowest ${Math.round(Math.max(...times))} ms`,
      )
      expect(Math.max(...lived)).toBeLessThan(cutWithinMs)
      expect(times.length).toBeGreaterThan(3)
    },
    patience,
  )
})

test.runIf(existsSync('/proc/self/fd'))(
  `${connections} clients that never read a large answer are cut in time while normal calls continue`,
  async () => {
    const large = await largestAnswer()
    // Several large answers per connection, so that the kernel's buffers cannot hold them all.
    const asks = `GET ${large} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n\r\n`.repeat(8)
    const attackers = await Promise.all(Array.from({ length: connections }, () => attack(asks, null, false)))
    await expect.poll(openSockets).toBeGreaterThan(connections * 0.9)
    const since = performance.now()
    const times: number[] = []
    // A client that does not read does not notice the cut, so the service's sockets are counted.
    while (openSockets() > 20 && performance.now() - since < cutWithinMs * 2) {
      times.push(await normalCall(times.length))
      await pause(100)
    }
    const cutAfterMs = performance.now() - since
    console.log(
      `slow readers: gone after ${Math.round(cutAfterMs)} ms; slowest normal call ${Math.round(Math.max(...times))} ms`,
    )
    for (const { socket } of attackers) socket.destroy()

    // They are gone only after the service has tried to write to all of them, which takes a while on a busy machine.
    expect(cutAfterMs).toBeLessThan(cutWithinMs * 2)
  },
  patience,
)

/** The largest response of the service. */
async function largestAnswer(): Promise<string> {
  const page = await (await fetch(`${service.url}/docs/`)).text()
  const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? ''
  const path = new URL(script, `${service.url}/docs/`).pathname
  const size = (await (await fetch(`${service.url}${path}`)).arrayBuffer()).byteLength
  expect(size).toBeGreaterThan(1_000_000)
  return path
}

/** The number of sockets of the service, from the kernel. */
function openSockets(): number {
  const folder = `/proc/${service.pid}/fd`
  return readdirSync(folder).filter((descriptor) => {
    try {
      return readlinkSync(join(folder, descriptor)).startsWith('socket:')
    } catch {
      return false
    }
  }).length
}
