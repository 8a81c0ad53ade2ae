import { type Account, kinds, type PersonPart, personParts } from '@vitae/contract'
import type { Caller } from '../accounts/key-cache.ts'
import type { RateVerdict } from '../accounts/rate-limits/rate-limiter.ts'
import { highestPrices } from '../credits/prices.ts'
import { spendDate } from '../credits/decision/ledger-snapshot.ts'
import type { KeySpending, PeriodSpend } from '../credits/store/balances.ts'
import { Failure } from '../foundation/failure.ts'
import type { LookupDeps } from './deps.ts'

type Deps = Pick<LookupDeps, 'clock' | 'rules' | 'credits'>

const dayMs = 86_400_000
const partNames = Object.keys(personParts) as PersonPart[]
const nothing = { people: 0, companies: 0, resolve: 0, match: 0 }
const spendsNothing = { daily: null, monthly: null, budget: null }

/**
 * What a key may do and spend. The figures of a live key are the ledger's at this moment; a test key spends nothing, so
 * the ledger is not read for it.
 */
export async function describeAccount(deps: Deps, caller: Caller, rate: RateVerdict): Promise<Account> {
  const { project, environment, mode } = caller
  const { prices, freshness } = deps.rules
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
    prices: {
      people: prices.people,
      companies: prices.companies,
      stale: prices.stale,
      thin: prices.thin,
      bypass: prices.bypass,
      resolve: prices.resolve,
      highest: mode === 'test' ? nothing : highestPrices(prices),
      match: prices.match,
      repeat_free_days: prices.repeatFreeDays,
    },
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

async function spendingOf(deps: Deps, { accountId, keyId }: Caller, at: number): Promise<KeySpending> {
  const spending = await deps.credits.keySpending({ accountId, keyId, at })
  // A key is never removed while it is known; one that is gone cannot be told from a revoked one.
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
  return at === Infinity ? null : new Date(at).toISOString()
}

function limitOf(period: PeriodSpend | null, endsAt: number): Account['budgets']['monthly'] {
  if (!period) return null
  const { limit, spent } = period
  return { limit, spent, remaining: Math.max(0, limit - spent), renews_at: new Date(endsAt).toISOString() }
}
