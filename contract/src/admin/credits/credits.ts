import Type, { type Static } from 'typebox'
import { OperatorStatement, StatementMonth } from '../../statements.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, Cursor, pageQuery, spanQuery, orNull } from '../schemas.ts'

const entryKind = Type.Enum(['grant', 'hold', 'capture', 'release', 'charge', 'adjustment'])
const Balance = Type.Object({
  balance: Type.Integer({ description: 'Granted credits minus spent credits. Held credits are still in the balance.' }),
  held: Count,
  available: Type.Integer({ description: 'The credits that calls may still spend now.' }),
  monthly_budget: Type.Optional(
    Type.Integer({
      description: 'The credits that all keys together may spend in a UTC month; left out without a budget.',
    }),
  ),
  spent_this_month: Type.Optional(
    Type.Integer({ description: 'The credits of the budget that are spent or held in this UTC month.' }),
  ),
  recurring_credits: Type.Optional(
    Type.Integer({
      description: 'The credits granted on the 1st of each UTC month; left out without a recurring grant.',
    }),
  ),
  recurring_carry_over: Type.Optional(
    Type.Boolean({
      description: 'True: recurring credits that are not spent stay for the next month. False: they lapse.',
    }),
  ),
})
export type Balance = Static<typeof Balance>
const entry = {
  id: Type.Integer(),
  at: Time,
  kind: entryKind,
  amount: Type.Integer(),
  held_amount: orNull(Type.Integer({ description: 'For a capture, the number of credits in the hold that it ended.' })),
  month: orNull(Type.String()),
}
export const LedgerEntry = Type.Object(entry)
const Entry = Type.Object({
  ...entry,
  key_id: orNull(Type.String()),
  request_id: orNull(Type.String()),
  reason: orNull(Type.String()),
  actor: orNull(Type.String()),
  change: Type.Integer({
    description: 'The change of the balance by this entry. A hold and a release change it by 0.',
  }),
  balance: orNull(Type.Integer({ description: 'The balance after this entry; null in a filtered list.' })),
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
  entity: orNull(Type.String({ description: 'The member_urn or company_id of the record; null after an erasure.' })),
  version_id: orNull(Type.Integer()),
  fetch_id: orNull(Type.Integer()),
  replay_of: orNull(
    Type.String({ description: 'If this call is a replay: the request id of the paid call that it repeats.' }),
  ),
  duration_ms: orNull(Type.Number()),
  tag: orNull(Type.String({ description: 'The X-Spend-Tag of the call: what the caller says that the call is for.' })),
  price: orNull(
    Type.String({
      description:
        'The price book and the price lines that applied. `3 12:1 contact:2` means: book 3, line 12 for 1 credit, and 2 credits for contact.',
    }),
  ),
  price_lines: Type.Array(Type.Object({ line: Type.String(), credits: Type.Integer() }), {
    description: 'The price lines of `price`, in words. Empty for a replay, or if the call had no price.',
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
  monthly: orNull(
    Type.Integer({
      minimum: 0,
      maximum: 1e12,
      description: 'The credits to grant each UTC month; null = no recurring grant.',
    }),
  ),
  carry_over: Type.Optional(
    Type.Boolean({
      description: 'True: credits that are not spent stay for the next month. False, the default: they lapse.',
    }),
  ),
  reason: Type.Optional(Type.String()),
})
const Alerts = Type.Object({
  credits_below: Type.Integer({
    description: 'The event `credits.low` is sent when the balance falls below this number of credits.',
  }),
  ceiling_percent: Type.Integer({
    description: 'The event `ceiling.near` is sent when this percentage of a key’s ceiling is spent.',
  }),
})
export type Alerts = Static<typeof Alerts>
const AlertChange = Type.Object({
  ...EnvironmentName,
  credits_below: Type.Optional(
    orNull(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'The number of credits below which `credits.low` is sent. Null = 1: sent when no credits are left.',
      }),
    ),
  ),
  ceiling_percent: Type.Optional(
    orNull(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'The percentage of a key’s ceiling at which `ceiling.near` is sent. Null = 80.',
      }),
    ),
  ),
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
      'The first grant is on the next 1st of a month at 00:00 UTC. If the service was stopped on a 1st, the grant is made when it starts again.',
    role: 'billing',
    scope: 'own project',
    body: Recurring,
    response: Balance,
  },
  creditBalance: {
    route: 'GET /credits/balance',
    summary: 'Show the balance, held credits and available credits of an environment',
    role: 'viewer',
    scope: 'own project',
    query: Type.Object(EnvironmentName),
    response: Balance,
  },
  creditHistory: {
    route: 'GET /credits/history',
    summary: 'List the ledger entries of an environment, newest first',
    role: 'viewer',
    scope: 'own project',
    query: Type.Object({
      ...EnvironmentName,
      ...pageQuery,
      only: Type.Optional(
        Type.Enum(['grants', 'spending'], {
          description: '`grants`: only grants and adjustments. `spending`: only entries of calls.',
        }),
      ),
      kind: Type.Optional(entryKind),
      ...spanQuery,
    }),
    response: Type.Object({ entries: Type.Array(Entry), next_cursor: Cursor }),
  },
  readStatement: {
    route: 'GET /statement',
    summary: 'Show the statement of a project or environment for one month',
    description:
      'A month is closed an hour after its end, as soon as no call holds credits of it. The closed statement never changes, and the audit log has its digest (`statement.close`); later corrections belong to the month in which they are made. The digest of a whole project is the SHA-256 of the lines `NAME DIGEST` of its environments.',
    role: 'viewer',
    scope: 'own project',
    query: Type.Object({
      project: Type.String(),
      environment: Type.Optional(
        Type.String({ description: 'The environment; all environments of the project if left out.' }),
      ),
      ...StatementMonth.properties,
      format: Type.Optional(Type.Enum(['json', 'csv', 'html'])),
    }),
    response: OperatorStatement,
    produces: { 'text/csv': Type.String(), 'text/html': Type.String() },
  },
  verifyLedger: {
    route: 'GET /ledger/verify',
    summary: 'Recompute every balance from the ledger entries, and list every difference',
    role: 'viewer',
    scope: 'whole service',
    response: LedgerReport,
  },
  showReceipt: {
    route: 'GET /receipts/:request_id',
    summary: 'Show the receipt of one call',
    role: 'viewer',
    scope: 'own part',
    params: Type.Object({ request_id: Type.String() }),
    response: Receipt,
  },
  showAlerts: {
    route: 'GET /alerts',
    summary: 'Show the thresholds at which an environment is notified of its spending',
    role: 'viewer',
    scope: 'own project',
    query: Type.Object(EnvironmentName),
    response: Alerts,
  },
  setAlerts: {
    route: 'POST /alerts',
    summary: 'Set the thresholds at which an environment is notified of its spending',
    description:
      'Thresholds that are left out stay unchanged. A changed threshold notifies again, even if the old threshold already did.',
    role: 'operator',
    scope: 'own project',
    body: AlertChange,
    response: Alerts,
  },
} satisfies AdminOperationRows
