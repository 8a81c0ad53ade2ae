import { type Account, kinds, type Kind, type PersonPart, personParts } from '@vitae/contract'
import type { Caller } from '../accounts/caller.ts'
import type { RateVerdict } from '../accounts/rate-limits/rate-limiter.ts'
import { allParts, usualAsk, usualEnd, type CompiledBook } from '../credits/prices/compiled-book.ts'
import type { PriceAsk, PricedBy, PriceEnd, PricedKind } from '../credits/prices/price-book.ts'
import { spendDate } from '../credits/decision/ledger-snapshot.ts'
import type { KeySpending, PeriodSpend } from '../credits/store/balances.ts'
import { Failure } from '../foundation/failure.ts'
import type { LookupDeps } from './payment/deps.ts'
import { dayMs, isoTime } from '../foundation/clock.ts'

type Deps = Pick<LookupDeps, 'clock' | 'rules' | 'credits' | 'prices'>

const partNames = Object.keys(personParts) as PersonPart[]
const nothing = { people: 0, companies: 0, resolve: 0, match: 0 }
const noPartPrices = { contact: 0, network: 0, verifications: 0 }
const spendsNothing = { daily: null, monthly: null, budget: null }

/** Describes what a key may do and spend. The ledger is read only for a live key; a test key spends nothing. */
export async function describeAccount(deps: Deps, caller: Caller, rate: RateVerdict): Promise<Account> {
  const { project, environment, mode } = caller
  const { freshness, repeatFreeDays } = deps.rules
  const at = deps.clock.now()
  const spending = mode === 'live' ? await spendingOf(deps, caller, at) : null
  const { daily, monthly, budget } = spending ?? spendsNothing
  const { dayEndsAt, monthEndsAt } = spendDate(at)
  return {
    project,
    environment,
    mode,
    key: keyFacts(caller),
    credits: spending && { available: spending.balance - spending.held, held: spending.held },
    ceilings: { daily: limitOf(daily, dayEndsAt), monthly: limitOf(monthly, monthEndsAt) },
    budgets: { monthly: limitOf(budget, monthEndsAt) },
    prices: { ...pricesOf(deps.prices.at(at), caller), repeat_free_days: repeatFreeDays },
    freshness: {
      default_days: freshness.defaultMs / dayMs,
      cap_days: freshness.capMs / dayMs,
      stale_max_days: freshness.staleMaxMs / dayMs,
    },
    rate_limit: {
      limit: rate.limit,
      window_seconds: caller.rate.windowMs / 1_000,
      remaining: rate.remaining,
      reset_seconds: rate.resetSeconds,
    },
  }
}

/** The prices that a price book sets for this key: the usual ones, the special ones and the highest possible ones. */
function pricesOf(book: CompiledBook, caller: Caller): Omit<Account['prices'], 'repeat_free_days'> {
  const { project, environment, mode, parts } = caller
  const ask: Omit<PriceAsk, 'kind'> = { ...usualAsk, project, environment }
  const price = (kind: PricedKind, end: Partial<PriceEnd> = {}, asked: Partial<PriceAsk> = {}) =>
    book.priceOf({ ...ask, kind, ...asked }, { ...usualEnd, ...end }).credits
  /** Null if it equals the endpoint's usual price; if the endpoints differ, the higher price. */
  const unlessUsual = (special: (kind: Kind) => number) => {
    const isUsual = kinds.every((kind) => special(kind) === price(kind))
    return isUsual ? null : Math.max(...kinds.map(special))
  }
  const highest = (kind: PricedKind, by: PricedBy = 'lookup') => {
    const known = { project, environment, kind, by, include: allParts(parts) }
    return book.atMost(kind === 'resolve' ? { ...known, bypass: false } : known)
  }
  const [found, kept] = [price('resolve'), price('resolve', { source: 'store', changed: false })]
  return {
    book: book.version,
    people: price('people'),
    companies: price('companies'),
    stale: unlessUsual((kind) => price(kind, { source: 'stale_fallback', changed: false })),
    thin: unlessUsual((kind) => price(kind, { thin: true })),
    bypass: unlessUsual((kind) => price(kind, {}, { bypass: true })),
    resolve: found === price('companies') && kept === 0 ? null : found,
    parts: { ...noPartPrices, ...Object.fromEntries(book.lists.parts.map(({ part, credits }) => [part, credits])) },
    highest:
      mode === 'test'
        ? nothing
        : {
            people: highest('people'),
            companies: highest('companies'),
            resolve: highest('resolve'),
            match: Math.max(...kinds.map((kind) => highest(kind, 'match'))),
          },
    match: unlessUsual((kind) => price(kind, {}, { by: 'match' })),
  }
}

async function spendingOf(deps: Deps, { environmentId, keyId }: Caller, at: number): Promise<KeySpending> {
  const spending = await deps.credits.keySpending({ environmentId, keyId, at })
  // Keys are never deleted, so a missing one is treated as revoked.
  if (!spending) throw new Failure('revoked_api_key')
  return spending
}

function keyFacts({ keyId, label, expiresAt, revokedAt, endpoints, parts, networks }: Caller): Account['key'] {
  return {
    id: keyId,
    label,
    expires_at: timeOf(expiresAt),
    revoked_at: timeOf(revokedAt),
    endpoints: kinds.filter((kind) => !endpoints || endpoints.has(kind)),
    parts: partNames.filter((part) => !parts || parts.has(part)),
    networks: networks && [...networks.list],
  }
}

function timeOf(at: number): string | null {
  return at === Infinity ? null : isoTime(at)
}

function limitOf(period: PeriodSpend | null, endsAt: number): Account['budgets']['monthly'] {
  if (!period) return null
  const { limit, spent } = period
  return { limit, spent, remaining: Math.max(0, limit - spent), renews_at: isoTime(endsAt) }
}
