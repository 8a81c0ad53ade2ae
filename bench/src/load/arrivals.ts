import type { OwnReport } from './own-load.ts'
import { runLoadProcess } from './run-load-process.ts'

/** Requests that arrive independently of each other and of the answers; `#` in a text stands for the number of the request. */
export interface ArrivalsPlan {
  url: string
  path: string
  headers: Record<string, string>
  perSecond: number
  requests: number
  first: number
  /** The same seed gives the same moments. */
  seed: number
}

/** Sends every request at its moment, whatever became of those before it; latencies count from that moment. */
export function sendArrivals(cores: string | null, plan: ArrivalsPlan): Promise<OwnReport> {
  return runLoadProcess<OwnReport>('arrivals-process.ts', cores, plan)
}
