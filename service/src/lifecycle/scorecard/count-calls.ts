import type { ProviderStore } from '../../providers/operations.ts'
import type { Kind } from '@vitae/contract'
import { dayMs } from '../../foundation/clock.ts'
import { Durations } from '../../foundation/durations.ts'
import type { CallSlice, ProviderCalls } from '../../providers/call-slice.ts'

/** The results of the calls to one provider for one kind of record. */
export class CallTally {
  readonly provider: string
  readonly kind: Kind
  calls = 0
  found = 0
  notFound = 0
  thin = 0
  /** The number of requests that the provider may bill. */
  requests = 0
  readonly faults: Record<string, number> = {}
  /** The cost that the provider itself reported, in its credits. */
  reported = 0
  hasReported = false
  /** The fetches of its newest records. */
  readonly fetchIds: number[] = []
  readonly #durations = new Durations()

  constructor(provider: string, kind: Kind) {
    this.provider = provider
    this.kind = kind
  }

  add({ outcome, thin, step, calls, cost, costed, requests }: ProviderCalls): void {
    this.calls += calls
    this.requests += requests
    this.reported += cost
    this.hasReported ||= costed > 0
    if (outcome === 'found') this.found += calls
    else if (outcome === 'not_found') this.notFound += calls
    else this.faults[outcome] = (this.faults[outcome] ?? 0) + calls
    if (outcome === 'found' && thin === 1) this.thin += calls
    // The duration of a fault shows when we gave up, not how fast the provider is.
    if (outcome === 'found' || outcome === 'not_found') this.#durations.add(step, calls)
  }

  get answered(): number {
    return this.found + this.notFound
  }

  /** Records with more than an identity. */
  get usable(): number {
    return this.found - this.thin
  }

  percentile(share: number): number | null {
    return this.#durations.percentile(share)
  }
}

const rowsAtOnce = 10_000

interface Span {
  since: number
  until: number
}

/** Returns the parts of a period outside the given days. The days must be in order of time. */
function spansBetween({ since, until }: Span, days: readonly number[]): Span[] {
  const starts = [since, ...days.map((day) => day + dayMs)]
  const ends = [...days, until]
  return starts
    .map((start, index) => ({ since: start, until: ends[index] ?? until }))
    .filter((span) => span.since < span.until)
}

/**
 * Adds up the upstream calls of a period, slice by slice, and collects the newest `sample` records of each provider and
 * kind.
 */
export async function countCalls(
  store: { providers: Pick<ProviderStore, 'providerCallSlice' | 'providerDays'> },
  { since, until, sample }: Span & { sample: number },
): Promise<Map<string, CallTally>> {
  const tallies = new Map<string, CallTally>()
  const tallyOf = (provider: string, kind: Kind) => {
    const name = `${provider} ${kind}`
    const tally = tallies.get(name) ?? new CallTally(provider, kind)
    tallies.set(name, tally)
    return tally
  }
  const count = (counts: readonly ProviderCalls[]) => {
    for (const each of counts) tallyOf(each.provider, each.kind).add(each)
  }
  // Daily sums have no samples. With samples, read the fetches for the whole period instead.
  const summed = sample === 0 ? await store.providers.providerDays({ since, until }) : { days: [], counts: [] }
  count(summed.counts)
  for (const part of spansBetween({ since, until }, summed.days)) {
    for (let before: number | null = part.until; before !== null;) {
      const slice: CallSlice = await store.providers.providerCallSlice({
        ...part,
        until: before,
        rows: rowsAtOnce,
        sample,
      })
      count(slice.counts)
      for (const { id, provider, kind } of slice.samples) {
        const { fetchIds } = tallyOf(provider, kind)
        if (fetchIds.length < sample) fetchIds.push(id)
      }
      before = slice.next
    }
  }
  return tallies
}
