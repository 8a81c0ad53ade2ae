import type { Clock } from '../../foundation/clock.ts'
import { priceOf } from './money.ts'
import type { Route } from '../../foundation/environments/route.ts'
import { CallCost, CapReached, type Meter, type Budget, refusalOf } from '../transport/exchange.ts'
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

/** One provider's part in an ask, for the archive and the call log. */
export interface Attempt {
  provider: string
  /** `unfit`: it has a record, but not one that meets the call's demands. */
  outcome: 'found' | 'unfit' | 'not_found' | FaultKind
  fault: ProviderFault | null
  /** The answer that was checked; null if none arrived. */
  answer: RawAnswer | null
  /** All answers in order: retried ones, polls, and `answer` itself. */
  answers: RawAnswer[]
  /** The cost that the provider reported, in its own credits. */
  cost: number | null
  /** The number of requests that it may bill. */
  requests: number
  /** The cost in money; null if the operator has set no price. */
  money: number | null
  /** How long the provider took, including retries but not our own checks. */
  durationMs: number
  /** It has no such record. A provider that receives the required fields may have a record without them. */
  isDenial?: true
  /** It was not asked: the breaker, the operator or the call's cost limit refused it. */
  isRefused?: true
  /** A "not found" from a provider file that no operator has confirmed against the live API. */
  isUnsure?: true
  /** Paths of its payloads that must not be stored. */
  neverStore?: readonly string[]
}

/** A provider and its sender; null for a provider that needs no network. */
export interface Link {
  provider: Provider
  sender: Sender | null
  /** Time limit for everything that one ask does with this provider. */
  totalMs: number
  /**
   * Time limit for one attempt, and for the provider's own code between requests. A hanging provider must leave time
   * for the next one.
   */
  attemptMs?: number
  /** The price of a request; null if the operator has set none. */
  price?: number | null
  /** For a provider file: whether an operator has confirmed it. Until then its "not found" proves nothing. */
  isConfirmed?: () => Promise<boolean>
}

/** An ask with the facts that the chain needs. */
export interface ChainAsk extends ProviderAsk {
  /** The asking environment; 0 is the operator. Concurrency slots are shared fairly among environments. */
  environmentId?: number
  /** The asking batch: it queues for slots separately from the other calls of its environment. */
  batch?: string
  /** The providers that may be asked. */
  route?: Route
  /** The cost of the call so far. */
  spending?: CallCost
  /** When the signal will end the ask: a provider leaves part of this time for the next one. */
  withinMs?: number
}

export interface AskDeps {
  budget: Budget | null
  clock: Clock
}

export interface Tried {
  attempt: Attempt
  verdict: Verdict | null
  projection: Projection | null
}

/** Asks one provider. A fault is returned, because the chain continues after it. A disconnected caller is thrown. */
export async function askOneProvider(link: Link, asked: ChainAsk, deps: AskDeps): Promise<Tried> {
  const { route: _route, withinMs: _withinMs, spending = new CallCost(null), ...ask } = asked
  const { name, neverStore } = link.provider
  const { price = null } = link
  const meter = spending.meter(price)
  const answers: RawAnswer[] = []
  let startedAt = performance.now()
  let durationMs: number | null = null
  let isAdmitted = false
  const attempted = (part: Pick<Attempt, 'outcome' | 'fault' | 'answer' | 'cost'>): Attempt => {
    if (part.answer && !answers.includes(part.answer)) answers.push(part.answer)
    const { requests } = meter
    const money = price === null ? null : priceOf(price, requests)
    const took = durationMs ?? performance.now() - startedAt
    const never = neverStore ? { neverStore } : {}
    return { provider: name, ...part, answers, requests, money, durationMs: took, ...never }
  }
  try {
    const refusal = meter.fits() ? await refusalBefore(link, ask, deps, 'spend') : new CapReached(name)
    if (refusal) throw refusal
    isAdmitted = true
    startedAt = performance.now()
    const verdict = await askProvider(link, ask, answers, meter)
    durationMs = performance.now() - startedAt
    // An answer counts as at least one request, even from a provider that needs no network.
    if (meter.requests === 0) meter.count()
    const projection = verdict.outcome === 'found' ? projectionOf(link.provider, ask, verdict) : null
    const { outcome, answer, cost } = verdict
    const attempt = attempted({ outcome, fault: null, answer, cost })
    if (outcome === 'not_found' && link.isConfirmed && !(await link.isConfirmed()))
      return { attempt: { ...attempt, isUnsure: true }, verdict, projection }
    return { attempt: isDenial(link, ask, verdict) ? { ...attempt, isDenial: true } : attempt, verdict, projection }
  } catch (error) {
    const fault = faultIn(error, name, performance.now() - startedAt)
    if (!fault) throw error
    const { kind: outcome, answer } = fault
    const attempt = attempted({ outcome, fault, answer, cost: null })
    return { attempt: isAdmitted ? attempt : { ...attempt, isRefused: true }, verdict: null, projection: null }
  }
}

function isDenial(
  { provider }: Link,
  { identifier, require }: ProviderAsk,
  { outcome, isAmbiguous }: Verdict,
): boolean {
  if (outcome === 'found' || isAmbiguous || identifier.match) return false
  return !(require && provider.isToldRequired)
}

const nothing: RawAnswer = { status: 404, headers: {}, body: new Uint8Array(), receivedAt: 0 }

/** How this provider would end for a record that it does not have, judged by its known state. It is not asked. */
export async function presumeNotFound(
  link: Link,
  ask: ChainAsk,
  deps: AskDeps & { failing: ProviderFault | null },
): Promise<Tried> {
  const { provider } = link
  const meter = ask.spending?.meter(link.price ?? null)
  const capped = meter && !meter.fits() ? new CapReached(provider.name) : null
  const fault = capped ?? (await refusalBefore(link, ask, deps, 'peek')) ?? deps.failing
  if (!fault) meter?.count()
  const outcome = fault?.kind ?? 'not_found'
  const attempt: Attempt = {
    provider: provider.name,
    outcome,
    fault,
    answer: null,
    answers: [],
    cost: null,
    requests: 0,
    money: null,
    durationMs: 0,
  }
  return { attempt, verdict: fault ? null : { outcome: 'not_found', answer: nothing, cost: null }, projection: null }
}

/**
 * Why a provider may not be asked now. The breaker is checked before the budget, so that a refused call is not counted.
 */
async function refusalBefore(
  { provider: { name, refusesOpaqueIds }, sender }: Link,
  { environmentId, identifier }: ChainAsk,
  { budget, clock }: AskDeps,
  how: 'spend' | 'peek',
): Promise<ProviderFault | null> {
  if (refusesOpaqueIds && identifier.type === 'opaque')
    return new ProviderFault('unavailable', `${name} cannot look up an opaque member id`)
  return sender?.refusal(environmentId) ?? (budget ? refusalOf(name, await budget[how](name, clock.now())) : null)
}

function askProvider({ provider, sender }: Link, ask: ChainAsk, answers: RawAnswer[], meter: Meter): Promise<Verdict> {
  let sent = 0
  return provider.ask(ask, async (request, inner) => {
    if (!sender) throw new ProviderFault('unavailable', `${provider.name} has no way to send`)
    const { environmentId, batch } = ask
    // Requests after the first, such as polls, belong to it; only their retries are counted.
    const counted = { meter, isFollowing: sent++ > 0 }
    return sender.send(request, inner, {
      environmentId,
      batch,
      heard: (answer) => answers.push(answer),
      ...counted,
    })
  })
}

/**
 * The record of a found answer. A mapping that fails on a payload counts as an outage, so that a stored copy can be
 * served.
 */
function projectionOf(provider: Provider, { identifier }: ProviderAsk, verdict: Verdict): Projection {
  const { answer, sourceUpdatedAt } = verdict
  try {
    const projection = provider.project(identifier.kind, answer.body)
    return { ...projection, sourceUpdatedAt: sourceUpdatedAt ?? projection.sourceUpdatedAt }
  } catch (cause) {
    if (!(cause instanceof ProviderFault)) throw cause
    throw new ProviderFault('invalid', cause.message, { answer, reason: cause.reason, cause })
  }
}

/** A caller may limit the whole ask with `AbortSignal.timeout`; then the provider was too slow for that caller too. */
function faultIn(error: unknown, provider: string, waitedMs: number): ProviderFault | null {
  if (error instanceof ProviderFault) return error
  return error instanceof DOMException && error.name === 'TimeoutError' ? tooSlow(provider, waitedMs) : null
}
