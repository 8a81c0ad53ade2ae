import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../foundation/clock.ts'
import { createBreaker, type BreakerState, type Health } from './circuit-breaker.ts'
import {
  type FaultKind,
  ProviderFault,
  type RawAnswer,
  tooSlow,
  type WireRequest,
  retryAfterSeconds,
} from '@vitae/provider'
import { ConcurrencySlots, SlotsFull, type Line } from './concurrency-limit.ts'
import type { Meter } from '../chain/call-cost.ts'
import { NotSent } from './connection-reason.ts'
import type { Exchange } from './transport.ts'

export interface SendSettings {
  /** One exchange without manners: `createTransport`. */
  exchange: Exchange
  clock: Clock
  /** For one call with its retries and its time in the queue. */
  totalMs: number
  retries?: number
  /** The longest pause before the first retry. */
  backoffMs?: number
  /** So many exchanges run at once, and so many calls may wait for a slot. */
  concurrency?: number
  queue?: number
  breaker: { failures: number; openMs: number }
}

export interface SendState {
  breaker: BreakerState
  inFlight: number
  queued: number
  lastFault: { kind: FaultKind; at: number } | null
}

export interface SendOptions {
  /** The environment that asks; 0 is the operator. */
  environmentId?: number | undefined
  /** The batch that asks, which waits for its slots apart from the other calls of its environment. */
  batch?: string | undefined
  /** Told of every answer that came in, also of those that were tried again. */
  heard?: (answer: RawAnswer) => void
  /** Counts what the provider may bill. */
  meter?: Meter
  /** It belongs to a request before it, with which it is billed; only its repetitions are counted. */
  isFollowing?: boolean
}

export interface Sender {
  send(request: WireRequest, signal: AbortSignal, options?: SendOptions): Promise<RawAnswer>
  /** Why a call would be refused without reaching the provider, or null. */
  refusal(environmentId?: number): ProviderFault | null
  /** How often one request may be sent. */
  readonly requestsAtMost: number
  state(): SendState
}

/**
 * The manners towards one provider: breaker around limit around retries around slots around exchange.
 * The breaker counts calls, not attempts. Down is what a connection error, a timeout or a 5xx says after the retries;
 * every other answer, also 401, 402, 403, 429 and nonsense, shows a provider that is up and starts the count again.
 */
export function createSend(provider: string, settings: SendSettings): Sender {
  const { exchange, clock, totalMs, retries = 2, backoffMs = 200, concurrency = 32, queue = 2_000 } = settings
  const breaker = createBreaker({ provider, clock, ...settings.breaker })
  const slots = new ConcurrencySlots(concurrency, queue)
  let lastFault: SendState['lastFault'] = null

  const full = () => new ProviderFault('unavailable', `too many calls wait for ${provider}`, { retryAfterSeconds: 1 })
  const note = (kind: FaultKind | null) => {
    if (kind) lastFault = { kind, at: clock.now() }
  }

  async function send(request: WireRequest, signal: AbortSignal, options: SendOptions = {}): Promise<RawAnswer> {
    const { environmentId = 0, batch, heard, meter, isFollowing = false } = options
    const leave = breaker.enter(environmentId)
    const ends = performance.now() + totalMs
    let health: Health = 'unknown'
    try {
      for (let attempt = 1; ; attempt++) {
        const counted = attempt > 1 || !isFollowing ? meter : undefined
        const end = await attemptOnce(batch ?? environmentId, request, signal, ends, counted)
        health = healthAfter(end)
        if ('answer' in end) heard?.(end.answer)
        const remainingMs = ends - performance.now()
        if (remainingMs <= 0 && health === 'down') throw tooSlow(provider, totalMs)
        // Where another request would cost too much, this end is the call's.
        const mayRetry = attempt <= retries && (meter?.fits() ?? true)
        const waitMs = !mayRetry ? null : retryPauseMs(end, attempt, backoffMs, remainingMs)
        if (waitMs === null) return answerOf(end)
        await pauseFor(waitMs, signal)
      }
    } catch (error) {
      if (error instanceof ProviderFault) note(error.kind)
      throw error
    } finally {
      leave(hasCallerLeft(signal) ? 'unknown' : health)
    }
  }

  /** One exchange in its turn. What keeps it from being made at all is thrown; how it ended is given back. */
  async function attemptOnce(
    line: Line,
    request: WireRequest,
    signal: AbortSignal,
    ends: number,
    meter?: Meter,
  ): Promise<End> {
    try {
      await slots.enter(line, signal, ends - performance.now(), () => tooSlow(provider, totalMs))
    } catch (error) {
      throw error instanceof SlotsFull ? full() : error
    }
    try {
      signal.throwIfAborted()
      meter?.count()
      const end = await endOf(exchange(request, signal, ends - performance.now()))
      if (!mayBeBilled(end)) meter?.giveBack()
      return end
    } catch (error) {
      return { error }
    } finally {
      slots.leave(line)
    }
  }

  function answerOf(end: End): RawAnswer {
    if ('error' in end) throw end.error
    note(faultKindOf(end.answer.status))
    return end.answer
  }

  return {
    send,
    requestsAtMost: retries + 1,
    refusal: (environmentId = 0) => breaker.refusal(environmentId) ?? (slots.isFull(environmentId) ? full() : null),
    state: () => ({ breaker: breaker.state(), inFlight: slots.taken, queued: slots.waiting, lastFault }),
  }
}

async function endOf(exchanged: Promise<RawAnswer>): Promise<End> {
  try {
    return { answer: await exchanged }
  } catch (error) {
    return { error }
  }
}

/** Nobody bills a refusal, a failure of their own, or what never reached them. One that was cut off may have been answered. */
function mayBeBilled(end: End): boolean {
  if ('answer' in end) return end.answer.status < 400 || end.answer.status === 404 || end.answer.status === 410
  return !(end.error instanceof NotSent)
}

async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal })
  } catch {
    throw signal.reason
  }
}

/** What an attempt showed of the provider. One that was cut off showed a provider that is down. */
function healthAfter(end: End): Health {
  if ('answer' in end) return end.answer.status >= 500 ? 'down' : 'up'
  if (!(end.error instanceof ProviderFault)) return 'down'
  return end.error.kind === 'unavailable' || end.error.kind === 'timeout' ? 'down' : 'up'
}

function faultKindOf(status: number): FaultKind | null {
  if (status === 401 || status === 402 || status === 403) return 'rejected'
  if (status === 429) return 'limited'
  return status >= 500 ? 'unavailable' : null
}

/** An outer limit aborts with a fault, and then the provider was too slow; everything else is the caller's own leaving. */
function hasCallerLeft(signal: AbortSignal): boolean {
  return signal.aborted && !(signal.reason instanceof ProviderFault)
}

/** How one attempt ended. */
type End = { answer: RawAnswer } | { error: unknown }

/** A 429 is waited for only if the wait is short: a caller is better served by a stored copy than by our patience. */
const limitedWaitSeconds = 5

/**
 * How long to wait before the next attempt; null where there is to be none. Tried again are connection errors and 5xx,
 * and a 429 that names a short wait. `Retry-After` is obeyed; a pause that does not fit into the time left is not begun, so
 * the fault itself is what the caller gets. Never after 401, 402, 403 (the account must be mended), a timeout (the time is
 * spent) or an unusable answer. Without a word from the provider the pause doubles, and about half of it is chance.
 */
function retryPauseMs(end: End, retry: number, backoffMs: number, remainingMs: number): number | null {
  const asked = pauseAskedFor(end)
  if (asked === 'never') return null
  const longestMs = asked === null ? backoffMs * 2 ** (retry - 1) : asked * 1000
  if (longestMs >= remainingMs) return null
  return asked === null ? longestMs * (0.5 + Math.random() / 2) : longestMs
}

/** How many seconds the provider wants us to wait; null where it does not say. */
function pauseAskedFor(end: End): number | null | 'never' {
  if ('error' in end) return end.error instanceof ProviderFault && end.error.kind === 'unavailable' ? null : 'never'
  const { status } = end.answer
  if (status < 500 && status !== 429) return 'never'
  const wait = retryAfterSeconds(end.answer)
  if (status >= 500) return wait
  return wait !== null && wait <= limitedWaitSeconds ? wait : 'never'
}
