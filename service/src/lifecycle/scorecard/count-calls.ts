import type { Kind } from '@vitae/contract'
import { dayMs } from '../../foundation/clock.ts'
import { Durations } from '../../foundation/durations.ts'
import type { CallSlice, ProviderCalls } from '../../providers/call-slice.ts'
import type { LifecycleStore } from '../operations.ts'

/** What the calls to one provider for one kind of record came to. */
export class CallTally {
  readonly provider: string
  readonly kind: Kind
  calls = 0
  found = 0
  notFound = 0
  thin = 0
  /** Requests that the provider may bill. */
  requests = 0
  readonly faults: Record<string, number> = {}
  /** What the provider itself said the calls cost, in its credits. */
  reported = 0
  hasReported = false
  /** Of the newest records that it gave. */
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
    // How long a fault took says when we gave up, not how quick the provider is.
    if (outcome === 'found' || outcome === 'not_found') this.#durations.add(step, calls)
  }

  get answered(): number {
    return this.found + this.notFound
  }

  /** Records that say more than who they are about. */
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

/** What of a span is not in these days, which are in the order of time. */
function spansBetween({ since, until }: Span, days: readonly number[]): Span[] {
  const starts = [since, ...days.map((day) => day + dayMs)]
  const ends = [...days, until]
  return starts
    .map((start, index) => ({ since: start, until: ends[index] ?? until }))
    .filter((span) => span.since < span.until)
}

/** Adds up the upstream calls of a span, slice by slice, and names the newest `sample` records of each provider and kind. */
export async function countCalls(
  store: Pick<LifecycleStore, 'providerCallSlice' | 'providerDays'>,
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
  // Records are named from the fetches themselves, which are read for that anyway.
  const summed = sample === 0 ? await store.providerDays({ since, until }) : { days: [], counts: [] }
  count(summed.counts)
  for (const part of spansBetween({ since, until }, summed.days)) {
    for (let before: number | null = part.until; before !== null;) {
      const slice: CallSlice = await store.providerCallSlice({ ...part, until: before, rows: rowsAtOnce, sample })
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
