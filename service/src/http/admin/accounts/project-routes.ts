import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { Failure } from '../../../foundation/failure.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { nextCursor, pageQuery, placeCursor, placeText } from '../pagination.ts'
import { invalidParameter } from '../../validate.ts'
import { Count, Cursor, given, orNull, Time } from '../schemas.ts'

const Name = Type.Object({ project: Type.String() })
const tag = 'projects'
const Project = Type.Object({
  name: Type.String(),
  suspended: Type.Boolean(),
  billing_blocked: Type.Boolean(),
  created_at: Time,
  environments: Type.Array(
    Type.Object({
      name: Type.String(),
      balance: Type.Integer(),
      held: Count,
      available: Type.Integer(),
      keys: Type.Integer({ description: 'Keys that work: neither revoked nor expired.' }),
      monthly_budget: Type.Optional(Type.Integer({ description: 'Where there is one.' })),
      providers: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'The only providers that may answer it, in the order in which they are asked; absent where all may.',
        }),
      ),
    }),
  ),
})

/** Projects and their environments. */
export function projectRoutes(app: FastifyInstance, deps: AppDeps): void {
  listProjectsRoute(app, deps)
  createProjectRoute(app, deps)
  showProjectRoute(app, deps)
  updateProjectRoute(app, deps)
  setRouteRoute(app, deps)
  deleteProjectRoute(app, deps)
}

const listProjectsRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'GET /projects',
  operationId: 'listProjects',
  summary: 'List projects with their environments and balances',
  description: 'All of them, or a page where limit is given.',
  role: 'viewer',
  filtered: true,
  query: Type.Object({
    text: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name.' })),
    state: Type.Optional(Type.Enum(['active', 'suspended', 'billing_blocked'])),
    order: Type.Optional(Type.Enum(['name', 'newest', 'oldest'])),
    ...pageQuery,
  }),
  response: Type.Object({ projects: Type.Array(Project), next_cursor: Cursor }),
  async handle({ admin, query: { text, state, order, limit, cursor } }) {
    const after = placeCursor(cursor)
    const wanted = { project: admin.project, at: clock.now(), after }
    const projects = await store.listProjects({ ...wanted, ...given({ text, state, order, limit }) })
    const next = limit === undefined ? null : nextCursor(projects, limit, (row) => placeText(row.created_at, row.name))
    return { projects, next_cursor: next }
  },
}))

const createProjectRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /projects',
  operationId: 'createProject',
  summary: 'Make a project and its environments',
  role: 'operator',
  status: 201,
  body: Type.Object({
    name: Type.String(),
    environments: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
  }),
  response: Project,
  project: ({ body }) => body.name,
  async handle({ admin, body }) {
    const { made } = await deps.store.createProject({
      name: body.name,
      environments: body.environments ?? [],
      actor: admin.actor,
      at: deps.clock.now(),
    })
    if (!made && !body.environments?.length)
      throw new Failure('conflict', { detail: `There is a project ${body.name} already.` })
    return showProject(deps, body.name)
  },
}))

const showProjectRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /projects/:project',
  operationId: 'showProject',
  summary: 'Show a project',
  role: 'viewer',
  params: Name,
  response: Project,
  project: ({ params }) => params.project,
  handle: ({ params }) => showProject(deps, params.project),
}))

const updateProjectRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'PATCH /projects/:project',
  operationId: 'updateProject',
  summary: 'Suspend or resume a project, block or unblock its billing',
  role: 'billing',
  params: Name,
  body: Type.Object({
    suspended: Type.Optional(Type.Boolean()),
    billing_blocked: Type.Optional(Type.Boolean()),
    reason: Type.Optional(Type.String()),
  }),
  response: Project,
  project: ({ params }) => params.project,
  async handle({ admin, params, body }) {
    await deps.store.setProjectState({
      name: params.project,
      ...(body.suspended === undefined ? {} : { suspended: body.suspended }),
      ...(body.billing_blocked === undefined ? {} : { billingBlocked: body.billing_blocked }),
      reason: body.reason ?? null,
      actor: admin.actor,
      at: deps.clock.now(),
    })
    await deps.keysChanged()
    return showProject(deps, params.project)
  },
}))

/** Not for tokens of one project: a team does not decide on the contracts of the operator. */
const setRouteRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /projects/:project/route',
  operationId: 'setRoute',
  summary: 'Limit an environment to some providers, or put them in another order',
  description: 'It is neither fetched for nor served from the store what other providers gave.',
  role: 'operator',
  params: Name,
  body: Type.Object({
    environment: Type.String(),
    providers: orNull(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'Names from VITAE_UPSTREAM; null = all of them, in its order.',
      }),
    ),
    reason: Type.Optional(Type.String({ maxLength: 500 })),
  }),
  response: Project,
  async handle({ admin, params: { project }, body: { environment, providers: route, reason = null } }) {
    checkProviders(deps, route ?? [])
    await deps.store.setRoute({ project, environment, route, reason, actor: admin.actor, at: deps.clock.now() })
    await deps.keysChanged()
    return showProject(deps, project)
  },
}))

function checkProviders({ providers: { facts } }: AppDeps, named: readonly string[]): void {
  const known = facts.filter(({ inChain }) => inChain).map(({ name }) => name)
  const unknown = named.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const those = known.length > 0 ? `those of VITAE_UPSTREAM are ${known.join(', ')}` : 'VITAE_UPSTREAM names none'
  throw invalidParameter('providers', `has ${JSON.stringify(unknown)}, but ${those}`)
}

const deleteProjectRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'DELETE /projects/:project',
  operationId: 'deleteProject',
  summary: 'Delete an empty project: no working key, no call, no ledger entry',
  role: 'operator',
  params: Name,
  project: ({ params }) => params.project,
  query: Type.Object({ reason: Type.Optional(Type.String({ maxLength: 500 })) }),
  response: Type.Object({ deleted: Type.String() }),
  async handle({ admin, params: { project }, query }) {
    const by = { actor: admin.actor, reason: query.reason ?? null, at: deps.clock.now() }
    // What was called a moment ago is written in the background.
    await deps.callsWritten()
    await deps.store.deleteProject({ name: project, ...by })
    await deps.keysChanged()
    return { deleted: project }
  },
}))

async function showProject({ store, clock }: AppDeps, project: string) {
  const [found] = await store.listProjects({ project, at: clock.now() })
  if (found) return found
  throw new Failure('not_found', {
    detail: `There is no project ${project}. "vitae projects list" shows those there are.`,
  })
}
