import { Problem } from '@vitae/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import type { Role } from '../../accounts/token-operations.ts'
import { type Admin, type AccessRule, rolesThatMay, checkAccess, checkProject } from './access.ts'
import type { AppDeps } from '../deps.ts'
import { validate } from '../validate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    admin: Admin | null
  }
  interface FastifyInstance {
    /** The rule of every admin route that is registered. */
    accessRules: AccessRule[]
  }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Schema = TSchema | undefined
type Of<S extends Schema> = S extends TSchema ? Static<S> : undefined
type Answer<S extends Schema> = S extends TSchema ? Static<S> : unknown

export interface AdminCall<Params extends Schema, Query extends Schema, Body extends Schema> {
  admin: Admin
  params: Of<Params>
  query: Of<Query>
  body: Of<Body>
  request: FastifyRequest
  reply: FastifyReply
}

/**
 * One admin route. `role` says who may use it, see `rolesThatMay`. A token of one project may use it only where `project`
 * says which project a call is about, or where `filtered` promises that the handler looks at `admin.project` itself.
 */
export interface AdminRoute<Params extends Schema, Query extends Schema, Body extends Schema, Response extends Schema> {
  /** Below `/admin/v1`. */
  route: `${Method} /${string}`
  operationId: string
  summary: string
  /** What the summary leaves open. */
  description?: string
  role: Role
  params?: Params
  query?: Query
  body?: Body
  /** The JSON of the answer. */
  response?: Response
  /** Other forms of the answer, by media type. A handler that gives one of them sends it itself. */
  produces?: Record<string, TSchema>
  status?: 200 | 201 | 202
  project?: (call: AdminCall<Params, Query, Body>) => string | null | Promise<string | null>
  filtered?: true
  /** For imports and lists. */
  bodyLimit?: number
  /** The media types of a body that the handler reads itself, as a stream of any length. */
  uploads?: readonly string[]
  handle(call: AdminCall<Params, Query, Body>): Promise<Answer<Response> | FastifyReply>
}

/**
 * One route with its rule, of one part of the reference (`tag`); what is returned registers it. There is no other way onto the admin API, so no
 * route is without a rule.
 */
export function adminRoute<
  const Params extends Schema = undefined,
  const Query extends Schema = undefined,
  const Body extends Schema = undefined,
  const Response extends Schema = undefined,
>(
  tag: string,
  define: (deps: AppDeps, app: FastifyInstance) => AdminRoute<Params, Query, Body, Response>,
): (app: FastifyInstance, deps: AppDeps) => void {
  return (app, deps) => register(app, tag, define(deps, app))
}

function register<Params extends Schema, Query extends Schema, Body extends Schema, Response extends Schema>(
  app: FastifyInstance,
  tag: string,
  definition: AdminRoute<Params, Query, Body, Response>,
): void {
  const { status = 200, uploads, bodyLimit } = definition
  const [method, path] = definition.route.split(' ', 2) as [Method, string]
  const rule = ruleOf(definition)
  app.accessRules.push(rule)
  app.route({
    method,
    url: `/admin/v1${path}`,
    ...(uploads ? { bodyLimit: Number.MAX_SAFE_INTEGER } : {}),
    ...(bodyLimit ? { bodyLimit } : {}),
    schema: routeSchema(definition, tag, rule, status),
    validatorCompiler: validate,
    // Answers are serialised as they are: the schema describes them, it does not cut them.
    serializerCompiler: () => (data) => JSON.stringify(data),
    async handler(request, reply) {
      const { admin, params, query, body } = request
      if (!admin) throw new Error('an admin route was reached without authentication')
      checkAccess(rule, admin)
      // Fastify has validated them against these schemas.
      const call = { admin, params, query, body, request, reply } as AdminCall<Params, Query, Body>
      if (definition.project) checkProject(admin, await definition.project(call))
      reply.code(status)
      return definition.handle(call)
    },
  })
}

type Described = Pick<
  AdminRoute<Schema, Schema, Schema, Schema>,
  'operationId' | 'summary' | 'description' | 'params' | 'query' | 'body' | 'uploads' | 'response' | 'produces'
>

function ruleOf(route: { operationId: string; role: Role; project?: unknown; filtered?: true }): AccessRule {
  const scope = route.filtered ? 'own part' : route.project ? 'own project' : 'whole service'
  return { operationId: route.operationId, needed: route.role, scope }
}

function ruleText({ needed, scope }: AccessRule): string {
  const roles = rolesThatMay[needed].map((role) => `\`${role}\``).join(' or ')
  const who = needed === 'viewer' ? 'Open to every role.' : `Needs the role ${roles}.`
  const limited = {
    'own project': needed === 'billing' ? ' Limited to one project only `billing` may, and for that project.' : '',
    'own part': ' A token of one project gets the part of that project.',
    'whole service': ' Not for tokens of one project.',
  }
  return who + limited[scope]
}

function routeSchema(route: Described, tag: string, rule: AccessRule, status: number): FastifySchema {
  return {
    operationId: route.operationId,
    tags: [tag],
    summary: route.summary,
    description: [route.description, ruleText(rule)].filter(Boolean).join(' '),
    ...(route.params ? { params: route.params } : {}),
    ...(route.query ? { querystring: route.query } : {}),
    ...(route.body ? { body: route.body } : {}),
    ...(route.uploads ? { body: Type.Unknown(), consumes: [...route.uploads] } : {}),
    response: { [status]: answerSchema(route), ...failureSchemas },
  }
}

function answerSchema({ response, produces }: Described) {
  if (!produces) return response ?? Type.Unknown({ description: 'Done.' })
  const json = response ? { 'application/json': { schema: response } } : {}
  const others = Object.entries(produces).map(([type, schema]) => [type, { schema }])
  return { description: 'The answer.', content: { ...json, ...Object.fromEntries(others) } }
}

const problem = (description: string) => ({ description, content: { 'application/problem+json': { schema: Problem } } })

/** How every admin call may fail. */
export const failureSchemas = {
  400: problem('A parameter is missing or not valid.'),
  401: problem('The admin token is missing or opens nothing.'),
  403: problem('The admin token may not do this.'),
  404: problem('There is no such thing.'),
}
