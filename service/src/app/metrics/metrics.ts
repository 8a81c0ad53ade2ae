import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Kind } from '@vitae/contract'
import { CallHistogram } from './call-histogram.ts'
import type { LoadGuard } from '../../foundation/load-guard.ts'
import type { EndedCall } from '../../lookup/ended-call.ts'
import type { Chain } from '../../providers/chain/chain.ts'

interface Deps {
  guard: LoadGuard
  cacheBytes(): number
  /** What is read when Prometheus asks. */
  gauges: { text(): Promise<string> }
}

const seconds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]
const breakerStates = { closed: 0, 'half-open': 0.5, open: 1 } as const

/** What an operator's Prometheus sees. Nothing here carries a key, an identifier or a project: labels stay few. */
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

  /** Shows the breakers of a chain. */
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

  settled(size: number, ms: number): void {
    this.#batchSize.observe(size)
    this.#batchSeconds.observe(ms / 1_000)
  }

  asked(provider: string, outcome: string, ms: number): void {
    this.#upstream.observe({ provider, outcome }, ms / 1_000)
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

/** Node opens a file for this figure, which fails where the process has too many open. */
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
