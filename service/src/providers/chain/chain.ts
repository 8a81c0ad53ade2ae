import { isDerivedCompanyId, type Identifier } from '../../foundation/identifier.ts'
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
import {
  askOneProvider,
  presumeNotFound,
  type AskDeps,
  type Attempt,
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
  /** False for a 404 that not every provider of the chain gave: no reason to withdraw a stored copy. */
  firm: boolean
  /** One of the providers knows several records that fit as well, and none of them knows a single one. */
  isAmbiguous?: true
}

export interface ProviderState extends SendState {
  provider: string
  lastAnswerAt: number | null
}

export interface Chain {
  /** Asks the providers in order. Throws `ChainFault`, or the reason of the signal when the caller left. */
  ask(ask: ProviderAsk): Promise<ChainAnswer>
  /**
   * How an ask for a record that no provider knows would end now, by what is known of them: nobody is asked, and nothing is
   * counted. Throws `ChainFault` where the ask would.
   */
  presumeMiss(ask: ProviderAsk): Promise<Pick<ChainAnswer, 'firm'>>
  /** False where there are providers, but none, beside those to skip, can be asked by this identifier. */
  canAsk(identifier: Identifier, skip?: ReadonlySet<string>): boolean
  /** True while no provider can be reached for this environment: none is configured, or all are left alone for a while. */
  isOut(account: number): boolean
  states(): ProviderState[]
}

/** No provider of the chain gave an answer that counts. Its kind is that of the last one's fault. */
export class ChainFault extends ProviderFault {
  readonly attempts: readonly Attempt[]

  constructor(attempts: readonly Attempt[]) {
    const faults = attempts.flatMap((attempt) => attempt.fault ?? [])
    const last = faults.at(-1)
    const waits = faults.flatMap((fault) => fault.retryAfterSeconds ?? [])
    super(last?.kind ?? 'unavailable', faults.map((fault) => fault.message).join('; ') || 'no provider is configured', {
      ...(last?.answer ? { answer: last.answer } : {}),
      ...(waits.length > 0 ? { retryAfterSeconds: Math.min(...waits) } : {}),
      cause: last,
    })
    this.name = 'ChainFault'
    this.attempts = attempts
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

  function ask(asked: ProviderAsk): Promise<ChainAnswer> {
    return goThrough(asked, async (link) => {
      const tried = await inSpan('vitae.ask', { provider: link.provider.name }, () =>
        askOneProvider(link, asked, { ...deps, turns }),
      )
      note(tried.attempt)
      onAttempt?.(tried.attempt)
      return tried
    })
  }

  function presumeMiss(asked: ProviderAsk): Promise<ChainAnswer> {
    return goThrough(asked, (link) =>
      presumeNotFound(link, asked, { ...deps, failing: failingNow(link.provider.name) }),
    )
  }

  async function goThrough(asked: ProviderAsk, turnOf: (link: Link) => Promise<Tried>): Promise<ChainAnswer> {
    const attempts: Attempt[] = []
    let unknown: ChainAnswer | null = null
    let isSure = true
    const able = ableTo(links, asked)
    for (const link of able) {
      const { attempt, verdict, projection } = await turnOf(link)
      attempts.push(attempt)
      if (!verdict && asked.signal.aborted) break
      if (!verdict) continue
      const mayLackFields = link.provider.isToldRequired && Boolean(asked.require?.length)
      isSure &&= !asked.skip?.size && !mayLackFields
      const isWhole = attempts.length === able.length && isWithoutFault(attempts)
      const firm = verdict.outcome === 'found' || (isSure && isWhole)
      const answer: ChainAnswer = { provider: link.provider, verdict, projection, attempts, firm }
      const isAmbiguous = verdict.isAmbiguous ? { isAmbiguous: verdict.isAmbiguous } : {}
      if (verdict.outcome === 'found' || !onNotFound) return { ...answer, ...isAmbiguous }
      unknown = { ...(unknown ?? answer), firm, ...isAmbiguous }
    }
    if (unknown && isWithoutFault(attempts)) return unknown
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
    canAsk: (identifier, skip) =>
      links.length === 0 || links.some(({ provider }) => canBeAsked(provider, identifier, skip)),
    isOut: (account) => links.every(({ sender }) => sender !== null && sender.refusal(account) !== null),
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
function ableTo(links: readonly Link[], { identifier, skip }: ProviderAsk): readonly Link[] {
  const able = links.filter(({ provider }) => canBeAsked(provider, identifier, skip))
  const fit = able.filter(({ provider }) => identifier.type !== 'opaque' || !provider.refusesOpaqueIds)
  return fit.length > 0 ? fit : able
}

/** A fault to be remembered: of the answer nothing is kept. */
function withoutAnswer({ kind, message, reason, retryAfterSeconds }: ProviderFault): ProviderFault {
  return new ProviderFault(kind, message, { reason, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) })
}

function isWithoutFault(attempts: readonly Attempt[]): boolean {
  return attempts.every((attempt) => attempt.fault === null)
}
