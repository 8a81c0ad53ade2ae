import { Account } from '../account.ts'
import { Statement, StatementMonth } from '../statements.ts'
import { Receipt, ReceiptPath, Usage, UsageQuery } from '../usage.ts'
import type { PublicRows } from './row.ts'

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

const exampleUsage: Usage = {
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-15T00:00:00.000Z',
  as_of: '2026-11-14T09:30:00.000Z',
  rows: [
    { day: '2026-11-13', tag: 'spring-campaign', calls: 120, credits: 96 },
    { day: '2026-11-14', tag: null, calls: 8, credits: 8 },
  ],
  total: { calls: 128, credits: 104 },
}

const exampleStatement: Statement = {
  project: 'acme',
  environment: 'production',
  month: '2026-10',
  in_progress: false,
  opening_balance: 120,
  granted: 1_000,
  lapsed: 20,
  charged: 700,
  corrected: -10,
  closing_balance: 390,
  lines: [
    {
      price_line: 'book 0, line 3: people',
      endpoint: 'people',
      source: 'live',
      spend_tag: 'spring-campaign',
      calls: 700,
      credits: 700,
    },
  ],
  digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
}

const exampleReceipt: Receipt = {
  request_id: '0198c0de-7a11-7000-8000-00000000beef',
  at: '2026-11-14T09:30:00.000Z',
  endpoint: 'people',
  status: 200,
  source: 'live',
  held: 1,
  charged: 1,
  price: { book: 0, lines: [{ line: 'line 3: people', credits: 1 }], less_than_held: [] },
  filled: [],
  reason: 'Fetched from mirror, because nothing is stored under this identifier.',
  providers: [{ name: 'mirror', outcome: 'found' }],
  spend_tag: 'spring-campaign',
}

/** The key's permissions and credits, and the environment's usage. All are free. */
export const accountOperations = {
  getAccount: {
    route: 'GET /v1/account',
    tag: 'Account',
    summary: 'Show what this key may do, and what it may still spend',
    description: 'Free. The response shows the current figures of the ledger.',
    response: Account,
    example: exampleAccount,
    failures: [],
  },
  getUsage: {
    route: 'GET /v1/usage',
    tag: 'Account',
    summary: 'Count the calls and credits of this environment',
    description:
      'Counts the calls of all live keys of the environment; credits add up to the ledger. At most 366 days. Free. With a test key: fictional figures.',
    query: UsageQuery,
    response: Usage,
    example: exampleUsage,
    failures: [],
  },
  getStatement: {
    route: 'GET /v1/statement',
    tag: 'Account',
    summary: 'Show the statement of this environment for one month',
    description:
      'Returns balances, grants, charges by price line, and corrections of a UTC month. `in_progress` is true until the month is closed. A closed statement never changes. Free. With a test key: fictional figures.',
    query: StatementMonth,
    response: Statement,
    example: exampleStatement,
    failures: [],
  },
  getReceipt: {
    route: 'GET /v1/receipts/:request_id',
    tag: 'Account',
    summary: 'Show what one call cost, and why',
    description:
      'Returns the receipt of an answered call of this environment, as long as the call log keeps the call. Free. A test key can read its own calls and the fictional `sample-receipt`.',
    params: ReceiptPath,
    response: Receipt,
    example: exampleReceipt,
    failures: ['endpoint_not_allowed', 'not_found'],
  },
} as const satisfies PublicRows
