import type { Clock } from '../../foundation/clock.ts'
import { type Identifier, isDerivedCompanyId } from '../../foundation/identifier.ts'
import { priceOf } from './money.ts'
import type { Route } from '../../foundation/environments/route.ts'
import { inSpan } from '../../foundation/tracing.ts'
import { gated, type Provider, type ProviderAsk } from '@vitae/provider'
import type { SendState } from '../transport/send-with-retries.ts'
import { CapReached } from '../transport/exchange.ts'
import {
  ChainFault,
  isWithoutOutage,
  missOutcome,
  type ChainAnswer,
  type Denial,
  type MissAnswer,
} from './chain-answer.ts'
import {
  askOneProvider,
  presumeNotFound,
  type AskDeps,
  type Attempt,
  type ChainAsk,
  type Link,
  type Tried,
} from './ask-one-provider.ts'
import { ProviderHealth } from './provider-health.ts'

interface ChainDeps extends AskDeps {
  links: readonly Link[]
  /** Whether the next provider is asked after a "not found". */
  onNotFound: boolean
  /** Called for every attempt, for the metrics. */
  onAttempt?: (attempt: Attempt) => void
}

export interface ProviderState extends SendState {
  provider: string
  lastAnswerAt: number | null
}

export interface Chain {
  /** Asks the providers in order. Throws `ChainFault`, or the signal's reason if the caller disconnected. */
  ask(ask: ChainAsk): Promise<ChainAnswer>
  /**
   * How an ask for a record that no provider has would end now, judged by the known state of the providers. No provider
   * is asked, and nothing is counted. Throws `ChainFault` if the ask would.
   */
  presumeMiss(ask: ChainAsk): Promise<Pick<ChainAnswer, 'outcome' | 'attempts'>>
  /** False if the route has providers, but none of them, apart from those to skip, can be asked by this identifier. */
  canAsk(identifier: Identifier, route: Route, skip?: ReadonlySet<string>): boolean
  /**
   * True while no provider can be asked for this environment: none is configured, all exceed the cost limit, or all
   * breakers are open.
   */
  isOut(environmentId: number, route: Route, cap: number | null): boolean
  /** The maximum cost of an ask, whatever its providers answer; null if none of them has a price. */
  costAtMost(identifier: Identifier, route: Route, cap: number | null): number | null
  states(): ProviderState[]
}

const idle: SendState = { breaker: 'closed', inFlight: 0, queued: 0, lastFault: null }

/**
 * An ordered chain. The next provider is asked after an outage and, with `onNotFound`, after a 404. In that case only a
 * 404 from all of them counts, because a provider that is out might have the record.
 */
export function createChain({ links: given, onNotFound, onAttempt, ...deps }: ChainDeps): Chain {
  const links = given.map((link) => throughGate(link, deps.clock))
  const health = new ProviderHealth(deps.clock)
  const order = { links, onNotFound }

  const ask = async (link: Link, asked: ChainAsk): Promise<Tried> => {
    const tried = await inSpan('vitae.ask', { provider: link.provider.name }, () => askOneProvider(link, asked, deps))
    if (tried.attempt.fault instanceof CapReached) return tried
    health.note(tried.attempt)
    onAttempt?.(tried.attempt)
    return tried
  }
  const presume = (link: Link, asked: ChainAsk) =>
    presumeNotFound(link, asked, { ...deps, failing: health.failing(link.provider.name) })

  return {
    ask: (asked) => askInOrder(order, asked, ask),
    presumeMiss: (asked) => askInOrder(order, asked, presume),
    canAsk: (identifier, route, skip) => {
      const routed = onRoute(links, route)
      return routed.length === 0 || routed.some(({ provider }) => canBeAsked(provider, identifier, skip))
    },
    isOut: (environmentId, route, cap) => onRoute(links, route).every((link) => isLeftAlone(link, environmentId, cap)),
    costAtMost: (identifier, route, cap) => costOf(ableTo(onRoute(links, route), { identifier }), cap),
    states: () => links.map((link) => stateOf(link, health)),
  }
}

/** Providers are used only through the gate, with the limits of their link. */
function throughGate(link: Link, clock: Clock): Link {
  const { provider, totalMs, attemptMs = totalMs } = link
  return { ...link, provider: gated(provider, { totalMs, idleMs: attemptMs, now: () => clock.now() }) }
}

/** Asks the providers of the route in turn, until one of them settles the question. */
async function askInOrder(
  { links, onNotFound }: Pick<ChainDeps, 'links' | 'onNotFound'>,
  asked: ChainAsk,
  turnOf: (link: Link, asked: ChainAsk) => Promise<Tried>,
): Promise<ChainAnswer> {
  const { route = null } = asked
  const routed = onRoute(links, route)
  if (routed.length === 0) throw new ChainFault([], route)
  const able = ableTo(routed, asked)
  const attempts: Attempt[] = []
  const denials: Denial[] = []
  const endsAt = performance.now() + (asked.withinMs ?? Infinity)
  for (const [index, link] of able.entries()) {
    const { provider } = link
    const limitMs = index === able.length - 1 ? Infinity : partOf(endsAt - performance.now(), link)
    const { attempt, verdict, projection } = await within(limitMs, asked, (limited) => turnOf(link, limited))
    attempts.push(attempt)
    if (verdict && projection) return { outcome: 'found', provider, verdict, projection, attempts }
    if (verdict) denials.push({ provider, verdict, isUnsure: attempt.isUnsure ?? false })
    if (verdict ? !onNotFound : asked.signal.aborted) break
  }
  const isWholeChain = route === null || ableTo(links, asked).every((link) => able.includes(link))
  // Without `onNotFound` the first "not found" is the answer, even after an outage.
  if (onNotFound && !isWithoutOutage(attempts)) throw new ChainFault(attempts)
  return missOf(asked, { attempts, denials, able: able.length, isWholeChain })
}

/**
 * The share of the remaining time for one provider, so that the next one can still be asked: half of it, or one attempt
 * if that is longer, but at most four fifths.
 */
function partOf(leftMs: number, { attemptMs = 0 }: Link): number {
  return Math.max(leftMs / 2, Math.min(attemptMs, leftMs * 0.8))
}

/** Ends an ask after its share of the time. Not `AbortSignal.timeout`: its timer would stay long after the answer. */
async function within<Result>(
  limitMs: number,
  asked: ChainAsk,
  run: (asked: ChainAsk) => Promise<Result>,
): Promise<Result> {
  const { signal } = asked
  if (limitMs === Infinity || signal.aborted) return run(asked)
  const limit = new AbortController()
  const follow = () => limit.abort(signal.reason)
  const timer = setTimeout(() => limit.abort(new DOMException('too slow', 'TimeoutError')), limitMs)
  signal.addEventListener('abort', follow, { once: true })
  try {
    return await run({ ...asked, signal: limit.signal })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', follow)
  }
}

function missOf(
  { skip, require }: ChainAsk,
  { attempts, ...facts }: { attempts: Attempt[]; denials: Denial[]; able: number; isWholeChain: boolean },
): MissAnswer {
  const [first] = facts.denials
  if (!first) throw new ChainFault(attempts)
  const hasSkipped = Boolean(skip?.size)
  const hasRequired = Boolean(require?.length)
  return { outcome: missOutcome({ ...facts, hasSkipped, hasRequired }), ...first, attempts }
}

/** Whether a provider is not asked now, whatever the question. */
function isLeftAlone({ sender, price }: Link, environmentId: number, cap: number | null): boolean {
  return (price ?? 0) > (cap ?? Infinity) || (sender?.refusal(environmentId) ?? null) !== null
}

function costOf(links: readonly Link[], cap: number | null): number | null {
  const prices = links.flatMap(({ price, sender }) =>
    price === null || price === undefined ? [] : priceOf(price, sender?.requestsAtMost ?? 1),
  )
  const all = prices.reduce((sum, price) => sum + price, 0)
  return prices.length === 0 ? null : Math.min(all, cap ?? Infinity)
}

function stateOf({ provider: { name }, sender }: Link, health: ProviderHealth): ProviderState {
  return { provider: name, ...(sender?.state() ?? idle), ...(health.seen(name) ?? { lastAnswerAt: null }) }
}

/** The providers of a route, in its order. */
export function onRoute(links: readonly Link[], route: Route): readonly Link[] {
  return route?.flatMap((name) => links.find(({ provider }) => provider.name === name) ?? []) ?? links
}

/** Whether a provider can answer the question. Most providers do not know our derived ids, so a 404 from them proves nothing. */
function canBeAsked(
  { name, asks, asksByKey = false, asksByDomain = false, matchesBy, refusesOpaqueIds }: Provider,
  { kind, type, value, match }: Identifier,
  skip?: ReadonlySet<string>,
): boolean {
  if (skip?.has(name)) return false
  if (match) return (matchesBy?.[kind] ?? []).some((signals) => signals.every((one) => match[one] !== undefined))
  if (asks && !asks[kind].includes(type)) return refusesOpaqueIds === true && type === 'opaque' && asks[kind].length > 0
  if (asks && type === 'urn') return value.startsWith('urn:li:member:')
  if (type === 'domain') return asksByDomain
  return asksByKey || (type !== 'urn' && !isDerivedCompanyId(value))
}

/**
 * The providers that can answer the question. A provider that cannot look up opaque member ids is asked only if no
 * other provider can be: after a "not found" from others, its refusal would turn an answer into an outage.
 */
function ableTo(
  links: readonly Link[],
  { identifier, skip }: Pick<ProviderAsk, 'identifier' | 'skip'>,
): readonly Link[] {
  const able = links.filter(({ provider }) => canBeAsked(provider, identifier, skip))
  const fit = able.filter(({ provider }) => identifier.type !== 'opaque' || !provider.refusesOpaqueIds)
  return fit.length > 0 ? fit : able
}
