import type { DataSource, Kind, ReadPath } from '@vitae/contract'

/** Parameters of a call, as text. */
export type ToolQuery = Record<string, string>

/** A record, where it came from, and what it cost. */
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
  /** Of a match: how sure it is, and what agreed. */
  match?: { likelihood: number | null; matchedOn: readonly string[] }
}

/** Fields of a record that one fetch has filled. */
export interface FilledFields {
  provider: string
  fields: string[]
  ageSeconds: number
}

/** What tools may do. Each transport brings its own: inside the service, or over HTTP. Failures are `ToolFailure`s. */
export interface ToolApi {
  /** Why tools that cost credits refuse, in a sentence that says what to do about it; null where spending is limited. */
  readonly spendingRefusal: string | null
  lookup(kind: Kind, query: ToolQuery): Promise<FoundRecord>
  /** From what is held of someone to the record. What is held stands in a body, never in an address. */
  match(kind: Kind, held: Record<string, unknown>): Promise<FoundRecord>
  /** Reads one of the routes that give JSON. */
  read(path: ReadPath, query: ToolQuery): Promise<ReadAnswer>
  /** What may still be spent; null with a test key. */
  left(): Promise<number | null>
}

/** An answer of another route, and what it cost. */
export interface ReadAnswer {
  body: Record<string, unknown>
  charged: number
}

/** An expected end of a tool without a result. */
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
