import { Failure, failureIn, type SentFailure, sentFailure } from '../../foundation/failure.ts'
import { engineFailure } from './engine-failure.ts'

/*
 * How an operation is asked for in the store's thread and in the reader's process, and how they answer.
 */

export interface StoreRequest {
  id: number
  name: string
  args: unknown
}

export type StoreReply =
  | { id: number; result: unknown }
  | { id: number; failure: SentFailure }
  | { id: number; error: Error }

/** The reply to a request that failed. */
export function errorReply(id: number, error: unknown): StoreReply {
  const failure = error instanceof Failure ? error : engineFailure(error)
  if (failure) return { id, failure: sentFailure(failure) }
  return { id, error: error instanceof Error ? error : new Error(String(error)) }
}

/** What was answered; throws what was thrown there. */
export function resultIn(reply: StoreReply): unknown {
  if ('error' in reply) throw reply.error
  if ('failure' in reply) throw failureIn(reply.failure)
  return reply.result
}
