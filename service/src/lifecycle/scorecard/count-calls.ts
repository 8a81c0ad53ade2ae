import type { Kind } from '@vitae/contract'
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
    // An import was no call, and an answer that was tried again belongs to the call that followed.
    if (outcome === 'imported' || outcome === 'interim') return
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

/** Adds up the upstream calls of a span, slice by slice, and names the newest `sample` records of each provider and kind. */
export async function countCalls(
  store: Pick<LifecycleStore, 'providerCallSlice'>,
  { since, until, sample }: { since: number; until: number; sample: number },
): Promise<Map<string, CallTally>> {
  const tallies = new Map<string, CallTally>()
  const tallyOf = (provider: string, kind: Kind) => {
    const name = `${provider} ${kind}`
    const tally = tallies.get(name) ?? new CallTally(provider, kind)
    tallies.set(name, tally)
    return tally
  }
  for (let before: number | null = until; before !== null;) {
    const slice: CallSlice = await store.providerCallSlice({ since, until: before, rows: rowsAtOnce, sample })
    for (const count of slice.counts) tallyOf(count.provider, count.kind).add(count)
    for (const { id, provider, kind } of slice.samples) {
      const { fetchIds } = tallyOf(provider, kind)
      if (fetchIds.length < sample) fetchIds.push(id)
    }
    before = slice.next
  }
  return tallies
}
