import { Failure, failureIn, type SentFailure, sentFailure } from '../../../foundation/failure.ts'

/* The request and reply messages of the store's thread and the reader's process. */

export interface StoreRequest {
  id: number
  name: string
  args: unknown
}

export type StoreReply =
  | { id: number; result: unknown }
  | { id: number; failure: SentFailure }
  | { id: number; error: Error }

/** The reply to a failed request. */
export function errorReply(id: number, error: unknown): StoreReply {
  const failure = error instanceof Failure ? error : engineFailure(error)
  if (failure) return { id, failure: sentFailure(failure) }
  return { id, error: error instanceof Error ? error : new Error(String(error)) }
}

/** The result of a reply; throws if the request failed. */
export function resultIn(reply: StoreReply): unknown {
  if ('error' in reply) throw reply.error
  if ('failure' in reply) throw failureIn(reply.failure)
  return reply.result
}

interface Posted {
  message: unknown
  /** Memory that is transferred instead of copied. */
  handedOver: readonly ArrayBuffer[]
  /** Called if this message cannot be sent. */
  refuse(error: unknown): void
}

interface Port {
  postMessage(message: unknown, transferList: ArrayBuffer[]): void
}

interface Options {
  /** Calls back when everything of this turn has been posted. */
  atEndOfTurn(flush: () => void): void
  /** The first message of a turn does not wait for the others. */
  firstAtOnce: boolean
}

/**
 * Sends everything that is posted to another thread in one turn of the event loop as one message. Waking the other
 * thread costs more than most messages, and under load many callers post in the same turn.
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
      // One of them cannot be copied: the others are still sent.
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

/** SQLite's codes for a file that cannot be read or written now: read-only, disk error, full, cannot be opened. */
const diskCodes = new Set([8, 10, 13, 14])
/** Another program held a lock that a write needs for longer than we wait. */
const lockCodes = new Set([5, 6])

/**
 * The failure for a caller if the embedded engine could not do the work; null for other errors. Nothing was done, and
 * the same request succeeds once the disk is repaired or the lock is free.
 */
export function engineFailure(error: unknown): Failure | null {
  if (error instanceof Failure) return error.code === 'store_unavailable' ? error : null
  if (!(error instanceof Error) || !('errcode' in error)) return null
  // The lower byte is the kind; the upper bytes are details.
  const kind = Number(error.errcode) & 0xff
  if (diskCodes.has(kind)) return new Failure('store_unavailable', { retryAfterSeconds: 5, cause: error })
  return lockCodes.has(kind) ? new Failure('store_unavailable', { retryAfterSeconds: 1, cause: error }) : null
}
