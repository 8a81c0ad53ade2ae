/** Our own load in a process of its own: exactly the planned requests, every answer read to its end. */
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { OwnReport, Plan } from './own-load.ts'
import { RawConnection } from './raw-connection.ts'
import { quantile } from '../report/spread.ts'

const plan = JSON.parse(await text(process.stdin)) as Plan
const { url, path, headers, connections, requests, first = 0, repeat = 1, restMs = 0 } = plan

const lines = Object.entries({ Host: new URL(url).host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
const template = `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
const latencies = new Float64Array(requests)
const statuses: Record<string, number> = {}
let charged = 0
let next = 0

async function work(connection: RawConnection): Promise<void> {
  while (next < requests) {
    const index = next++
    const request = template.replaceAll('#', String(first + Math.floor(index / repeat)).padStart(7, '0'))
    const sentAt = performance.now()
    const { status, head } = await connection.send(request)
    latencies[index] = performance.now() - sentAt
    statuses[status] = (statuses[status] ?? 0) + 1
    charged += Number(/\r\nX-Credits-Charged: (\d+)/i.exec(head)?.[1] ?? 0)
    if (restMs > 0) await pause(restMs)
  }
}

const open = await Promise.all(Array.from({ length: connections }, () => RawConnection.open(url)))
const startedAt = performance.now()
await Promise.all(open.map(work))
const seconds = (performance.now() - startedAt) / 1_000
for (const connection of open) connection.close()

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
