import { callerOperations } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import type { AppDeps, HttpDeps } from '../exchange/deps.ts'
import { accountHandlers, eventHandlers } from './account-handlers.ts'
import { batchHandlers } from './batch-handlers.ts'
import { callerRoute, type Handlers } from './caller-route.ts'
import { matchHandlers } from './match-handlers.ts'
import { recordHandlers } from './record-handlers.ts'
import { watchHandlers } from './watch-handlers.ts'

/** Registers every operation for holders of an API key, other than the two lookups. */
export function callerRoutes(app: FastifyInstance, deps: AppDeps): void {
  bind(app, deps, callerOperations, {
    ...recordHandlers(deps),
    ...accountHandlers(deps),
    ...matchHandlers(deps),
    ...watchHandlers(deps),
    ...eventHandlers(deps),
    ...batchHandlers(deps),
  })
}

function bind<Rows extends Record<string, Parameters<typeof callerRoute>[2]>>(
  app: FastifyInstance,
  deps: HttpDeps,
  rows: Rows,
  handlers: Handlers<Rows>,
): void {
  for (const id in rows) callerRoute(app, deps, rows[id], handlers[id])
}
