import {
  type AdminAnswer,
  type AdminBody,
  type AdminOperation,
  type AdminOperationId,
  type AdminOperations,
  type AdminParams,
  type AdminQuery,
  adminOperations,
  type Role,
} from '@vitae/contract/admin'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { uploadRoutes } from '../callers/batch-request.ts'
import type { AppDeps } from '../deps.ts'
import { validate } from '../validate.ts'
import { type Admin, checkAccess, checkProject } from './access.ts'
import { given } from './schemas.ts'

declare module 'fastify' {
  interface FastifyRequest {
    admin: Admin | null
  }
  interface FastifyInstance {
    /** The operations that are not in the contract's table yet. */
    otherOperations: { tag: string; id: string; row: AdminOperation }[]
  }
}

/** A request of one operation, in the shapes of its row. */
export interface AdminCall<Id extends AdminOperationId> {
  admin: AdminOperations[Id]['role'] extends null ? null : Admin
  params: AdminParams<Id>
  query: AdminQuery<Id>
  body: AdminBody<Id>
  request: FastifyRequest
  reply: FastifyReply
}

type Handle<Id extends AdminOperationId> = (
  call: AdminCall<Id>,
  deps: AppDeps,
) => Promise<AdminAnswer<Id> | FastifyReply>

type NamesProject<Id extends AdminOperationId> = [
  Extract<AdminParams<Id> | AdminQuery<Id> | AdminBody<Id>, { project: string }>,
] extends [never]
  ? false
  : true

/** The answer to an operation. Where a call is about one project but does not name it, `project` finds that out. */
export type AdminHandler<Id extends AdminOperationId> = AdminOperations[Id]['scope'] extends 'own project'
  ? NamesProject<Id> extends true
    ? Handle<Id>
    : { project(call: AdminCall<Id>, deps: AppDeps): Promise<string | null>; handle: Handle<Id> }
  : Handle<Id>

/** One handler for each operation of the table. */
export type AdminHandlers = { [Id in AdminOperationId]: AdminHandler<Id> }

/** Registers every operation of the table with its handler. No other way onto the admin API exists, so each has its access rule. */
export function registerAdminOperations(app: FastifyInstance, deps: AppDeps, handlers: AdminHandlers): void {
  const rows = Object.entries(adminOperations as Record<string, AdminOperation>)
  const handlerOf = (id: string) => readHandler(handlers[id as AdminOperationId] as AnyHandler)
  const [uploads, others] = [rows.filter(([, row]) => row.uploads), rows.filter(([, row]) => !row.uploads)]
  for (const [id, row] of others) register(app, deps, row, handlerOf(id))
  uploadRoutes(app, (scope) => uploads.forEach(([id, row]) => register(scope, deps, row, handlerOf(id))))
}

interface AnyCall extends Record<'params' | 'query' | 'body', unknown> {
  admin: Admin | null
  request: FastifyRequest
  reply: FastifyReply
}
type AnyHandle = (call: AnyCall, deps: AppDeps) => Promise<unknown>
interface FullHandler {
  project(call: AnyCall, deps: AppDeps): string | null | undefined | Promise<string | null>
  handle: AnyHandle
}
type AnyHandler = AnyHandle | FullHandler

function readHandler(handler: AnyHandler): FullHandler {
  return typeof handler === 'function' ? { project: namedProject, handle: handler } : handler
}

function namedProject({ params, query, body }: AnyCall): string | undefined {
  const named = { ...(body as object), ...(query as object), ...(params as object) } as { project?: string }
  return named.project
}

function register(app: FastifyInstance, deps: AppDeps, row: AdminOperation, { project, handle }: FullHandler): void {
  const { status = 200, scope, uploads, bodyLimit = uploads && Number.MAX_SAFE_INTEGER } = row
  const [method = '', path = ''] = row.route.split(' ', 2)
  app.route({
    method,
    url: `/admin/v1${path}`,
    ...(bodyLimit ? { bodyLimit } : {}),
    schema: given({ params: row.params, querystring: row.query, body: row.body }),
    validatorCompiler: validate,
    async handler(request, reply) {
      const { admin, params, query, body } = request
      const call = { admin, params, query, body, request, reply }
      if (row.role !== null) {
        if (!admin) throw new Error('an admin route was reached without authentication')
        checkAccess(row, admin)
        if (scope === 'own project') checkProject(admin, (await project(call, deps)) ?? null)
      }
      reply.code(status)
      return handle(call, deps)
    },
  })
}

type Schema = TSchema | undefined
type Of<S extends Schema> = S extends TSchema ? Static<S> : undefined

interface OldCall<Params extends Schema, Query extends Schema, Body extends Schema> {
  admin: Admin
  params: Of<Params>
  query: Of<Query>
  body: Of<Body>
  request: FastifyRequest
  reply: FastifyReply
}

/** A route that is not in the contract's table yet. */
interface OldRoute<Params extends Schema, Query extends Schema, Body extends Schema, Response extends Schema> {
  route: AdminOperation['route']
  operationId: string
  summary: string
  description?: string
  role: Role
  params?: Params
  query?: Query
  body?: Body
  response?: Response
  produces?: Record<string, TSchema>
  status?: 200 | 201 | 202
  project?: (call: OldCall<Params, Query, Body>) => string | null | Promise<string | null>
  filtered?: true
  bodyLimit?: number
  uploads?: readonly string[]
  handle(
    call: OldCall<Params, Query, Body>,
  ): Promise<(Response extends TSchema ? Static<Response> : unknown) | FastifyReply>
}

/** Registers a route that is not in the contract's table yet. */
export function adminRoute<
  const Params extends Schema = undefined,
  const Query extends Schema = undefined,
  const Body extends Schema = undefined,
  const Response extends Schema = undefined,
>(
  tag: string,
  define: (deps: AppDeps, app: FastifyInstance) => OldRoute<Params, Query, Body, Response>,
): (app: FastifyInstance, deps: AppDeps) => void {
  return (app, deps) => {
    const { operationId: id, project, filtered, handle, ...rest } = define(deps, app)
    const scope = filtered ? 'own part' : project ? 'own project' : 'whole service'
    const row = { ...rest, scope } as AdminOperation
    app.otherOperations.push({ tag, id, row })
    register(app, deps, row, {
      project: (call) => project?.(call as OldCall<Params, Query, Body>),
      handle: (call) => handle(call as OldCall<Params, Query, Body>),
    })
  }
}
