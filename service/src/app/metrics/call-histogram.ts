import type { EndedCall } from '../../lookup/ended-call.ts'

interface Row {
  labels: string
  /** How many calls ended within each bound, and how many after the last one. */
  counts: number[]
  seconds: number
  /** How the same counts differ without the time in which calls waited for providers: those that waited stand lower. */
  shifts: number[]
  waitedSeconds: number
}

const sources: readonly EndedCall['source'][] = [null, 'live', 'store', 'stale_fallback']
const bounds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/**
 * The histogram of lookups, in Prometheus' text form, and the same without the time in which they waited for providers. By
 * hand, because it is written to with every call, and the library would hash the labels each time. Most calls wait for no
 * provider, so the second one keeps only how it differs from the first. Labels hold only words of ours.
 */
export class CallHistogram {
  readonly #rows = new Map<number, Row>()

  observe(call: EndedCall): void {
    const { kind, source, status, durationMs } = call
    // A number, because a text would have to be put together and hashed with every call.
    const place = (status * 4 + sources.indexOf(source)) * 2 + (kind === 'people' ? 0 : 1)
    const row = this.#rows.get(place) ?? this.#addRow(place, call)
    const seconds = durationMs / 1_000
    const bucket = bucketOf(seconds)
    row.counts[bucket] = (row.counts[bucket] ?? 0) + 1
    row.seconds += seconds
    if (call.trace) this.#noteWait(row, seconds, call.trace.providerMs / 1_000)
  }

  #noteWait(row: Row, seconds: number, waited: number): void {
    if (waited === 0) return
    const own = Math.max(0, seconds - waited)
    row.waitedSeconds += seconds - own
    const [from, to] = [bucketOf(seconds), bucketOf(own)]
    row.shifts[from] = (row.shifts[from] ?? 0) - 1
    row.shifts[to] = (row.shifts[to] ?? 0) + 1
  }

  text(): string {
    const rows = [...this.#rows.values()]
    const own = rows.map(({ labels, counts, shifts, seconds, waitedSeconds }) => ({
      labels,
      counts: counts.map((count, index) => count + (shifts[index] ?? 0)),
      seconds: Math.max(0, seconds - waitedSeconds),
    }))
    return [
      histogramText('vitae_call_seconds', 'Duration of lookups', rows),
      histogramText('vitae_overhead_seconds', 'Duration of lookups without the time of waiting for providers', own),
    ].join('')
  }

  #addRow(place: number, { kind, source, status }: EndedCall): Row {
    const labels = `endpoint="${kind}",source="${source ?? 'none'}",status="${status}"`
    const none = [...bounds, Infinity].map(() => 0)
    const row = { labels, counts: none, seconds: 0, shifts: [...none], waitedSeconds: 0 }
    this.#rows.set(place, row)
    return row
  }
}

function bucketOf(seconds: number): number {
  let bucket = 0
  while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket++
  return bucket
}

function histogramText(
  name: string,
  help: string,
  rows: readonly Pick<Row, 'labels' | 'counts' | 'seconds'>[],
): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`]
  for (const { labels, counts, seconds } of rows) {
    let total = 0
    for (const [index, count] of counts.entries()) {
      total += count
      lines.push(`${name}_bucket{le="${bounds[index] ?? '+Inf'}",${labels}} ${total}`)
    }
    lines.push(`${name}_sum{${labels}} ${seconds}`, `${name}_count{${labels}} ${total}`)
  }
  return `${lines.join('\n')}\n`
}
