import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { Failure } from '../../../foundation/failure.ts'
import { noteFullCheck } from '../../../lifecycle/doctor/check-integrity.ts'
import { readNote } from '../../../credits/prices/price-note.ts'
import { listsOf } from '../../../credits/prices/price-books.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { Balance, Entry, entryKind, entryView, LedgerReport, Receipt, receiptView } from './credit-view.ts'
import { readTimeIfGiven, spanQuery } from '../read-time.ts'
import { nextCursor, numberCursor, pageQuery } from '../pagination.ts'
import { Cursor, orNull } from '../schemas.ts'

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
const kindsOf = { grants: ['grant', 'adjustment'], spending: ['hold', 'capture', 'release', 'charge'] } as const
const tag = 'credits'

/** Credits of an environment, the ledger behind them, and the receipt of each call. */
export function creditRoutes(app: FastifyInstance, deps: AppDeps): void {
  grantCreditsRoute(app, deps)
  adjustCreditsRoute(app, deps)
  setBudgetRoute(app, deps)
  setRecurringRoute(app, deps)
  creditBalanceRoute(app, deps)
  creditHistoryRoute(app, deps)
  verifyLedgerRoute(app, deps)
  showReceiptRoute(app, deps)
}

const grantCreditsRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'POST /credits/grants',
  operationId: 'grantCredits',
  summary: 'Grant credits to an environment',
  role: 'billing',
  body: Change,
  response: Balance,
  project: ({ body }) => body.project,
  handle: ({ admin, body }) => store.grantCredits({ ...body, actor: admin.actor, at: clock.now() }),
}))

const adjustCreditsRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'POST /credits/adjustments',
  operationId: 'adjustCredits',
  summary: 'Correct a balance by a signed amount',
  role: 'billing',
  body: Change,
  response: Balance,
  project: ({ body }) => body.project,
  handle: ({ admin, body }) => store.adjustCredits({ ...body, actor: admin.actor, at: clock.now() }),
}))

const setBudgetRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'POST /credits/budgets',
  operationId: 'setBudget',
  summary: 'Limit what all keys of an environment may spend together in a month',
  role: 'billing',
  body: Budget,
  response: Balance,
  project: ({ body }) => body.project,
  handle: ({ admin, body }) => store.setBudget({ ...body, actor: admin.actor, at: clock.now() }),
}))

const setRecurringRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'POST /credits/recurring',
  operationId: 'setRecurring',
  summary: 'Grant an environment credits on the 1st of each month',
  description:
    'The first time on the next 1st, at 00:00 UTC. Months in which the service did not run are granted when it runs again, each once.',
  role: 'billing',
  body: Recurring,
  response: Balance,
  project: ({ body }) => body.project,
  handle: ({ admin, body: { carry_over: carryOver = false, ...body } }) =>
    store.setRecurring({ ...body, carryOver, actor: admin.actor, at: clock.now() }),
}))

const creditBalanceRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'GET /credits/balance',
  operationId: 'creditBalance',
  summary: 'What an environment has, holds and can spend',
  role: 'viewer',
  query: Type.Object(EnvironmentName),
  response: Balance,
  project: ({ query }) => query.project,
  handle: ({ query }) => store.creditBalance({ ...query, at: clock.now() }),
}))

const creditHistoryRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'GET /credits/history',
  operationId: 'creditHistory',
  summary: 'The ledger entries of an environment, newest first',
  role: 'viewer',
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
  project: ({ query }) => query.project,
  async handle({ query }) {
    const { project, environment, cursor, limit = 100, only, kind, since, until } = query
    const now = clock.now()
    const entries = await store.creditHistory({
      project,
      environment,
      limit,
      before: numberCursor(cursor),
      kinds: kind ? [kind] : only === undefined ? null : kindsOf[only],
      since: readTimeIfGiven('since', since, now) ?? null,
      until: readTimeIfGiven('until', until, now) ?? null,
    })
    return { entries: entries.map(entryView), next_cursor: nextCursor(entries, limit, (entry) => String(entry.id)) }
  },
}))

const verifyLedgerRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'GET /ledger/verify',
  operationId: 'verifyLedger',
  summary: 'Recompute every balance from the entries and name every difference',
  role: 'viewer',
  response: LedgerReport,
  async handle() {
    const report = await store.verifyLedger(undefined)
    await noteFullCheck(store, 'ledger', { at: clock.now(), ok: report.ok })
    return report
  },
}))

const showReceiptRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /receipts/:request_id',
  operationId: 'showReceipt',
  summary: 'The receipt of one call',
  role: 'viewer',
  params: Type.Object({ request_id: Type.String() }),
  filtered: true,
  response: Receipt,
  async handle({ admin, params }) {
    await deps.callsWritten()
    const receipt = await deps.store.receipt({ requestId: params.request_id })
    const visible = receipt && (admin.project === null || admin.project === receipt.project)
    if (!visible) throw new Failure('not_found', { detail: `There is no receipt for ${params.request_id}.` })
    return receiptView(receipt, await listsOf(deps, readNote(receipt.call?.price ?? null)?.book ?? 0))
  },
}))

const Alerts = Type.Object({
  credits_below: Type.Integer({ description: '`credits.low` is sent when the balance falls below it.' }),
  ceiling_percent: Type.Integer({ description: '`ceiling.near` is sent when so much of a ceiling is spent.' }),
})
const AlertChange = Type.Object({
  ...EnvironmentName,
  credits_below: Type.Optional(
    orNull(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'null = 1, when nothing is left.' }),
    ),
  ),
  ceiling_percent: Type.Optional(orNull(Type.Integer({ minimum: 1, maximum: 100, description: 'null = 80.' }))),
})

/** When an environment is notified of its spending. */
export function alertRoutes(app: FastifyInstance, deps: AppDeps): void {
  showAlertsRoute(app, deps)
  setAlertsRoute(app, deps)
}

const showAlertsRoute = adminRoute(tag, ({ store }: AppDeps) => ({
  route: 'GET /alerts',
  operationId: 'showAlerts',
  summary: 'When an environment is notified of its spending',
  role: 'viewer',
  query: Type.Object(EnvironmentName),
  response: Alerts,
  project: ({ query }) => query.project,
  handle: ({ query }) => store.readAlerts(query),
}))

const setAlertsRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'POST /alerts',
  operationId: 'setAlerts',
  summary: 'Set when an environment is notified of its spending',
  description:
    'What is left out stays as it is. What is set is notified again from then on, also where it was notified before.',
  role: 'operator',
  body: AlertChange,
  response: Alerts,
  project: ({ body }) => body.project,
  handle: ({ admin, body }) => {
    const { project, environment, credits_below: below, ceiling_percent: percent } = body
    const creditsBelow = below === undefined ? {} : { creditsBelow: below }
    const ceilingPercent = percent === undefined ? {} : { ceilingPercent: percent }
    const by = { actor: admin.actor, at: clock.now() }
    return store.setAlerts({ project, environment, ...creditsBelow, ...ceilingPercent, ...by })
  },
}))
