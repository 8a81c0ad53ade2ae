import type { TObject, TSchema } from 'typebox'
import type { CallerFailureCode } from '../failures.ts'
import type { HeaderName, RequestHeader } from '../headers.ts'
import type { Kind } from '../kinds.ts'

/** The parts of the reference, in its order. */
export const tags = {
  People: 'Records of people.',
  Companies: 'Records of companies.',
  Account: 'What a key may do, and what it has left.',
  Watches: 'Records that are looked at again and again for you.',
  Events: 'What happened, for programs that follow it.',
  Batches: 'Whole files of lookups, worked through in the background.',
  Health: 'Probes for load balancers and supervisors. No key needed.',
}

/** One public operation. */
export interface PublicRow {
  /** Path parameters have the form `:id`. */
  route: `${'GET' | 'POST' | 'DELETE'} /${string}`
  tag: keyof typeof tags
  summary: string
  description?: string
  /** True where no key is needed. */
  isOpen?: true
  /** Refuses keys that may not use this endpoint. An operation about no kind, or with a kind in its body, leaves it out. */
  kind?: Kind
  /** True where a call leads to spending: refused while billing is blocked. */
  spends?: true
  /** True where the call itself is paid for, as a lookup is; all others are answered at a pace. */
  isPaid?: true
  params?: TObject
  query?: TObject
  /** True where the handler reads the query itself, and names the parameters that it ignores. */
  readsQuery?: true
  body?: TObject
  /** A fictional body; it must fit the schema. */
  bodyExample?: unknown
  /** In bytes, if it differs from that of the service. */
  bodyLimit?: number
  /** The media types of a body that the handler reads itself, as a stream of any length. */
  uploads?: readonly string[]
  /** The JSON of the answer. */
  response?: TSchema
  /** Other forms of the answer, by media type. A handler that returns one of them sets its type. */
  produces?: Record<string, TSchema>
  /** A fictional answer in the first of these forms; it must fit its schema. */
  example: unknown
  status?: 200 | 201 | 202
  /** Other statuses with the same form of answer. */
  otherAnswers?: Record<number, { description: string; example: unknown }>
  /** Its own failures, beside those that `failuresOf` derives. */
  failures: readonly CallerFailureCode[]
  /** Request headers that it reads, beside the key. */
  reads?: readonly RequestHeader[]
  /** Headers of its answer, beside those that every caller gets. */
  says?: readonly HeaderName[]
}

export type PublicRows = Record<string, PublicRow>

/** The method and the path of a route. */
export function routeParts<Method extends string>(route: `${Method} /${string}`): { method: Method; url: string } {
  const space = route.indexOf(' ')
  return { method: route.slice(0, space) as Method, url: route.slice(space + 1) }
}
