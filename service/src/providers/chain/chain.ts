import { isDerivedCompanyId, type Identifier } from '../../foundation/identifier.ts'
import { priceOf } from '../money.ts'
import type { Route } from '../../foundation/environments/route.ts'
import { inSpan } from '../../foundation/tracing.ts'
import {
  type FaultKind,
  type Projection,
  type Provider,
  type ProviderAsk,
  ProviderFault,
  type Verdict,
} from '@vitae/provider'
import type { SendState } from '../transport/send-with-retries.ts'
import { Turns } from '../transport/turns.ts'
import { CapReached } from './call-cost.ts'
import {
  askOneProvider,
  presumeNotFound,
  type AskDeps,
  type Attempt,
  type ChainAsk,
  type Link,
  type Tried,
} from './ask-one-provider.ts'

export interface ChainDeps extends AskDeps {
  links: readonly Link[]
  /** Whether the next is asked when one knows no such record. */
  onNotFound: boolean
  /** Told of every provider's part in every ask, for the metrics. */
  onAttempt?: (attempt: Attempt) => void
}

export interface ChainAnswer {
  provider: Provider
  verdict: Verdict
  /** Of a found record; null otherwise. */
  projection: Projection | null
  /** What every provider that was asked did, in order, this one last unless all know no such record. */
  attempts: Attempt[]
  /** False for a 404 that not every provider gave that may be asked: no reason to withdraw a stored copy. */
  firm: boolean
  /** Whether no provider of the chain was left out by a route. */
  whole: boolean
  /** One of the providers knows several records that fit as well, and none of them knows a single one. */
  isAmbiguous?: true
}

export interface ProviderState extends SendState {
  provider: string
  lastAnswerAt: number | null
}

export interface Chain {
  /** Asks the providers in order. Throws `ChainFault`, or the reason of the signal when the caller left. */
  ask(ask: ChainAsk): Promise<ChainAnswer>
  /**
   * How an ask for a record that no provider knows would end now, by what is known of them: nobody is asked, and nothing is
   * counted. Throws `ChainFault` where the ask would.
   */
  presumeMiss(ask: ChainAsk): Promise<Pick<ChainAnswer, 'firm'>>
  /** False where the route has providers, but none, beside those to skip, can be asked by this identifier. */
  canAsk(identifier: Identifier, route: Route, skip?: ReadonlySet<string>): boolean
  /** True while no provider can be asked for this environment: none is configured, too dear for the cap, or all are left alone for a while. */
  isOut(environmentId: number, route: Route, cap: number | null): boolean
  /** What an ask costs at most, whatever its providers answer; null where none of them has a price. */
  costAtMost(identifier: Identifier, route: Route, cap: number | null): number | null
  states(): ProviderState[]
}

/** No provider of the chain gave an answer that counts. Its kind is that of the last one's fault. */
export class ChainFault extends ProviderFault {
  readonly attempts: readonly Attempt[]
  /** The providers that might have been asked, where there are none any more. */
  readonly route: Route

  constructor(attempts: readonly Attempt[], route: Route = null) {
    const faults = attempts.flatMap((attempt) => attempt.fault ?? [])
    // One that was asked and failed says more than one that was too dear.
    const last = faults.findLast((fault) => !(fault instanceof CapReached)) ?? faults.at(-1)
    const waits = faults.flatMap((fault) => fault.retryAfterSeconds ?? [])
    const nobody = route ? `none of ${route.join(', ')} is configured` : 'no provider is configured'
    super(last?.kind ?? 'unavailable', faults.map((fault) => fault.message).join('; ') || nobody, {
      ...(last?.answer ? { answer: last.answer } : {}),
      ...(waits.length > 0 ? { retryAfterSeconds: Math.min(...waits) } : {}),
      cause: last,
    })
    this.name = 'ChainFault'
    this.attempts = attempts
    this.route = route
  }

  /** Whether nothing but the cap of the call stood in the way. */
  get isCapped(): boolean {
    return this.attempts.length > 0 && isWithoutOutage(this.attempts)
  }
}

/** A fault of one that has not answered since says how it is; after so long it says nothing any more. */
const failingMs = 300_000

/** Asking a provider and mapping its answer take about half a millisecond each. */
const stepsPerTurn = 2

/**
 * An ordered chain. The next provider is asked on an outage, and on a 404 with `onNotFound`; then only a 404 from all
 * of them is one, because a provider that is out might have known the record.
 */
export function createChain({ links, onNotFound, onAttempt, ...deps }: ChainDeps): Chain {
  const turns = new Turns(stepsPerTurn)
  const seen = new Map<string, { lastFault: { kind: FaultKind; at: number } | null; lastAnswerAt: number | null }>()
  const failing = new Map<string, { fault: ProviderFault; at: number }>()

  function ask(asked: ChainAsk): Promise<ChainAnswer> {
    return goThrough(asked, async (link) => {
      const tried = await inSpan('vitae.ask', { provider: link.provider.name }, () =>
        askOneProvider(link, asked, { ...deps, turns }),
      )
      if (tried.attempt.fault instanceof CapReached) return tried
      note(tried.attempt)
      onAttempt?.(tried.attempt)
      return tried
    })
  }

  function presumeMiss(asked: ChainAsk): Promise<ChainAnswer> {
    return goThrough(asked, (link) =>
      presumeNotFound(link, asked, { ...deps, failing: failingNow(link.provider.name) }),
    )
  }

  async function goThrough(asked: ChainAsk, turnOf: (link: Link) => Promise<Tried>): Promise<ChainAnswer> {
    const attempts: Attempt[] = []
    let unknown: ChainAnswer | null = null
    let isSure = true
    const { route = null } = asked
    const routed = onRoute(links, route)
    if (routed.length === 0) throw new ChainFault([], route)
    const able = ableTo(routed, asked)
    const whole = route === null || ableTo(links, asked).every((link) => able.includes(link))
    for (const link of able) {
      const { attempt, verdict, projection } = await turnOf(link)
      attempts.push(attempt)
      if (!verdict && asked.signal.aborted) break
      if (!verdict) continue
      const mayLackFields = link.provider.isToldRequired && Boolean(asked.require?.length)
      isSure &&= !asked.skip?.size && !mayLackFields
      const isWhole = attempts.length === able.length && isWithoutFault(attempts)
      const firm = verdict.outcome === 'found' || (isSure && isWhole)
      const answer: ChainAnswer = { provider: link.provider, verdict, projection, attempts, firm, whole }
      const isAmbiguous = verdict.isAmbiguous ? { isAmbiguous: verdict.isAmbiguous } : {}
      if (verdict.outcome === 'found' || !onNotFound) return { ...answer, ...isAmbiguous }
      unknown = { ...(unknown ?? answer), firm, ...isAmbiguous }
    }
    // Where the cap kept others from being asked, what is known so far is the answer, and it is not firm.
    if (unknown && isWithoutOutage(attempts)) return unknown
    throw new ChainFault(attempts)
  }

  function note({ provider, fault, isRefused }: Attempt): void {
    const before = seen.get(provider)
    const at = deps.clock.now()
    if (!fault) failing.delete(provider)
    else if (!isRefused && fault.kind !== 'invalid') failing.set(provider, { fault: withoutAnswer(fault), at })
    seen.set(provider, {
      lastFault: fault ? { kind: fault.kind, at } : (before?.lastFault ?? null),
      lastAnswerAt: fault ? (before?.lastAnswerAt ?? null) : at,
    })
  }

  function failingNow(provider: string): ProviderFault | null {
    const last = failing.get(provider)
    return last && deps.clock.now() - last.at < failingMs ? last.fault : null
  }

  const idle: SendState = { breaker: 'closed', inFlight: 0, queued: 0, lastFault: null }
  return {
    ask,
    presumeMiss,
    canAsk: (identifier, route, skip) => {
      const routed = onRoute(links, route)
      return routed.length === 0 || routed.some(({ provider }) => canBeAsked(provider, identifier, skip))
    },
    isOut: (environmentId, route, cap) =>
      onRoute(links, route).every(
        ({ sender, price }) => (price ?? 0) > (cap ?? Infinity) || (sender?.refusal(environmentId) ?? null) !== null,
      ),
    costAtMost: (identifier, route, cap) => {
      const prices = ableTo(onRoute(links, route), { identifier }).flatMap(({ price, sender }) =>
        price === null || price === undefined ? [] : priceOf(price, sender?.requestsAtMost ?? 1),
      )
      const all = prices.reduce((sum, price) => sum + price, 0)
      return prices.length === 0 ? null : Math.min(all, cap ?? Infinity)
    },
    states: () =>
      links.map(({ provider, sender }) => ({
        provider: provider.name,
        ...(sender?.state() ?? idle),
        ...(seen.get(provider.name) ?? { lastAnswerAt: null }),
      })),
  }
}

/** Keys of our own making mean nothing to most providers: their 404 would be no answer to the question. */
function canBeAsked(
  { name, asksByKey = false, asksByDomain = false, matchesBy }: Provider,
  { kind, type, value, match }: Identifier,
  skip?: ReadonlySet<string>,
): boolean {
  if (skip?.has(name)) return false
  if (match) return (matchesBy?.[kind] ?? []).some((signals) => signals.every((one) => match[one] !== undefined))
  if (type === 'domain') return asksByDomain
  return asksByKey || (type !== 'urn' && !isDerivedCompanyId(value))
}

/**
 * Those that can answer the question. One that cannot look up an opaque member id is asked, and refuses, only where nobody else
 * could be: behind a "not found" of others its refusal would make an outage of an answer.
 */
function ableTo(
  links: readonly Link[],
  { identifier, skip }: Pick<ProviderAsk, 'identifier' | 'skip'>,
): readonly Link[] {
  const able = links.filter(({ provider }) => canBeAsked(provider, identifier, skip))
  const fit = able.filter(({ provider }) => identifier.type !== 'opaque' || !provider.refusesOpaqueIds)
  return fit.length > 0 ? fit : able
}

/** The providers that may be asked, in their order. */
function onRoute(links: readonly Link[], route: Route): readonly Link[] {
  return route?.flatMap((name) => links.find(({ provider }) => provider.name === name) ?? []) ?? links
}

/** A fault to be remembered: of the answer nothing is kept. */
function withoutAnswer({ kind, message, reason, retryAfterSeconds }: ProviderFault): ProviderFault {
  return new ProviderFault(kind, message, { reason, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) })
}

function isWithoutFault(attempts: readonly Attempt[]): boolean {
  return attempts.every((attempt) => attempt.fault === null)
}

/** The cap of a call is no outage of the provider that was too dear for it. */
function isWithoutOutage(attempts: readonly Attempt[]): boolean {
  return attempts.every(({ fault }) => fault === null || fault instanceof CapReached)
}
