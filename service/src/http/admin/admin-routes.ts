import { adminSubjects, documentOf, type Subjects } from '@vitae/contract/admin'
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../deps.ts'
import { authenticateAdmin } from './access.ts'
import { type AdminHandlers, registerAdminOperations } from './admin-route.ts'
import { auditRoutes } from './operations/audit-routes.ts'
import { backupRoutes } from './operations/backup-routes.ts'
import { callRoutes } from './credits/call-routes.ts'
import { batchRoutes } from './batches/batch-routes.ts'
import { batchRowRoutes } from './batches/row-routes.ts'
import { creditRoutes, alertRoutes } from './credits/credit-routes.ts'
import { priceRoutes } from './credits/price-routes.ts'
import { eraseManyRoute } from './privacy/erase-many-route.ts'
import { erasureRoutes } from './privacy/erasure-routes.ts'
import { exportRoutes } from './privacy/export-routes.ts'
import { keyHandlers } from './accounts/key-routes.ts'
import { operatorLookupRoutes } from './records/operator-lookup-routes.ts'
import { overviewRoutes } from './operations/overview-routes.ts'
import { projectRoutes } from './accounts/project-routes.ts'
import { providerRoutes } from './operations/provider-routes.ts'
import { recordChangeRoutes } from './records/record-change-routes.ts'
import { recordRoutes } from './records/record-routes.ts'
import { splitRoutes } from './records/split-routes.ts'
import { retentionRoutes, purgeRoutes } from './privacy/retention-routes.ts'
import { sessionHandlers, sessionPath } from './session-routes.ts'
import { refuseToken } from './sign-in/refused-token.ts'
import { statementRoutes } from './credits/statement-routes.ts'
import { savingsRoutes, usageRoutes } from './credits/usage-routes.ts'
import { scorecardRoutes } from './operations/scorecard-routes.ts'
import { searchRoutes } from './operations/search-routes.ts'
import { settingRoutes, workRoutes } from './operations/setting-routes.ts'
import { suppressionRoutes } from './privacy/suppression-routes.ts'
import { tokenRoutes, sessionListRoutes } from './accounts/token-routes.ts'
import { watchRoutes } from './records/watch-routes.ts'
import { webhookRoutes } from './webhooks/webhook-routes.ts'
import { webhookDeliveryRoutes, webhookQueueRoutes } from './webhooks/webhook-delivery-routes.ts'

const handlers: AdminHandlers = { ...sessionHandlers, ...keyHandlers }

/** Everything under `/admin`. Every path there, known or not, answers 401 without a valid token or session. */
export function adminRoutes(app: FastifyInstance, deps: AppDeps): void {
  registerAdminOperations(app, deps, handlers)
  app.get('/admin/openapi.json', async () => document(app, deps))
  projectRoutes(app, deps)
  creditRoutes(app, deps)
  priceRoutes(app, deps)
  alertRoutes(app, deps)
  callRoutes(app, deps)
  usageRoutes(app, deps)
  savingsRoutes(app, deps)
  statementRoutes(app, deps)
  overviewRoutes(app, deps)
  searchRoutes(app, deps)
  recordRoutes(app, deps)
  recordChangeRoutes(app, deps)
  splitRoutes(app, deps)
  erasureRoutes(app, deps)
  eraseManyRoute(app, deps)
  exportRoutes(app, deps)
  operatorLookupRoutes(app, deps)
  watchRoutes(app, deps)
  batchRoutes(app, deps)
  batchRowRoutes(app, deps)
  suppressionRoutes(app, deps)
  purgeRoutes(app, deps)
  retentionRoutes(app, deps)
  providerRoutes(app, deps)
  scorecardRoutes(app, deps)
  tokenRoutes(app, deps)
  sessionListRoutes(app, deps)
  auditRoutes(app, deps)
  backupRoutes(app, deps)
  workRoutes(app, deps)
  settingRoutes(app, deps)
  webhookRoutes(app, deps)
  webhookDeliveryRoutes(app, deps)
  webhookQueueRoutes(app, deps)
}

/** Runs for every request, so that an unknown address under `/admin` is no different from a known one. */
export function guardAdmin(app: FastifyInstance, deps: AppDeps): void {
  app.decorateRequest('admin', null)
  app.decorate('otherOperations', [])
  app.addHook('onRequest', async (request) => {
    // The router also finds routes that are spelled otherwise: percent-encoded, or as a whole URL.
    const routed = request.routeOptions.url?.startsWith('/admin/') ?? false
    if (!routed && !/^\/+admin(?:[/?#]|$)/i.test(request.url)) return
    // Signing in needs no authentication; the route slows down guesses itself.
    if (request.method === 'POST' && request.routeOptions.url === sessionPath) return
    request.admin = await authenticateAdmin(deps.admin, request.raw)
    if (request.admin === null) throw await refuseToken(deps, request, 'bearer')
  })
}

const tags = [
  { name: 'session', description: 'Signing in to the console.' },
  { name: 'projects', description: 'Projects and their environments.' },
  { name: 'keys', description: 'API keys of projects.' },
  { name: 'credits', description: 'Credits, the ledger behind them, and receipts.' },
  { name: 'prices', description: 'The price book that holds now, and those before and after it.' },
  { name: 'calls', description: 'The calls that were answered.' },
  { name: 'usage', description: 'Calls and credits per period.' },
  { name: 'overview', description: 'Everything at a glance.' },
  { name: 'records', description: 'What is stored about people and companies.' },
  { name: 'lookup', description: 'Lookups by operators, which nobody pays for.' },
  { name: 'watches', description: 'Records that are looked at again and again.' },
  { name: 'batches', description: 'Whole files of lookups, paid by the environment of a key.' },
  { name: 'suppressions', description: 'Who is kept out, as keyed hashes.' },
  { name: 'retention', description: 'How long data is kept.' },
  { name: 'backups', description: 'Copies of the embedded store, and what waits in a restored one.' },
  { name: 'providers', description: 'Where records come from.' },
  { name: 'tokens', description: 'Admin tokens.' },
  { name: 'audit', description: 'Who did what.' },
  { name: 'webhooks', description: 'Endpoints that are notified of events, and every delivery to them.' },
  { name: 'settings', description: 'The service as it runs.' },
]

function document(app: FastifyInstance, { version }: AppDeps) {
  const all = tags.map(({ name, description }) => {
    const others = app.otherOperations.filter(({ tag }) => tag === name).map(({ id, row }) => [id, row] as const)
    const known: Subjects = adminSubjects
    return [name, { description, operations: { ...known[name]?.operations, ...Object.fromEntries(others) } }] as const
  })
  return documentOf(Object.fromEntries(all), version)
}
