import { read, report, write, type Subject } from '../database/engine/operation.ts'
import { appendAudit } from '../audit/audit.ts'
import type { Connection, Tx } from '../database/engine/dialect.ts'
import { isWorkingKey } from '../database/sql/prepared.ts'
import { Failure } from '../foundation/failure.ts'
import { readRoute, type Route } from '../foundation/environments/route.ts'
import { listProjects } from './list-projects.ts'

const nameForm = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,62}$/u

/** Creates a project and an environment if they do not exist. Returns the environment's id. */
export async function ensureEnvironment(tx: Tx, project: string, environment: string, at: number): Promise<number> {
  await ensureProject(tx, project, at)
  checkName('environment', environment)
  await tx
    .insertInto('environments')
    .values({ project, name: environment, balance: 0, held: 0, created_at: at })
    .onConflict((conflict) => conflict.columns(['project', 'name']).doNothing())
    .execute()
  const row = await tx
    .selectFrom('environments')
    .select('id')
    .where('project', '=', project)
    .where('name', '=', environment)
    .executeTakeFirstOrThrow()
  return row.id
}

async function ensureProject(tx: Tx, name: string, at: number): Promise<boolean> {
  checkName('project', name)
  const made = await tx
    .insertInto('projects')
    .values({ name, suspended: 0, billing_blocked: 0, created_at: at })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return Number(made.numInsertedOrUpdatedRows ?? 0) > 0
}

function checkName(parameter: string, name: string): void {
  if (nameForm.test(name)) return
  const detail = 'use 1 to 63 letters, digits, spaces, dots, hyphens or underscores, beginning with a letter or digit'
  throw new Failure('invalid_request', {
    detail: `The ${parameter} name is not valid: ${detail}.`,
    errors: [{ parameter, detail }],
  })
}

async function createProject(
  { db: tx, dialect }: Connection,
  args: { name: string; environments: string[]; actor: string; at: number },
) {
  const made = await ensureProject(tx, args.name, args.at)
  for (const environment of args.environments) await ensureEnvironment(tx, args.name, environment, args.at)
  if (made)
    await appendAudit(tx, dialect, { at: args.at, actor: args.actor, action: 'project.create', subject: args.name })
  return { made }
}

async function setProjectState(
  { db: tx, dialect }: Connection,
  args: {
    name: string
    suspended?: boolean
    billingBlocked?: boolean
    reason: string | null
    actor: string
    at: number
  },
) {
  const before = await tx.selectFrom('projects').selectAll().where('name', '=', args.name).executeTakeFirst()
  if (!before)
    throw new Failure('not_found', {
      detail: `There is no project ${args.name}.`,
      hint: '"vitae projects list" shows all projects.',
    })
  const after = {
    suspended: Number(args.suspended ?? before.suspended),
    billing_blocked: Number(args.billingBlocked ?? before.billing_blocked),
  }
  await tx.updateTable('projects').set(after).where('name', '=', args.name).execute()
  await appendAudit(tx, dialect, {
    at: args.at,
    actor: args.actor,
    action: 'project.update',
    subject: args.name,
    reason: args.reason,
    before: { suspended: before.suspended, billing_blocked: before.billing_blocked },
    after,
  })
}

/** Sets the providers that may answer an environment, and their order; null allows all. */
async function setRoute(
  { db: tx, dialect }: Connection,
  args: { project: string; environment: string; route: Route; reason: string | null; actor: string; at: number },
) {
  const { project, environment, route, reason, actor, at } = args
  const found = await tx
    .selectFrom('environments')
    .select(['id', 'route'])
    .where('project', '=', project)
    .where('name', '=', environment)
    .$call((query) => dialect.lock(query))
    .executeTakeFirst()
  const subject = `${project}/${environment}`
  if (!found)
    throw new Failure('not_found', {
      detail: `There is no environment ${subject}.`,
      hint: '"vitae projects list" shows all of them.',
    })
  const text = route === null ? null : JSON.stringify(route)
  await tx.updateTable('environments').set({ route: text }).where('id', '=', found.id).execute()
  const before = { providers: readRoute(found.route) }
  const after = { providers: route }
  await appendAudit(tx, dialect, { at, actor, action: 'environment.route', subject, reason, before, after })
}

/** The environments with a restricted route. */
async function listRoutes({ db }: Connection, _args: null): Promise<{ environment: string; providers: string[] }[]> {
  const rows = await db
    .selectFrom('environments')
    .select(['project', 'name', 'route'])
    .where('route', 'is not', null)
    .orderBy('project')
    .orderBy('name')
    .execute()
  return rows.map(({ project, name, route }) => ({
    environment: `${project}/${name}`,
    providers: readRoute(route) ?? [],
  }))
}

export const projectOperations = {
  createProject: write(createProject),
  setProjectState: write(setProjectState),
  setRoute: write(setRoute),
  listRoutes: read(listRoutes),
  deleteProject: write(deleteProject),
  listProjects: report(listProjects),
}
export type ProjectStore = Subject<typeof projectOperations>

/**
 * Deletes a project in which nothing ever happened, such as one created by a typo. Otherwise it fails with the reason.
 */
async function deleteProject(
  { db: tx, dialect }: Connection,
  args: { name: string; actor: string; reason: string | null; at: number },
): Promise<void> {
  const { name, actor, reason, at } = args
  const named = tx.selectFrom('projects').select('name').where('name', '=', name)
  const project = await dialect.lock(named).executeTakeFirst()
  if (!project)
    throw new Failure('not_found', {
      detail: `There is no project ${name}.`,
      hint: '"vitae projects list" shows all projects.',
    })
  const why = await whyNotEmpty(tx, name, at)
  if (why !== null) throw new Failure('conflict', { detail: `Project ${name} is not empty: ${why}` })
  const environments = await tx.selectFrom('environments').select('name').where('project', '=', name).execute()
  await tx.deleteFrom('keys').where('project', '=', name).execute()
  await tx.deleteFrom('environments').where('project', '=', name).execute()
  await tx.deleteFrom('projects').where('name', '=', name).execute()
  const before = { environments: environments.map((environment) => environment.name) }
  await appendAudit(tx, dialect, { at, actor, action: 'project.delete', subject: name, reason, before })
}

/** Why a project cannot be deleted, in words; null if it can. */
async function whyNotEmpty(tx: Tx, name: string, at: number): Promise<string | null> {
  const keys = await tx
    .selectFrom('keys')
    .select(['last_used_at', 'revoked', 'revoked_at', 'expires_at'])
    .where('project', '=', name)
    .execute()
  if (keys.some((key) => isWorkingKey(key, at))) return 'it still has an active key. Revoke its keys first.'
  if (keys.some(({ last_used_at }) => last_used_at !== null))
    return 'calls were made with its keys. Suspend it instead.'
  const entry = await tx
    .selectFrom('ledger_entries')
    .innerJoin('environments', 'environments.id', 'ledger_entries.account_id')
    .select('ledger_entries.id')
    .where('environments.project', '=', name)
    .limit(1)
    .executeTakeFirst()
  if (entry) return 'its ledger has entries. Suspend it instead.'
  const token = await tx
    .selectFrom('admin_tokens')
    .select('id')
    .where('project', '=', name)
    .where('revoked_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return token ? `the admin token ${token.id} is limited to it. Revoke it first.` : null
}
