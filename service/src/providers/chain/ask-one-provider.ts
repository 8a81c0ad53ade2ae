import type { Clock } from '../../foundation/clock.ts'
import { type Budget, refusalOf } from './monthly-budget.ts'
import {
  type FaultKind,
  type Projection,
  type Provider,
  type ProviderAsk,
  ProviderFault,
  type RawAnswer,
  tooSlow,
  type Verdict,
} from '@vitae/provider'
import type { Sender } from '../transport/send-with-retries.ts'
import type { Turns } from '../transport/turns.ts'
import { usableProjection } from './usable-projection.ts'

/** One provider's part in an ask, for the archive and the call log. */
export interface Attempt {
  provider: string
  outcome: 'found' | 'not_found' | FaultKind
  fault: ProviderFault | null
  /** The answer that was checked; null where none came. */
  answer: RawAnswer | null
  /** Everything that came in, in order: answers that were tried again, polls, and `answer` itself. */
  answers: RawAnswer[]
  cost: number | null
  /** How long the provider took, with its retries; our own checks before and after are not in it. */
  durationMs: number
  /** It was not asked: the breaker or the operator forbade it. */
  isRefused?: true
}

/** A provider and how it is reached; one that needs no network has no sender. */
export interface Link {
  provider: Provider
  sender: Sender | null
  /** For everything one ask does with this provider. Each has its own, or one that hangs would leave its substitute no time. */
  totalMs: number
}

export interface AskDeps {
  budget: Budget | null
  clock: Clock
}

interface Deps extends AskDeps {
  turns: Turns
}

export interface Tried {
  attempt: Attempt
  verdict: Verdict | null
  projection: Projection | null
}

/** One provider's turn. Faults are results here, because the chain goes on after them; a caller who left is not. */
export async function askOneProvider(link: Link, ask: ProviderAsk, deps: Deps): Promise<Tried> {
  const answers: RawAnswer[] = []
  let startedAt = performance.now()
  let durationMs: number | null = null
  let isAdmitted = false
  const attempted = (part: Pick<Attempt, 'outcome' | 'fault' | 'answer' | 'cost'>): Attempt => {
    if (part.answer && !answers.includes(part.answer)) answers.push(part.answer)
    return { provider: link.provider.name, ...part, answers, durationMs: durationMs ?? performance.now() - startedAt }
  }
  try {
    const refusal = await refusalBefore(link, ask, deps, 'spend')
    if (refusal) throw refusal
    isAdmitted = true
    await deps.turns.next()
    startedAt = performance.now()
    const verdict = await askProvider(link, ask, answers)
    durationMs = performance.now() - startedAt
    if (verdict.outcome === 'found') await deps.turns.next()
    const projection = verdict.outcome === 'found' ? usableProjection(link.provider, ask, verdict) : null
    const { outcome, answer, cost } = verdict
    return { attempt: attempted({ outcome, fault: null, answer, cost }), verdict, projection }
  } catch (error) {
    const fault = faultIn(error, link.provider.name, performance.now() - startedAt)
    if (!fault) throw error
    const { kind: outcome, answer } = fault
    const attempt = attempted({ outcome, fault, answer, cost: null })
    return { attempt: isAdmitted ? attempt : { ...attempt, isRefused: true }, verdict: null, projection: null }
  }
}

const nothing: RawAnswer = { status: 404, headers: {}, body: new Uint8Array(), receivedAt: 0 }

/** How one provider's turn would end for a record that it does not know, by what is known of it: it is not asked. */
export async function presumeNotFound(
  link: Link,
  ask: ProviderAsk,
  deps: AskDeps & { failing: ProviderFault | null },
): Promise<Tried> {
  const { provider } = link
  const fault = (await refusalBefore(link, ask, deps, 'peek')) ?? deps.failing
  const outcome = fault?.kind ?? 'not_found'
  const attempt: Attempt = {
    provider: provider.name,
    outcome,
    fault,
    answer: null,
    answers: [],
    cost: null,
    durationMs: 0,
  }
  return { attempt, verdict: fault ? null : { outcome: 'not_found', answer: nothing, cost: null }, projection: null }
}

/**
 * Why a provider may not be asked now. The breaker is asked before the budget, so that a call which is not made is not
 * counted.
 */
async function refusalBefore(
  { provider: { name, refusesOpaqueIds }, sender }: Link,
  { account, identifier }: ProviderAsk,
  { budget, clock }: AskDeps,
  how: 'spend' | 'peek',
): Promise<ProviderFault | null> {
  if (refusesOpaqueIds && identifier.type === 'opaque')
    return new ProviderFault('unavailable', `${name} cannot look up an opaque member id`)
  return sender?.refusal(account) ?? (budget ? refusalOf(name, await budget[how](name, clock.now())) : null)
}

function askProvider({ provider, sender, totalMs }: Link, ask: ProviderAsk, answers: RawAnswer[]): Promise<Verdict> {
  return withinTime(
    totalMs,
    ask.signal,
    () => tooSlow(provider.name, totalMs),
    (signal) =>
      provider.ask({ ...ask, signal }, (request, inner) => {
        if (!sender) throw new ProviderFault('unavailable', `${provider.name} has no way to send`)
        const { account, batch } = ask
        return sender.send(request, inner, { account, batch, heard: (answer) => answers.push(answer) })
      }),
  )
}

/** A caller may bound the whole ask with `AbortSignal.timeout`: to that caller too the provider was too slow. */
function faultIn(error: unknown, provider: string, waitedMs: number): ProviderFault | null {
  if (error instanceof ProviderFault) return error
  return error instanceof DOMException && error.name === 'TimeoutError' ? tooSlow(provider, waitedMs) : null
}

/**
 * Runs a call with a signal that is aborted by `outer` or by the limit, and ends with it at once even where the call
 * itself cannot be interrupted (a place in a queue, a pause before a retry). The signal's reason is what is thrown.
 */
async function withinTime<T>(
  limitMs: number,
  outer: AbortSignal,
  fault: () => ProviderFault,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer.throwIfAborted()
  const inner = new AbortController()
  const passOn = () => inner.abort(outer.reason)
  outer.addEventListener('abort', passOn, { once: true })
  const timer = setTimeout(() => inner.abort(fault()), limitMs)
  try {
    return await Promise.race([call(inner.signal), abortionOf(inner.signal)])
  } finally {
    clearTimeout(timer)
    outer.removeEventListener('abort', passOn)
  }
}

function abortionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the caller's own, passed on as it is
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
