import Type, { type TObject } from 'typebox'
import { Account, CompanyMatches, Preflight } from './account.ts'
import { callerOperation } from './openapi-callers.ts'
import type { CallerOperationId } from './openapi-failure-table.ts'
import type { Json } from './openapi-schemas.ts'
import { CompanyQuery, ProfileQuery } from './queries.ts'

const exampleAccount: Account = {
  project: 'acme',
  environment: 'production',
  mode: 'live',
  key: {
    id: 'key_4f2c9b7d1e60',
    label: 'nightly enrichment',
    expires_at: null,
    revoked_at: null,
    endpoints: ['people', 'companies'],
    parts: ['network', 'verifications'],
    networks: ['203.0.113.0/24'],
  },
  credits: { available: 941, held: 2 },
  ceilings: {
    daily: { limit: 100, spent: 59, remaining: 41, renews_at: '2026-11-15T00:00:00.000Z' },
    monthly: null,
  },
  budgets: { monthly: { limit: 2_000, spent: 1_059, remaining: 941, renews_at: '2026-12-01T00:00:00.000Z' } },
  prices: {
    book: 0,
    people: 1,
    companies: 1,
    stale: null,
    thin: 0,
    bypass: null,
    resolve: null,
    parts: { contact: 0, network: 0, verifications: 0 },
    highest: { people: 1, companies: 1, resolve: 1, match: 1 },
    match: null,
    repeat_free_days: 0,
  },
  freshness: { default_days: 7, cap_days: 7, stale_max_days: 30 },
  rate_limit: { limit: 300, window_seconds: 60, remaining: 299, reset_seconds: 60 },
}

const examplePreflight: Preflight = {
  source: 'store',
  age_seconds: 7_200,
  price: 1,
  max_price: 1,
  refused: null,
  asks_provider: false,
}

/** Text that a host is read from. */
export const ResolveQuery = Type.Object({
  domain: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'A domain, or a URL of which only the host is used.',
  }),
})

const exampleMatches: CompanyMatches = {
  domain: 'tidewater.example',
  source: 'store',
  candidates: [
    {
      company_id: '900000000001',
      public_identifier: 'tidewater-instruments-example',
      name: 'Tidewater Instruments',
      matched: 'host',
    },
  ],
}

const preflight = (operationId: CallerOperationId, tag: string, query: TObject) =>
  callerOperation({
    operationId,
    tag,
    summary: 'What would this lookup do, and cost?',
    description:
      'Takes the parameters and headers of the lookup. Free, and no provider is asked. An identifier that nobody has asked for yet is expected to be found.',
    query,
    reads: ['IdempotencyKey', 'SpendTag', 'CacheControl'],
    answer: { 'application/json': Preflight },
    example: examplePreflight,
  })

/** What a key may do and spend, and what a lookup would cost. All of it is free. */
export function accountPaths(): Json {
  return {
    '/v1/account': {
      get: callerOperation({
        operationId: 'getAccount',
        tag: 'Account',
        summary: 'What may this key do, and what has it left?',
        description: 'Free. The figures are those of the ledger at this moment.',
        answer: { 'application/json': Account },
        example: exampleAccount,
      }),
    },
    '/v1/people/profile/preflight': { get: preflight('preflightPersonProfile', 'People', ProfileQuery) },
    '/v1/companies/resolve': {
      get: callerOperation({
        operationId: 'resolveCompany',
        tag: 'Companies',
        summary: 'Which company has its site at this domain?',
        description:
          "From the store by the company's own site, or else from a provider that can be asked by a domain. 404, at no cost, where none is known. Takes `Idempotency-Key` and `X-Spend-Tag` as a lookup does.",
        query: ResolveQuery,
        reads: ['IdempotencyKey', 'SpendTag'],
        says: ['X-Data-Source', 'X-Credits-Charged', 'Idempotent-Replayed', 'X-Spend-Tag-Counted-As'],
        answer: { 'application/json': CompanyMatches },
        example: exampleMatches,
      }),
    },
    '/v1/companies/details/preflight': { get: preflight('preflightCompanyDetails', 'Companies', CompanyQuery) },
  }
}
