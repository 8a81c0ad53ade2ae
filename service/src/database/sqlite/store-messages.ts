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

interface Posted {
  message: unknown
  /** Memory that is handed over instead of copied. */
  handedOver: readonly ArrayBuffer[]
  /** Told when this message cannot be sent. */
  refuse(error: unknown): void
}

interface Port {
  postMessage(message: unknown, transferList: ArrayBuffer[]): void
}

interface Options {
  /** Calls back when all of this turn has been posted. */
  atEndOfTurn(flush: () => void): void
  /** The first of a turn does not wait for the others. */
  firstAtOnce: boolean
}

/**
 * Sends what is posted to another thread in one turn of the event loop as one message. Waking the other thread costs more
 * than most of what is posted, and under load many callers post in the same turn.
 */
export function createMessageBatch(port: Port, { atEndOfTurn, firstAtOnce }: Options): (item: Posted) => void {
  let waiting: Posted[] | null = null

  const send = (some: readonly Posted[]) =>
    port.postMessage(
      some.map(({ message }) => message),
      some.flatMap(({ handedOver }) => handedOver),
    )

  const flush = () => {
    const all = waiting ?? []
    waiting = null
    if (all.length === 0) return
    try {
      send(all)
    } catch {
      // One of them cannot be copied: the others are sent all the same.
      for (const item of all) sendAlone(item)
    }
  }

  const sendAlone = (item: Posted) => {
    try {
      send([item])
    } catch (error) {
      item.refuse(error)
    }
  }

  return (item) => {
    if (waiting) {
      waiting.push(item)
      return
    }
    waiting = firstAtOnce ? [] : [item]
    if (firstAtOnce) sendAlone(item)
    atEndOfTurn(flush)
  }
}
