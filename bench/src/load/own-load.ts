import { runLoadProcess } from './run-load-process.ts'

/** A fixed number of requests over so many connections; `#` in a text stands for the number of the request. */
export interface Plan {
  url: string
  /** Path and query, such as `/v1/people/profile?profile_id=p#`. */
  path: string
  headers: Record<string, string>
  connections: number
  requests: number
  /** The number of the first request. */
  first?: number
  /** How many requests in a row share one number: 2 sends every one twice. */
  repeat?: number
  /** How long a connection rests after each answer. */
  restMs?: number
}

/** Every request was answered, or the program fails: nothing is in flight at the end. */
export interface OwnReport {
  /** How many answers of each status. */
  statuses: Record<string, number>
  /** The sum of X-Credits-Charged over all answers. */
  charged: number
  seconds: number
  p50Ms: number
  p99Ms: number
  maxMs: number
}

/** Sends exactly the planned requests, each connection one at a time, and waits for all answers. */
export function sendAll(cores: string | null, plan: Plan): Promise<OwnReport> {
  return runLoadProcess<OwnReport>('own-load-process.ts', cores, plan)
}
