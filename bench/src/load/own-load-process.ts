/**
 * Our own load generator in a separate process: sends exactly the planned requests and reads every response to its end.
 */
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Plan } from './own-load.ts'
import { RawConnection } from './raw-connection.ts'
import { requestText, Tally } from './tally.ts'

const plan = JSON.parse(await text(process.stdin)) as Plan
const { url, path, headers, connections, requests, first = 0, repeat = 1, restMs = 0 } = plan

const textOf = requestText(url, path, headers)
const tally = new Tally(requests)
let next = 0

async function work(connection: RawConnection): Promise<void> {
  while (next < requests) {
    const index = next++
    const sentAt = performance.now()
    const answer = await connection.send(textOf(first + Math.floor(index / repeat)))
    tally.count(index, performance.now() - sentAt, answer)
    if (restMs > 0) await pause(restMs)
  }
}

const open = await Promise.all(Array.from({ length: connections }, () => RawConnection.open(url)))
const startedAt = performance.now()
await Promise.all(open.map(work))
const seconds = (performance.now() - startedAt) / 1_000
for (const connection of open) connection.close()

tally.print(seconds)
