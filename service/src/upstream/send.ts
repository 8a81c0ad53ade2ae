import { bulkhead, isBulkheadRejectedError } from 'cockatiel'
import type { Clock } from '../foundation/clock.ts'
import { createBreaker, type BreakerState, type Health } from './breaker.ts'
import { UpstreamFault, type FaultKind } from './fault.ts'
import type { RawAnswer, Send, WireRequest } from './provider.ts'
import { retryPolicy } from './retry-policy.ts'
import { withinTime } from './within-time.ts'

export interface SendSettings {
  /** One exchange without manners: `createTransport`. */
  exchange: Send
  clock: Clock
  /** For one call with its retries and its time in the queue. */
  totalMs: number
  retries?: number
  backoffMs?: number
  /** So many exchanges run at once, and so many calls may wait for a place. */
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

/** Told of every answer that came in, also of those that were tried again. */
export type Heard = (answer: RawAnswer) => void

export interface Sender {
  send(request: WireRequest, signal: AbortSignal, heard?: Heard): Promise<RawAnswer>
  /** Why a call would be refused without reaching the provider, or null. */
  refusal(): UpstreamFault | null
  state(): SendState
}

/**
 * The manners towards one provider: breaker around limit around retries around bulkhead around exchange.
 * The breaker counts calls, not attempts. Down is what a connection error, a timeout or a 5xx says after the retries;
 * every other answer, also 401, 402, 403, 429 and nonsense, shows a provider that is up and starts the count anew.
 */
export function createSend(provider: string, settings: SendSettings): Sender {
  const { exchange, clock, totalMs, retries = 2, backoffMs = 200, concurrency = 32, queue = 1_000 } = settings
  const breaker = createBreaker({ provider, clock, ...settings.breaker })
  const places = bulkhead(concurrency, queue)
  let lastFault: SendState['lastFault'] = null

  const timedOut = () => new UpstreamFault('timeout', `${provider} did not answer in time`)
  const full = () => new UpstreamFault('unavailable', `too many calls wait for ${provider}`, { retryAfterSeconds: 1 })
  const note = (kind: FaultKind | null) => {
    if (kind) lastFault = { kind, at: clock.now() }
  }

  async function send(request: WireRequest, signal: AbortSignal, heard?: Heard): Promise<RawAnswer> {
    const leave = breaker.enter()
    const watched = watch(exchange, request, heard)
    const deadline = performance.now() + totalMs
    const policy = retryPolicy({ retries, backoffMs, remainingMs: () => deadline - performance.now() })
    try {
      const answer = await withinTime(totalMs, signal, timedOut, (limited) =>
        policy.execute(() => places.execute(() => watched.attempt(limited), limited), limited),
      )
      note(faultKindOf(answer.status))
      return answer
    } catch (error) {
      const fault = isBulkheadRejectedError(error) ? full() : error
      if (fault instanceof UpstreamFault) note(fault.kind)
      throw fault
    } finally {
      leave(hasCallerLeft(signal) ? 'unknown' : watched.health())
    }
  }

  return {
    send,
    refusal: () => breaker.refusal() ?? (places.executionSlots <= 0 && places.queueSlots <= 0 ? full() : null),
    state: () => ({
      breaker: breaker.state(),
      inFlight: concurrency - places.executionSlots,
      queued: queue - places.queueSlots,
      lastFault,
    }),
  }
}

/** Exchanges of one call, and what the last of them showed. One that never ends, because a limit cut it off, showed "down". */
function watch(exchange: Send, request: WireRequest, heard: Heard | undefined) {
  let health: Health = 'unknown'
  async function attempt(signal: AbortSignal): Promise<RawAnswer> {
    signal.throwIfAborted()
    health = 'down'
    try {
      const answer = await exchange(request, signal)
      health = answer.status >= 500 ? 'down' : 'up'
      heard?.(answer)
      return answer
    } catch (error) {
      if (error instanceof UpstreamFault) health = healthOf(error.kind)
      throw error
    }
  }
  return { attempt, health: () => health }
}

function healthOf(kind: FaultKind): Health {
  return kind === 'unavailable' || kind === 'timeout' ? 'down' : 'up'
}

function faultKindOf(status: number): FaultKind | null {
  if (status === 401 || status === 402 || status === 403) return 'rejected'
  if (status === 429) return 'limited'
  return status >= 500 ? 'unavailable' : null
}

/** An outer limit aborts with a fault, and then the provider was too slow; everything else is the caller's own leaving. */
function hasCallerLeft(signal: AbortSignal): boolean {
  return signal.aborted && !(signal.reason instanceof UpstreamFault)
}
