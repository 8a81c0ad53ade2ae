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
import type { Meter } from './exchange.ts'
import { NotSent } from './connection-reason.ts'
import type { Exchange } from './transport.ts'

export interface SendSettings {
  /** One exchange without retries or limits: `createTransport`. */
  exchange: Exchange
  clock: Clock
  /** Limit for one call, including retries and queueing. */
  totalMs: number
  retries?: number
  /** The longest pause before the first retry. */
  backoffMs?: number
  /** The maximum number of concurrent exchanges, and of calls that wait for a slot. */
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
  /** The asking environment; 0 is the operator. */
  environmentId?: number | undefined
  /** The asking batch, which queues for slots separately from the other calls of its environment. */
  batch?: string | undefined
  /** Called with every answer, even if it is retried. */
  heard?: (answer: RawAnswer) => void
  /** Counts what the provider may bill. */
  meter?: Meter
  /** It belongs to an earlier request and is billed with it; only its retries are counted. */
  isFollowing?: boolean
}

export interface Sender {
  send(request: WireRequest, signal: AbortSignal, options?: SendOptions): Promise<RawAnswer>
  /** Why a call would be refused without reaching the provider; null if it would not. */
  refusal(environmentId?: number): ProviderFault | null
  /** How often one request may be sent. */
  readonly requestsAtMost: number
  state(): SendState
}

/**
 * The sender of one provider: breaker, limit, retries, slots and exchange, from the outside in. The breaker counts
 * calls, not attempts. A connection error, a timeout or a 5xx after the retries means down. Every other answer, even
 * 401, 402, 403, 429 or an unusable one, shows a provider that is up and resets the count.
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
        // If another request would exceed the cost limit, this result is final.
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

  /** Makes one exchange when a slot is free. Throws if it cannot be made; otherwise returns its result. */
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

/**
 * Refusals, the provider's own failures and unsent requests are not billed. An interrupted request may have been
 * answered.
 */
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

/** The provider's health as an attempt showed it. An interrupted attempt counts as down. */
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

/**
 * An outer limit aborts with a fault, which means that the provider was too slow; any other reason means that the
 * caller disconnected.
 */
function hasCallerLeft(signal: AbortSignal): boolean {
  return signal.aborted && !(signal.reason instanceof ProviderFault)
}

/** The result of one attempt. */
type End = { answer: RawAnswer } | { error: unknown }

/** A 429 is retried only after a short wait: otherwise a stored copy serves the caller better. */
const limitedWaitSeconds = 5

/**
 * The pause before the next attempt; null for no retry. Connection errors and 5xx are retried, and a 429 with a short
 * wait. `Retry-After` is respected. A pause that exceeds the remaining time is not started, so the caller gets the
 * fault itself. There is no retry after 401, 402 or 403 (the account must be fixed), a timeout (the time is used up) or
 * an unusable answer. Without `Retry-After` the pause doubles each time, and about half of it is random.
 */
function retryPauseMs(end: End, retry: number, backoffMs: number, remainingMs: number): number | null {
  const asked = pauseAskedFor(end)
  if (asked === 'never') return null
  const longestMs = asked === null ? backoffMs * 2 ** (retry - 1) : asked * 1000
  if (longestMs >= remainingMs) return null
  return asked === null ? longestMs * (0.5 + Math.random() / 2) : longestMs
}

/** The number of seconds that the provider asks us to wait; null if it does not say. */
function pauseAskedFor(end: End): number | null | 'never' {
  if ('error' in end) return end.error instanceof ProviderFault && end.error.kind === 'unavailable' ? null : 'never'
  const { status } = end.answer
  if (status < 500 && status !== 429) return 'never'
  const wait = retryAfterSeconds(end.answer)
  if (status >= 500) return wait
  return wait !== null && wait <= limitedWaitSeconds ? wait : 'never'
}
