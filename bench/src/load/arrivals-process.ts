/** Poisson arrivals in a process of its own: the moments are drawn first, and no answer delays a request. */
import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { quantile } from '../report/spread.ts'
import type { ArrivalsPlan } from './arrivals.ts'
import type { OwnReport } from './own-load.ts'
import { RawConnection } from './raw-connection.ts'

const plan = JSON.parse(await text(process.stdin)) as ArrivalsPlan
const { url, path, headers, perSecond, requests, first, seed } = plan

const lines = Object.entries({ Host: new URL(url).host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
const template = `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
const latencies = new Float64Array(requests)
const statuses: Record<string, number> = {}
const idle: RawConnection[] = []
let charged = 0

/** Mulberry32: small, and the same everywhere. */
function randomOf(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

async function send(index: number, dueAt: number): Promise<void> {
  const connection = idle.pop() ?? (await RawConnection.open(url))
  const { status, head } = await connection.send(template.replaceAll('#', String(first + index).padStart(7, '0')))
  latencies[index] = performance.now() - dueAt
  idle.push(connection)
  statuses[status] = (statuses[status] ?? 0) + 1
  charged += Number(/\r\nX-Credits-Charged: (\d+)/i.exec(head)?.[1] ?? 0)
}

// Where it may: the clock that measures must not wait for a provider or for other load on the same core.
try {
  setPriority(-10)
} catch {
  // Only root may.
}

const random = randomOf(seed)
const startedAt = performance.now()
const answered: Promise<void>[] = []
let dueAt = startedAt
for (let index = 0; index < requests; index++) {
  dueAt -= (Math.log(1 - random()) * 1_000) / perSecond
  // A timer counts whole milliseconds; what is due within the next one is sent now.
  const waitMs = dueAt - performance.now()
  if (waitMs >= 1) await pause(waitMs)
  answered.push(send(index, dueAt))
}
await Promise.all(answered)
const seconds = (performance.now() - startedAt) / 1_000
for (const connection of idle) connection.close()

latencies.sort()
const report: OwnReport = {
  statuses,
  charged,
  seconds,
  p50Ms: quantile(latencies, 0.5),
  p99Ms: quantile(latencies, 0.99),
  maxMs: quantile(latencies, 1),
}
process.stdout.write(JSON.stringify(report))
