import type { Kind } from '@vitae/contract'
import {
  type AdminAnswer,
  type AdminBody,
  type AdminOperation,
  type AdminOperationId,
  type AdminOperations,
  type AdminParams,
  type AdminQuery,
  adminOperations,
} from '@vitae/contract/admin'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { uploadRoutes } from '../../callers/batch-request.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { validate } from '../../exchange/validate.ts'
import { checkAccess, checkCsrf, checkProject } from './access.ts'
import type { Admin } from '../../../operators/deps.ts'
import { encode, type Facts } from '../../../foundation/schema/encode.ts'
import { given } from '../../../foundation/schema/given.ts'

declare module 'fastify' {
  interface FastifyRequest {
    admin: Admin | null
  }
}

/** A request to an operation. */
export interface AdminCall<Params = undefined, Query = undefined, Body = undefined, Who = Admin> {
  admin: Who
  params: Params
  query: Query
  body: Body
  request: FastifyRequest
  reply: FastifyReply
}

/** A request to one operation, typed by its row. */
type CallOf<Id extends AdminOperationId> = AdminCall<
  AdminParams<Id>,
  AdminQuery<Id>,
  AdminBody<Id>,
  AdminOperations[Id]['role'] extends null ? null : Admin
>

type Handle<Id extends AdminOperationId> = (
  call: CallOf<Id>,
  deps: AppDeps,
) => Promise<Facts<AdminAnswer<Id>> | FastifyReply>

type NamesProject<Id extends AdminOperationId> = [
  Extract<AdminParams<Id> | AdminQuery<Id> | AdminBody<Id>, { project: string }>,
] extends [never]
  ? false
  : true

/** The project that an operation belongs to; null = the whole service. */
interface Owned {
  project: string | null
}

/** Answers an operation. If the request does not name its project, `find` reads what it is about, once for both. */
type AdminHandler<Id extends AdminOperationId> = AdminOperations[Id]['scope'] extends 'own project'
  ? NamesProject<Id> extends true
    ? Handle<Id>
    : {
        find(call: CallOf<Id>, deps: AppDeps): Promise<Owned>
        handle(call: CallOf<Id>, deps: AppDeps, found: Owned): ReturnType<Handle<Id>>
      }
  : Handle<Id>

/** The handlers of an operation that exists for people and for companies. */
export function ofKinds<Id extends AdminOperationId>(
  handle: (kind: Kind, ...call: Parameters<Handle<Id>>) => ReturnType<Handle<Id>>,
): Record<Kind, (...call: Parameters<Handle<Id>>) => ReturnType<Handle<Id>>> {
  return { people: (...call) => handle('people', ...call), companies: (...call) => handle('companies', ...call) }
}

/** One handler for each operation of the table. */
export type AdminHandlers = { [Id in AdminOperationId]: AdminHandler<Id> }

/** Registers every operation of the table with its handler. The admin API has no other routes, so each has an access rule. */
export function registerAdminOperations(app: FastifyInstance, deps: AppDeps, handlers: AdminHandlers): void {
  const rows = Object.entries(adminOperations as Record<string, AdminOperation>)
  const handlerOf = (id: string) => readHandler(handlers[id as AdminOperationId] as AnyHandler)
  const [uploads, others] = [rows.filter(([, row]) => row.uploads), rows.filter(([, row]) => !row.uploads)]
  for (const [id, row] of others) register(app, deps, row, handlerOf(id))
  uploadRoutes(app, (scope) => uploads.forEach(([id, row]) => register(scope, deps, row, handlerOf(id))))
}

type AnyCall = AdminCall<unknown, unknown, unknown, Admin | null>
type AnyHandle = (call: AnyCall, deps: AppDeps) => Promise<unknown>
interface FullHandler {
  find(call: AnyCall, deps: AppDeps): Owned | Promise<Owned>
  handle(call: AnyCall, deps: AppDeps, found: Owned): Promise<unknown>
}
type AnyHandler = AnyHandle | FullHandler

function readHandler(handler: AnyHandler): FullHandler {
  return typeof handler === 'function' ? { find: namedProject, handle: handler } : handler
}

function namedProject({ params, query, body }: AnyCall): Owned {
  return { project: null, ...(body as object), ...(query as object), ...(params as object) }
}

function register(app: FastifyInstance, deps: AppDeps, row: AdminOperation, { find, handle }: FullHandler): void {
  const { status = 200, scope, uploads, bodyLimit = uploads && Number.MAX_SAFE_INTEGER } = row
  const [method = '', path = ''] = row.route.split(' ', 2)
  app.route({
    method,
    url: `/admin/v1${path}`,
    ...(bodyLimit ? { bodyLimit } : {}),
    schema: given({ params: row.params, querystring: row.query, body: row.body }),
    validatorCompiler: validate,
    // Before the body is read: a role that may not use the route learns nothing from errors in its request.
    async onRequest(request) {
      if (row.role !== null && request.admin) checkAccess(row, request.admin)
      if (row.costs) checkCsrf(request)
    },
    async handler(request, reply) {
      const { admin, params, query, body } = request
      const call = { admin, params, query, body, request, reply }
      if (row.role !== null) {
        if (!admin) throw new Error('an admin route was reached without authentication')
      }
      const found = scope === 'own project' ? await find(call, deps) : namedProject(call)
      if (admin && scope === 'own project') checkProject(admin, found.project)
      reply.code(status)
      const answer = await handle(call, deps, found)
      return answer === reply || !row.response ? answer : encode(row.response, answer)
    },
  })
}
