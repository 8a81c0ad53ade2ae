/** What a load generator is asked to do: random identifiers and keys, as fast as the connections allow. */
export interface LoadOptions {
  url: string
  keys: string[]
  /** Identifiers are drawn from so many records. */
  ids: number
  connections: number
  seconds: number
}

/** What came of it. Every request that was sent was answered or is counted as broken: nothing is in flight at the end. */
export interface LoadReport {
  /** Answers of status 2xx. */
  ok: number
  /** Answers of any other status, and connections that broke. */
  notOk: number
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** Share of its core that the load generator itself used; null where it is unknown. */
  busy: number | null
}

export interface Load {
  name: string
  run(options: LoadOptions): Promise<LoadReport>
}
