/** The job of a load generator: random identifiers and keys, as fast as the connections allow. */
export interface LoadOptions {
  url: string
  keys: string[]
  /** The number of records that identifiers are drawn from. */
  ids: number
  connections: number
  seconds: number
}

/** The result. Every sent request was answered or counts as broken: nothing is in flight at the end. */
export interface LoadReport {
  /** Responses with status 2xx. */
  ok: number
  /** Responses with any other status, and broken connections. */
  notOk: number
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** The share of its core that the load generator itself used; null if unknown. */
  busy: number | null
}

export interface Load {
  name: string
  run(options: LoadOptions): Promise<LoadReport>
}
