import { runLoadProcess } from './run-load-process.ts'

/** A fixed number of requests over a number of connections. `#` in a text is replaced by the number of the request. */
export interface Plan {
  url: string
  /** Path and query, such as `/v1/people/profile?profile_id=p#`. */
  path: string
  headers: Record<string, string>
  connections: number
  requests: number
  /** The number of the first request. */
  first?: number
  /** The number of consecutive requests that share one number: 2 sends every request twice. */
  repeat?: number
  /** The pause of a connection after each response. */
  restMs?: number
}

/** The program fails unless every request was answered: nothing is in flight at the end. */
export interface OwnReport {
  /** The number of responses per status. */
  statuses: Record<string, number>
  /** The sum of X-Credits-Charged over all answers. */
  charged: number
  seconds: number
  p50Ms: number
  p99Ms: number
  maxMs: number
}

/** Sends exactly the planned requests, one at a time per connection, and waits for all responses. */
export function sendAll(cores: string | null, plan: Plan): Promise<OwnReport> {
  return runLoadProcess<OwnReport>('own-load-process.ts', cores, plan)
}
