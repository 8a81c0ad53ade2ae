import { Failure, sentFailure, type SentFailure } from '../../foundation/failure.ts'
import type { Rate } from '../../foundation/rate.ts'
import type { PeerEvent } from '../../cluster/peers.ts'

/** What a worker asks of the primary, which owns the embedded store, the limits and the claims. */
export type WorkerAsk =
  | { ask: 'hello' }
  /** Says that it is listening. */
  | { ask: 'listening' }
  | { ask: 'store'; name: string; args: unknown }
  /** Counts so many calls at once. */
  | { ask: 'take'; id: string; rate: Rate; count: number }
  | { ask: 'rate'; act: 'peek' | 'giveBack'; id: string; rate: Rate }
  | { ask: 'claim'; name: string; forMs: number }
  | { ask: 'renew'; name: string; forMs: number }
  | { ask: 'giveUp'; name: string }
  | { ask: 'tell'; item: PeerEvent }
  /** The metrics of all workers. */
  | { ask: 'metrics' }

/** What the primary asks of a worker. */
export type PrimaryAsk =
  | { ask: 'hear'; item: PeerEvent }
  /** Its own metrics. */
  | { ask: 'metrics' }

/** What was left after each of the calls that were let through, and when the window ends. */
export interface Taken {
  left: number[]
  resetSeconds: number
}

/** What workers are told at their start. */
export interface Welcome {
  ownerToken: string
  secret: string
}

export type Reply =
  | { id: number; result: unknown }
  | { id: number; failure: SentFailure }
  | { id: number; error: string }

export type Message<Ask> = { id: number; ask: Ask } | Reply

/** All that one side says to the other within one turn of its event loop. */
export interface Post<Ask> {
  /** Most of it, as JSON, which costs a third of what cloning objects does. */
  text: string
  /** What has to do with the store: it holds bytes, which JSON cannot, or is JSON already. */
  rest: Message<Ask>[]
}

/** An error in a form that can be sent. */
export function errorReply(id: number, error: unknown): Reply {
  if (error instanceof Failure) return { id, failure: sentFailure(error) }
  return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}
