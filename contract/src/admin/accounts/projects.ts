import Type, { type Static } from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { Time, Count, Cursor, pageQuery, orNull } from '../schemas.ts'

const Name = Type.Object({ project: Type.String() })
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
      keys: Type.Integer({ description: 'The number of keys that are neither revoked nor expired.' }),
      monthly_budget: Type.Optional(
        Type.Integer({
          description: 'The credits that all keys together may spend in a UTC month; left out without a budget.',
        }),
      ),
      providers: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'The only providers that may answer calls of this environment, in the order in which they are asked. Left out if all providers may.',
        }),
      ),
    }),
  ),
})
export type Project = Static<typeof Project>

/** Projects and their environments. */
export const projectOperations = {
  listProjects: {
    route: 'GET /projects',
    summary: 'List projects with their environments and balances',
    description: 'Returns all projects, or one page if `limit` is sent.',
    role: 'viewer',
    scope: 'own part',
    query: Type.Object({
      text: Type.Optional(Type.String({ maxLength: 200, description: 'Only projects whose name contains this text.' })),
      state: Type.Optional(Type.Enum(['active', 'suspended', 'billing_blocked'])),
      order: Type.Optional(Type.Enum(['name', 'newest', 'oldest'])),
      ...pageQuery,
    }),
    response: Type.Object({ projects: Type.Array(Project), next_cursor: Cursor }),
  },
  createProject: {
    route: 'POST /projects',
    summary: 'Create a project and its environments',
    role: 'operator',
    scope: 'own project',
    status: 201,
    body: Type.Object({
      name: Type.String(),
      environments: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
    }),
    response: Project,
  },
  showProject: {
    route: 'GET /projects/:project',
    summary: 'Show a project',
    role: 'viewer',
    scope: 'own project',
    params: Name,
    response: Project,
  },
  updateProject: {
    route: 'PATCH /projects/:project',
    summary: 'Suspend or resume a project, or block or unblock its billing',
    role: 'billing',
    scope: 'own project',
    params: Name,
    body: Type.Object({
      suspended: Type.Optional(Type.Boolean()),
      billing_blocked: Type.Optional(Type.Boolean()),
      reason: Type.Optional(Type.String()),
    }),
    response: Project,
  },
  /** Not for tokens of one project: a team must not choose among the operator's provider contracts. */
  setRoute: {
    route: 'POST /projects/:project/route',
    summary: 'Limit an environment to some providers, or change their order',
    description: 'Data of other providers is neither fetched nor served from the store.',
    role: 'operator',
    scope: 'whole service',
    params: Name,
    body: Type.Object({
      environment: Type.String(),
      providers: orNull(
        Type.Array(Type.String(), {
          minItems: 1,
          maxItems: 100,
          uniqueItems: true,
          description:
            'Names of providers from VITAE_UPSTREAM, in the order in which they are asked. Null = all of them, in the order of VITAE_UPSTREAM.',
        }),
      ),
      reason: Type.Optional(Type.String({ maxLength: 500 })),
    }),
    response: Project,
  },
  deleteProject: {
    route: 'DELETE /projects/:project',
    summary: 'Delete a project that has no working key, no call and no ledger entry',
    role: 'operator',
    scope: 'own project',
    params: Name,
    query: Type.Object({ reason: Type.Optional(Type.String({ maxLength: 500 })) }),
    response: Type.Object({ deleted: Type.String() }),
  },
} satisfies AdminOperationRows
