import { Failure, invalidParameter } from '../../../foundation/failure.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { nextCursor, placeCursor, placeText } from '../route/pagination.ts'
import { given } from '../../../foundation/schema/given.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

/** Projects and their environments. */
export const projectHandlers = {
  async listProjects({ admin, query: { text, state, order, limit, cursor } }, { store, clock }) {
    const after = placeCursor(cursor)
    const wanted = { project: admin.project, at: clock.now(), after }
    const projects = await store.projects.listProjects({ ...wanted, ...given({ text, state, order, limit }) })
    const next = limit === undefined ? null : nextCursor(projects, limit, (row) => placeText(row.created_at, row.name))
    return { projects, next_cursor: next }
  },

  createProject: {
    find: async ({ body }) => ({ project: body.name }),
    async handle({ admin, body }, deps) {
      const { made } = await deps.store.projects.createProject({
        name: body.name,
        environments: body.environments ?? [],
        actor: admin.actor,
        at: deps.clock.now(),
      })
      if (!made && !body.environments?.length)
        throw new Failure('conflict', { detail: `The project ${body.name} already exists.` })
      return showProject(deps, body.name)
    },
  },

  showProject: ({ params }, deps) => showProject(deps, params.project),

  async updateProject({ admin, params, body }, deps) {
    await deps.store.projects.setProjectState({
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

  async setRoute({ admin, params: { project }, body: { environment, providers: route, reason = null } }, deps) {
    checkProviders(deps, route ?? [])
    await deps.store.projects.setRoute({
      project,
      environment,
      route,
      reason,
      actor: admin.actor,
      at: deps.clock.now(),
    })
    await deps.keysChanged()
    return showProject(deps, project)
  },

  async deleteProject({ admin, params: { project }, query }, deps) {
    const by = { actor: admin.actor, reason: query.reason ?? null, at: deps.clock.now() }
    // Recent calls are written in the background; wait for them.
    await deps.callsWritten()
    await deps.store.projects.deleteProject({ name: project, ...by })
    await deps.keysChanged()
    return { deleted: project }
  },
} satisfies Partial<AdminHandlers>

function checkProviders({ providers: { facts } }: AppDeps, named: readonly string[]): void {
  const known = facts.filter(({ inChain }) => inChain).map(({ name }) => name)
  const unknown = named.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const those =
    known.length > 0 ? `those of VITAE_UPSTREAM are ${known.join(', ')}` : 'VITAE_UPSTREAM names no provider'
  throw invalidParameter('providers', `has ${JSON.stringify(unknown)}, but ${those}`)
}

async function showProject({ store, clock }: AppDeps, project: string) {
  const [found] = await store.projects.listProjects({ project, at: clock.now() })
  if (found) return found
  throw new Failure('not_found', {
    detail: `There is no project ${project}.`,
    hint: '"vitae projects list" shows all projects.',
  })
}
