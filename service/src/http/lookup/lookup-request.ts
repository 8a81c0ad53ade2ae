import type { Kind } from '@vitae/contract'
import type { Caller } from '../../accounts/key-cache.ts'
import type { RateVerdict } from '../../accounts/rate-limits/rate-limiter.ts'
import type { Coding } from '../compress.ts'
import type { Body } from '../../records/body/record-bytes.ts'

/** A lookup as it came in, by the fast path or through Fastify. */
export interface LookupRequest {
  kind: Kind
  /** The query, without its question mark. */
  search: string
  headers: LookupHeaders
  /** The other end of the connection: the caller, or a proxy in front of the service. */
  peer: string
}

/** The request headers that matter to a lookup. */
export interface LookupHeaders {
  /** From whichever header it came, see `caller-headers`. */
  apiKey: string | undefined
  idempotencyKey: string | undefined
  spendTag: string | undefined
  cacheControl: string | undefined
  forwardedFor: string | undefined
  accept: string | undefined
  /** From `Accept-Encoding`: how a large answer is compressed; null = not at all. */
  coding: Coding | null
}

/** Whether the caller has closed its connection, or its side of it: nobody may wait for the answer any more. */
export type IsGone = () => boolean

/** Writes an answer: its status, its header lines, each with its line end, and its body. */
export type Reply = (status: number, head: string, body: Body) => void

/** What is known about a call while it is being served: it grows with each check that is passed. */
export interface Progress {
  requestId: string
  startedAt: number
  caller: Caller | null
  rate: RateVerdict | null
  /** The value of `X-Ignored-Parameters`: only characters that a header may have. */
  ignoredParameters: string | null
  /** What the caller says the call is for. */
  spendTag: string | null
  /** Set where its tag is counted under another name. */
  tagCountedAs: string | null
}
