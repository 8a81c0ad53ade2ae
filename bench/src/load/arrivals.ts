import type { OwnReport } from './own-load.ts'
import { runLoadProcess } from './run-load-process.ts'

/**
 * Requests that arrive independently of each other and of the responses. `#` in a text is replaced by the number of the
 * request.
 */
export interface ArrivalsPlan {
  url: string
  path: string
  headers: Record<string, string>
  perSecond: number
  requests: number
  first: number
  /** The same seed repeats the same times. */
  seed: number
}

/** Sends every request at its time, even if earlier ones are still unanswered. Latencies count from that time. */
export function sendArrivals(cores: string | null, plan: ArrivalsPlan): Promise<OwnReport> {
  return runLoadProcess<OwnReport>('arrivals-process.ts', cores, plan)
}
