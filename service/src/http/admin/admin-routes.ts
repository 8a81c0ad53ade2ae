import { adminDocument } from '@vitae/contract/admin'
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../exchange/deps.ts'
import { authenticateAdmin } from './route/access.ts'
import { type AdminHandlers, registerAdminOperations } from './route/admin-route.ts'
import { keyHandlers } from './accounts/key-routes.ts'
import { projectHandlers } from './accounts/project-routes.ts'
import { tokenHandlers } from './accounts/token-routes.ts'
import { batchHandlers, rowHandlers } from './batches/batch-routes.ts'
import { submitHandlers } from './batches/submit-routes.ts'
import { callHandlers } from './credits/call-routes.ts'
import { creditHandlers } from './credits/credit-routes.ts'
import { priceHandlers } from './credits/price-routes.ts'
import { statementHandlers } from './credits/statement-routes.ts'
import { usageHandlers } from './credits/usage-routes.ts'
import { settingHandlers, searchHandlers, backupHandlers } from './operations/service-routes.ts'
import { auditHandlers } from './operations/audit-routes.ts'
import { exportListHandlers } from './exports/export-list-routes.ts'
import { overviewHandlers } from './operations/overview-routes.ts'
import { providerHandlers, scorecardHandlers } from './operations/provider-routes.ts'
import { changeSuppressionHandlers } from './privacy/change-suppressions-routes.ts'
import { eraseManyHandlers } from './privacy/erase-many-route.ts'
import { erasureHandlers } from './privacy/erasure-routes.ts'
import { exportHandlers } from './privacy/export-routes.ts'
import { retentionHandlers } from './privacy/retention-routes.ts'
import { suppressionHandlers } from './privacy/suppression-routes.ts'
import { lookupHandlers } from './records/operator-lookup-routes.ts'
import { recordChangeHandlers, splitHandlers } from './records/record-change-routes.ts'
import { recordHandlers } from './records/record-routes.ts'
import { watchHandlers } from './records/watch-routes.ts'
import { webhookDeliveryHandlers } from './webhooks/webhook-delivery-routes.ts'
import { webhookHandlers } from './webhooks/webhook-routes.ts'
import { sessionHandlers, sessionPath } from './session-routes.ts'
import { refuseToken } from './sign-in/refused-token.ts'

const handlers: AdminHandlers = {
  ...sessionHandlers,
  ...projectHandlers,
  ...tokenHandlers,
  ...keyHandlers,
  ...creditHandlers,
  ...priceHandlers,
  ...callHandlers,
  ...statementHandlers,
  ...usageHandlers,
  ...overviewHandlers,
  ...exportListHandlers,
  ...searchHandlers,
  ...providerHandlers,
  ...scorecardHandlers,
  ...auditHandlers,
  ...backupHandlers,
  ...settingHandlers,
  ...recordHandlers,
  ...recordChangeHandlers,
  ...splitHandlers,
  ...lookupHandlers,
  ...watchHandlers,
  ...batchHandlers,
  ...submitHandlers,
  ...rowHandlers,
  ...erasureHandlers,
  ...eraseManyHandlers,
  ...exportHandlers,
  ...suppressionHandlers,
  ...changeSuppressionHandlers,
  ...retentionHandlers,
  ...webhookHandlers,
  ...webhookDeliveryHandlers,
}

/** Registers everything under `/admin`. Without a valid token or session, every path returns 401, even an unknown one. */
export function adminRoutes(app: FastifyInstance, deps: AppDeps): void {
  registerAdminOperations(app, deps, handlers)
  app.get('/admin/openapi.json', async () => adminDocument(deps.version))
}

/** Authenticates every request, so that unknown paths under `/admin` look the same as known ones. */
export function guardAdmin(app: FastifyInstance, deps: AppDeps): void {
  app.decorateRequest('admin', null)
  app.addHook('onRequest', async (request) => {
    // The router also matches other spellings: percent-encoded paths, or whole URLs.
    const routed = request.routeOptions.url?.startsWith('/admin/') ?? false
    if (!routed && !/^\/+admin(?:[/?#]|$)/i.test(request.url)) return
    // Signing in needs no authentication; its route slows down guesses.
    if (request.method === 'POST' && request.routeOptions.url === sessionPath) return
    request.admin = await authenticateAdmin(deps.admin, request.raw)
    if (request.admin === null) throw await refuseToken(deps, request, 'bearer')
  })
}
