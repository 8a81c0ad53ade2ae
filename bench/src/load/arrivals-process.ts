/** Poisson arrivals in a separate process: the times are drawn first, and no response delays a request. */
import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { ArrivalsPlan } from './arrivals.ts'
import { RawConnection } from './raw-connection.ts'
import { requestText, Tally } from './tally.ts'

const plan = JSON.parse(await text(process.stdin)) as ArrivalsPlan
const { url, path, headers, perSecond, requests, first, seed } = plan

const textOf = requestText(url, path, headers)
const tally = new Tally(requests)
const idle: RawConnection[] = []

/** Mulberry32: a small generator with the same numbers on every machine. */
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
  const answer = await connection.send(textOf(first + index))
  tally.count(index, performance.now() - dueAt, answer)
  idle.push(connection)
}

// If permitted: the measuring clock must not wait for a provider or other load on the same core.
try {
  setPriority(-10)
} catch {
  // Only root may raise the priority.
}

const random = randomOf(seed)
const startedAt = performance.now()
const answered: Promise<void>[] = []
let dueAt = startedAt
for (let index = 0; index < requests; index++) {
  dueAt -= (Math.log(1 - random()) * 1_000) / perSecond
  // Timers have a resolution of one millisecond, so requests due within the next one are sent now.
  const waitMs = dueAt - performance.now()
  if (waitMs >= 1) await pause(waitMs)
  answered.push(send(index, dueAt))
}
await Promise.all(answered)
const seconds = (performance.now() - startedAt) / 1_000
for (const connection of idle) connection.close()

tally.print(seconds)
