import { quantile } from '../report/spread.ts'
import type { OwnReport } from './own-load.ts'

/** The text of a GET request. `#` in its path is replaced by the number of the request. */
export function requestText(url: string, path: string, headers: Record<string, string>): (number: number) => string {
  const lines = Object.entries({ Host: new URL(url).host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const template = `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
  return (number) => template.replaceAll('#', String(number).padStart(7, '0'))
}

/** Counts the responses, their cost and their latencies. */
export class Tally {
  readonly #latencies: Float64Array
  readonly #statuses: Record<string, number> = {}
  #charged = 0

  constructor(requests: number) {
    this.#latencies = new Float64Array(requests)
  }

  count(index: number, tookMs: number, { status, head }: { status: number; head: string }): void {
    this.#latencies[index] = tookMs
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
    this.#charged += Number(/\r\nX-Credits-Charged: (\d+)/i.exec(head)?.[1] ?? 0)
  }

  /** Prints the report once, for the process that started this one. */
  print(seconds: number): void {
    const latencies = this.#latencies.toSorted()
    const report: OwnReport = {
      statuses: this.#statuses,
      charged: this.#charged,
      seconds,
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
      maxMs: quantile(latencies, 1),
    }
    process.stdout.write(JSON.stringify(report))
  }
}
