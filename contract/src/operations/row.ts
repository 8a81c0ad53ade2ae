import type { TObject, TSchema } from 'typebox'
import type { CallerFailureCode } from '../failures.ts'
import type { HeaderName, RequestHeader } from '../headers.ts'
import type { Kind } from '../records/kinds.ts'

/** The tags of the reference, in order. */
export const tags = {
  People: 'Records of people.',
  Companies: 'Records of companies.',
  Account: 'Rights, limits, credits, usage and receipts of a key.',
  Watches: 'Records that the service refreshes for you at regular intervals.',
  Events: 'A feed of events, such as job changes, for programs.',
  Batches: 'Files of many lookups that run in the background.',
  Health: 'Probes for load balancers and supervisors. No key needed.',
}

/** One public operation. */
export interface PublicRow {
  /** Path parameters have the form `:id`. */
  route: `${'GET' | 'POST' | 'DELETE'} /${string}`
  tag: keyof typeof tags
  summary: string
  description?: string
  /** True if no key is needed. */
  isOpen?: true
  /** Keys without this endpoint are refused. Absent if the operation is about no kind, or the body names it. */
  kind?: Kind
  /** True if the call leads to spending: refused while billing is blocked. */
  spends?: true
  /** True if the call itself is charged, like a lookup; free calls are paced per environment. */
  isPaid?: true
  params?: TObject
  query?: TObject
  /** True if the handler parses the query itself and names ignored parameters. */
  readsQuery?: true
  body?: TObject
  /** A fictional body that fits the schema. */
  bodyExample?: unknown
  /** In bytes, if it differs from the service's limit. */
  bodyLimit?: number
  /** The media types of a body that the handler reads as a stream of any length. */
  uploads?: readonly string[]
  /** The JSON response. */
  response?: TSchema
  /** Other responses, by media type. The handler sets the type. */
  produces?: Record<string, TSchema>
  /** A fictional response of the first form; it must fit its schema. */
  example: unknown
  status?: 200 | 201 | 202
  /** Other statuses with the same response schema. */
  otherAnswers?: Record<number, { description: string; example: unknown }>
  /** Its own failures, besides those that `failuresOf` derives. */
  failures: readonly CallerFailureCode[]
  /** Request headers that it reads, besides the key. */
  reads?: readonly RequestHeader[]
  /** Response headers, besides those of every caller. */
  says?: readonly HeaderName[]
}

export type PublicRows = Record<string, PublicRow>

/** The method and the path of a route. */
export function routeParts<Method extends string>(route: `${Method} /${string}`): { method: Method; url: string } {
  const space = route.indexOf(' ')
  return { method: route.slice(0, space) as Method, url: route.slice(space + 1) }
}
