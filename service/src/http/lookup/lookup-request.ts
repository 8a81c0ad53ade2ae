import type { Kind } from '@vitae/contract'
import type { Body } from '../../records/body/record-bytes.ts'

/** A lookup as it came in, whichever door it took. */
export interface LookupRequest {
  kind: Kind
  /** The query, without its question mark. */
  search: string
  headers: LookupHeaders
  address: string
}

/** The headers that a lookup is judged by. */
export interface LookupHeaders {
  apiKey: string | undefined
  idempotencyKey: string | undefined
  cacheControl: string | undefined
}

/** Writes an answer: its status, its header lines, each with its line end, and its body. */
export type Reply = (status: number, head: string, body: Body) => void
