import type { DataSource, Kind, ReadPath } from '@vitae/contract'

/** The parameters of a call, as text. */
export type ToolQuery = Record<string, string>

/** A record, its source and its price. */
export interface FoundRecord {
  record: Record<string, unknown>
  source: DataSource
  fetchedAt: string
  ageSeconds: number
  sourceUpdatedAt: string | null
  thin: boolean
  /** The fields that other fetches filled. */
  filledFrom: readonly FilledFields[]
  charged: number
  /** For a match: its likelihood, and what agreed. */
  match?: { likelihood: number | null; matchedOn: readonly string[] }
}

/** Fields of a record that one fetch has filled. */
export interface FilledFields {
  provider: string
  fields: string[]
  ageSeconds: number
}

/**
 * The actions of the tools. Each transport implements it: inside the service, or over HTTP. Failures are
 * `ToolFailure`s.
 */
export interface ToolApi {
  /** Why paid tools refuse to run, in a sentence that tells how to fix it; null if spending is limited. */
  readonly spendingRefusal: string | null
  lookup(kind: Kind, query: ToolQuery): Promise<FoundRecord>
  /** Finds a record by a match. The input is sent in a body, never in a URL. */
  match(kind: Kind, held: Record<string, unknown>): Promise<FoundRecord>
  /** Calls a read-only JSON route. */
  read(path: ReadPath, query: ToolQuery): Promise<ReadAnswer>
  /** The remaining credits; null with a test key. */
  left(): Promise<number | null>
}

/** The answer of another route, and its price. */
export interface ReadAnswer {
  body: Record<string, unknown>
  charged: number
}

/** An expected failure of a tool. */
export class ToolFailure extends Error {
  readonly code: string
  readonly retryAfterSeconds: number | null

  constructor(code: string, message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.name = 'ToolFailure'
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}
