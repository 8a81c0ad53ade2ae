import type { Kind } from '@vitae/contract'
import type { Caller } from '../../accounts/caller.ts'
import type { RateVerdict } from '../../accounts/rate-limits/rate-limiter.ts'
import type { Coding } from '../../foundation/compress.ts'
import type { Body } from '../../records/body/record-bytes.ts'

/** A lookup as received, by the fast path or through Fastify. */
export interface LookupRequest {
  kind: Kind
  /** The query, without its question mark. */
  search: string
  headers: LookupHeaders
  /** The remote address: the caller, or a proxy in front of the service. */
  peer: string
}

/** The request headers that matter to a lookup. */
export interface LookupHeaders {
  /** From any of the key headers, see `caller-headers`. */
  apiKey: string | undefined
  idempotencyKey: string | undefined
  spendTag: string | undefined
  cacheControl: string | undefined
  forwardedFor: string | undefined
  accept: string | undefined
  /** The coding for a large response, from `Accept-Encoding`; null = uncompressed. */
  coding: Coding | null
}

/** Whether the caller has closed or half-closed its connection, so nobody may be waiting for the response. */
export type IsGone = () => boolean

/** Writes a response: status, header lines (each with its line end) and body. */
export type Reply = (status: number, head: string, body: Body) => void

/** The facts of a call in progress; each passed check adds some. */
export interface Progress {
  requestId: string
  startedAt: number
  caller: Caller | null
  rate: RateVerdict | null
  /** The value of `X-Ignored-Parameters`, with valid header characters only. */
  ignoredParameters: string | null
  /** The caller's spend tag. */
  spendTag: string | null
  /** Set if the tag is counted under another name. */
  tagCountedAs: string | null
}
