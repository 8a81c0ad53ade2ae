import type { AdminAnswer } from '@vitae/contract/admin'
import type { UsageCount } from '../credits/reports/usage-ask.ts'
import { Durations } from '../foundation/durations.ts'
import { isoTime } from '../foundation/clock.ts'

type Point = AdminAnswer<'readOverview'>['series'][number]

/** Every bucket of the range, including empty ones. */
export class Series {
  readonly #buckets = new Map<number, { point: Point; durations: Durations }>()

  constructor(starts: readonly number[]) {
    const none = { live: 0, store: 0, stale: 0, client_errors: 0, server_errors: 0, credits: 0 }
    for (const at of starts) {
      const point = { at: isoTime(at), ...none, p50_ms: null, p95_ms: null }
      this.#buckets.set(at, { point, durations: new Durations() })
    }
  }

  add(count: UsageCount): void {
    const { at, source, status = 0, calls, credits } = count
    const bucket = this.#buckets.get(at)
    if (!bucket) return
    const { point, durations } = bucket
    if (status >= 500) point.server_errors += calls
    else if (status >= 400) point.client_errors += calls
    else if (source === 'live') point.live += calls
    else if (source === 'stale_fallback') point.stale += calls
    else point.store += calls
    point.credits += credits
    durations.addText(count.durations ?? '')
  }

  points(): Point[] {
    return [...this.#buckets.values()].map(({ point, durations }) => ({
      ...point,
      p50_ms: durations.percentile(0.5),
      p95_ms: durations.percentile(0.95),
    }))
  }
}

/** Sums the whole range. */
export function totalsOf(points: readonly Point[]) {
  const sum = (read: (point: Point) => number) => points.reduce((total, point) => total + read(point), 0)
  const [live, store, stale] = [sum((point) => point.live), sum((point) => point.store), sum((point) => point.stale)]
  const [refused, failed] = [sum((point) => point.client_errors), sum((point) => point.server_errors)]
  const failures = refused + failed
  const answered = live + store + stale
  return {
    calls: answered + failures,
    credits: sum((point) => point.credits),
    live,
    store,
    stale,
    failures,
    client_errors: refused,
    server_errors: failed,
    upstream_saved: store,
    store_share: answered === 0 ? 0 : store / answered,
  }
}
