import Type, { type Static } from 'typebox'
import { OperatorStatement, StatementMonth } from '../../statements.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, Cursor, pageQuery, spanQuery, orNull } from '../schemas.ts'

const entryKind = Type.Enum(['grant', 'hold', 'capture', 'release', 'charge', 'adjustment'])
const Balance = Type.Object({
  balance: Type.Integer({ description: 'Granted minus spent.' }),
  held: Count,
  available: Type.Integer({ description: 'What a call may still spend.' }),
  monthly_budget: Type.Optional(
    Type.Integer({
      description: 'The credits that all keys together may spend in a UTC month; left out without a budget.',
    }),
  ),
  spent_this_month: Type.Optional(Type.Integer({ description: 'Spent and held of the budget.' })),
  recurring_credits: Type.Optional(
    Type.Integer({
      description: 'The credits granted on the 1st of each UTC month; left out without a recurring grant.',
    }),
  ),
  recurring_carry_over: Type.Optional(
    Type.Boolean({ description: 'Whether what is not spent stays for the next month.' }),
  ),
})
export type Balance = Static<typeof Balance>
const entry = {
  id: Type.Integer(),
  at: Time,
  kind: entryKind,
  amount: Type.Integer(),
  held_amount: orNull(Type.Integer({ description: 'Of a capture: the hold that ended with it.' })),
  month: orNull(Type.String()),
}
export const LedgerEntry = Type.Object(entry)
const Entry = Type.Object({
  ...entry,
  key_id: orNull(Type.String()),
  request_id: orNull(Type.String()),
  reason: orNull(Type.String()),
  actor: orNull(Type.String()),
  change: Type.Integer({ description: 'What it did to the balance: a hold and a release do nothing.' }),
  balance: orNull(Type.Integer({ description: 'The balance after it; null in a list that leaves entries out.' })),
})
const LedgerReport = Type.Object({
  ok: Type.Boolean(),
  entries: Count,
  differences: Type.Array(
    Type.Object({ what: Type.String(), expected: orNull(Type.Number()), actual: orNull(Type.Number()) }),
  ),
})
/** Null while the call runs; until then only its hold is known. */
const known = {
  at: orNull(Time),
  mode: orNull(Type.Enum(['live', 'test'])),
  endpoint: orNull(KindName),
  status: orNull(Type.Integer()),
  code: orNull(Type.String()),
  source: orNull(Type.String()),
  credits: orNull(Type.Integer()),
  entity: orNull(Type.String({ description: 'The member_urn or company_id; null after an erasure.' })),
  version_id: orNull(Type.Integer()),
  fetch_id: orNull(Type.Integer()),
  replay_of: orNull(Type.String({ description: 'The request that was paid for, when this one replayed it.' })),
  duration_ms: orNull(Type.Number()),
  tag: orNull(Type.String({ description: 'What the caller said it was for, X-Spend-Tag.' })),
  price: orNull(
    Type.String({
      description:
        'The price book and the lines that applied: `3 12:1 contact:2` is line 12 of book 3 for 1 credit, and 2 for the contact.',
    }),
  ),
  price_lines: Type.Array(Type.Object({ line: Type.String(), credits: Type.Integer() }), {
    description: 'The same in words. Empty for a replay, or if nothing was priced.',
  }),
}
const Receipt = Type.Object({
  request_id: Type.String(),
  project: Type.String(),
  environment: Type.String(),
  key: Type.Object({ id: Type.String(), display: Type.String(), label: orNull(Type.String()) }),
  ...known,
  entries: Type.Array(LedgerEntry),
  hold: orNull(Type.Object({ amount: Type.Integer(), placed_at: Time, expires_at: Time })),
})

const EnvironmentName = { project: Type.String(), environment: Type.String() }
const Change = Type.Object({ ...EnvironmentName, amount: Type.Integer(), reason: Type.Optional(Type.String()) })
const Budget = Type.Object({
  ...EnvironmentName,
  monthly: orNull(Type.Integer({ minimum: 0, description: 'Credits per UTC calendar month; null = no budget.' })),
  reason: Type.Optional(Type.String()),
})
const Recurring = Type.Object({
  ...EnvironmentName,
  monthly: orNull(Type.Integer({ minimum: 0, maximum: 1e12, description: 'Credits each UTC month; null = none.' })),
  carry_over: Type.Optional(
    Type.Boolean({ description: 'Whether what is not spent stays for the next month; false if left out.' }),
  ),
  reason: Type.Optional(Type.String()),
})
const Alerts = Type.Object({
  credits_below: Type.Integer({ description: '`credits.low` is sent when the balance falls below it.' }),
  ceiling_percent: Type.Integer({ description: '`ceiling.near` is sent when this percentage of a ceiling is spent.' }),
})
export type Alerts = Static<typeof Alerts>
const AlertChange = Type.Object({
  ...EnvironmentName,
  credits_below: Type.Optional(
    orNull(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'null = 1, when nothing is left.' }),
    ),
  ),
  ceiling_percent: Type.Optional(orNull(Type.Integer({ minimum: 1, maximum: 100, description: 'null = 80.' }))),
})

/** Credits of an environment, its ledger, and the receipt of each call. */
export const creditOperations = {
  grantCredits: {
    route: 'POST /credits/grants',
    summary: 'Grant credits to an environment',
    role: 'billing',
    scope: 'own project',
    body: Change,
    response: Balance,
  },
  adjustCredits: {
    route: 'POST /credits/adjustments',
    summary: 'Correct a balance by a signed amount',
    role: 'billing',
    scope: 'own project',
    body: Change,
    response: Balance,
  },
  setBudget: {
    route: 'POST /credits/budgets',
    summary: 'Limit what all keys of an environment may spend together in a month',
    role: 'billing',
    scope: 'own project',
    body: Budget,
    response: Balance,
  },
  setRecurring: {
    route: 'POST /credits/recurring',
    summary: 'Grant an environment credits on the 1st of each month',
    description:
      'The first time on the next 1st, at 00:00 UTC. Months in which the service did not run are granted when it runs again, each once.',
    role: 'billing',
    scope: 'own project',
    body: Recurring,
    response: Balance,
  },
  creditBalance: {
    route: 'GET /credits/balance',
    summary: 'What an environment has, holds and can spend',
    role: 'viewer',
    scope: 'own project',
    query: Type.Object(EnvironmentName),
    response: Balance,
  },
  creditHistory: {
    route: 'GET /credits/history',
    summary: 'The ledger entries of an environment, newest first',
    role: 'viewer',
    scope: 'own project',
    query: Type.Object({
      ...EnvironmentName,
      ...pageQuery,
      only: Type.Optional(
        Type.Enum(['grants', 'spending'], { description: 'Grants and adjustments, or what calls did.' }),
      ),
      kind: Type.Optional(entryKind),
      ...spanQuery,
    }),
    response: Type.Object({ entries: Type.Array(Entry), next_cursor: Cursor }),
  },
  readStatement: {
    route: 'GET /statement',
    summary: 'The statement of a project or environment for a month',
    description:
      'A month is closed an hour after its end, as soon as no call holds credits of it. The closed statement never changes, and the audit log has its digest (`statement.close`); later corrections belong to the month in which they are made. The digest of a whole project is the SHA-256 of the lines `NAME DIGEST` of its environments.',
    role: 'viewer',
    scope: 'own project',
    query: Type.Object({
      project: Type.String(),
      environment: Type.Optional(Type.String({ description: 'All environments of the project if left out.' })),
      ...StatementMonth.properties,
      format: Type.Optional(Type.Enum(['json', 'csv', 'html'])),
    }),
    response: OperatorStatement,
    produces: { 'text/csv': Type.String(), 'text/html': Type.String() },
  },
  verifyLedger: {
    route: 'GET /ledger/verify',
    summary: 'Recompute every balance from the entries and name every difference',
    role: 'viewer',
    scope: 'whole service',
    response: LedgerReport,
  },
  showReceipt: {
    route: 'GET /receipts/:request_id',
    summary: 'The receipt of one call',
    role: 'viewer',
    scope: 'own part',
    params: Type.Object({ request_id: Type.String() }),
    response: Receipt,
  },
  showAlerts: {
    route: 'GET /alerts',
    summary: 'When an environment is notified of its spending',
    role: 'viewer',
    scope: 'own project',
    query: Type.Object(EnvironmentName),
    response: Alerts,
  },
  setAlerts: {
    route: 'POST /alerts',
    summary: 'Set when an environment is notified of its spending',
    description:
      'Settings that are left out stay unchanged. A changed threshold notifies again, even if the old one already did.',
    role: 'operator',
    scope: 'own project',
    body: AlertChange,
    response: Alerts,
  },
} satisfies AdminOperationRows
