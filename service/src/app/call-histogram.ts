import type { EndedCall } from '../http/deps.ts'

interface Row {
  labels: string
  /** How many calls ended within each bound, and how many after the last one. */
  counts: number[]
  seconds: number
}

const name = 'vitae_call_seconds'
const sources: readonly EndedCall['source'][] = [null, 'live', 'store', 'stale_fallback']
const bounds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/**
 * The histogram of lookups, in Prometheus' text form. By hand, because it is written to with every call, and the
 * library would hash the labels each time. Labels hold only words of ours.
 */
export class CallHistogram {
  readonly #rows = new Map<number, Row>()

  observe(call: EndedCall): void {
    const { kind, source, status, durationMs } = call
    // A number, because a text would have to be put together and hashed with every call.
    const place = (status * 4 + sources.indexOf(source)) * 2 + (kind === 'people' ? 0 : 1)
    const row = this.#rows.get(place) ?? this.#addRow(place, call)
    const seconds = durationMs / 1_000
    let bucket = 0
    while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket++
    row.counts[bucket] = (row.counts[bucket] ?? 0) + 1
    row.seconds += seconds
  }

  text(): string {
    const lines = [`# HELP ${name} Duration of lookups`, `# TYPE ${name} histogram`]
    for (const { labels, counts, seconds } of this.#rows.values()) {
      let total = 0
      for (const [index, count] of counts.entries()) {
        total += count
        lines.push(`${name}_bucket{le="${bounds[index] ?? '+Inf'}",${labels}} ${total}`)
      }
      lines.push(`${name}_sum{${labels}} ${seconds}`, `${name}_count{${labels}} ${total}`)
    }
    return `${lines.join('\n')}\n`
  }

  #addRow(place: number, { kind, source, status }: EndedCall): Row {
    const labels = `endpoint="${kind}",source="${source ?? 'none'}",status="${status}"`
    const row = { labels, counts: [...bounds, Infinity].map(() => 0), seconds: 0 }
    this.#rows.set(place, row)
    return row
  }
}
