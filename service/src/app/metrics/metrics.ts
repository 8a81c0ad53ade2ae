import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { Kind } from '@vitae/contract'
import type { LoadGuard } from '../../foundation/pacing/load-guard.ts'
import type { EndedCall } from '../../lookup/ended-call.ts'
import type { Attempt } from '../../providers/chain/ask-one-provider.ts'
import type { Chain } from '../../providers/chain/chain.ts'

interface Deps {
  guard: LoadGuard
  cacheBytes(): number
  /** Read when Prometheus scrapes. */
  gauges: { text(): Promise<string> }
}

const seconds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]
const breakerStates = { closed: 0, 'half-open': 0.5, open: 1 } as const

/**
 * The metrics for an operator's Prometheus. No label contains a key, an identifier or a project, so there are few
 * series.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #calls = new CallHistogram()
  readonly #credits: Record<Kind, number> = { people: 0, companies: 0 }
  readonly #shed = new Counter({
    name: 'vitae_calls_shed_total',
    help: 'Lookups refused because of overload',
    registers: [this.#registry],
  })
  readonly #deliveries = new Counter({
    name: 'vitae_webhook_deliveries_total',
    help: 'Attempts to deliver an event to a webhook',
    labelNames: ['outcome'],
    registers: [this.#registry],
  })
  readonly #strays = new Counter({
    name: 'vitae_provider_stray_failures_total',
    help: 'Rejections and exceptions that the code of a provider left behind',
    labelNames: ['provider'],
    registers: [this.#registry],
  })
  readonly #batchSize: Histogram
  readonly #batchSeconds = this.#histogram('vitae_settlement_seconds', 'Duration of settlements', [])
  readonly #upstream = this.#histogram('vitae_upstream_seconds', 'Duration of provider asks', ['provider', 'outcome'])

  readonly #gauges: Deps['gauges']

  constructor({ guard, cacheBytes, gauges }: Deps) {
    this.#gauges = gauges
    const registers = [this.#registry]
    this.#batchSize = new Histogram({
      name: 'vitae_settlement_batch_size',
      help: 'Requests per settlement',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000],
      registers,
    })
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({ name, help, registers, collect: set(read) })
    gauge('vitae_event_loop_lag_seconds', 'How late the event loop is', () => guard.lagMs / 1_000)
    gauge('vitae_calls_in_flight', 'Lookups being served', () => guard.inFlight)
    gauge('vitae_cache_bytes', 'Bytes of ready records in memory', cacheBytes)
    gauge('process_resident_memory_bytes', 'Resident memory', residentBytes)
    const credits = this.#credits
    const charged = new Counter({
      name: 'vitae_credits_charged_total',
      help: 'Credits charged',
      labelNames: ['endpoint'],
      registers: [],
      collect() {
        this.reset()
        for (const [endpoint, sum] of Object.entries(credits)) this.inc({ endpoint }, sum)
      },
    })
    this.#registry.registerMetric(charged)
  }

  /** Adds the breaker states of a chain. */
  watchProviders(chain: Pick<Chain, 'states'>): void {
    const breakers = new Gauge({
      name: 'vitae_breaker_open',
      help: 'State of the breaker: 0 closed, 0.5 half open, 1 open',
      labelNames: ['provider'],
      registers: [],
      collect() {
        for (const { provider, breaker } of chain.states()) this.set({ provider }, breakerStates[breaker])
      },
    })
    this.#registry.registerMetric(breakers)
  }

  callEnded(call: EndedCall): void {
    this.#calls.observe(call)
    this.#credits[call.kind] += call.credits
    if (call.code === 'overloaded') this.#shed.inc()
  }

  readonly settled = (size: number, ms: number): void => {
    this.#batchSize.observe(size)
    this.#batchSeconds.observe(ms / 1_000)
  }

  readonly asked = ({ provider, outcome, durationMs }: Attempt): void =>
    this.#upstream.observe({ provider, outcome }, durationMs / 1_000)

  strayed(provider: string): void {
    this.#strays.inc({ provider })
  }

  delivered(outcome: 'delivered' | 'failed' | 'refused'): void {
    this.#deliveries.inc({ outcome })
  }

  /** The text that Prometheus scrapes. */
  async text(): Promise<string> {
    return `${this.#calls.text()}\n${await this.#registry.metrics()}${await this.#gauges.text()}`
  }

  #histogram<Label extends string>(name: string, help: string, labelNames: Label[]): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets: seconds, registers: [this.#registry] })
  }
}

/** Node opens a file for this figure, which fails if the process has too many open. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss()
  } catch {
    return NaN
  }
}

function set(read: () => number) {
  return function collect(this: Gauge): void {
    this.set(read())
  }
}

interface Row {
  labels: string
  /** The number of calls within each bound, and after the last one. */
  counts: number[]
  seconds: number
  /**
   * How the same counts differ without the time spent waiting for providers: calls that waited move to lower buckets.
   */
  shifts: number[]
  waitedSeconds: number
}

const sources: readonly EndedCall['source'][] = [null, 'live', 'store', 'stale_fallback']
const bounds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/**
 * The histogram of lookups in Prometheus' text format, and the same without the time spent waiting for providers. It is
 * written by hand, because every call updates it and the library would hash the labels each time. Most calls wait for
 * no provider, so the second one stores only its difference from the first. Labels contain only our own words.
 */
export class CallHistogram {
  readonly #rows = new Map<number, Row>()

  observe(call: EndedCall): void {
    const { kind, source, status, durationMs } = call
    // A number, because a string would have to be built and hashed with every call.
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
