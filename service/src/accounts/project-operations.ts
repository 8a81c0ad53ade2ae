import { read, write } from '../database/operation.ts'
import { appendAudit } from '../audit/audit.ts'
import type { Connection, Tx } from '../database/dialect.ts'
import { Failure } from '../foundation/failure.ts'
import { deleteProject } from './delete-project.ts'
import { listProjects } from './list-projects.ts'

const nameForm = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,62}$/u

/** A project and an environment, made when absent. Returns the environment's id, which is its account. */
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
      detail: `There is no project ${args.name}. "vitae projects list" shows those there are.`,
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

export const projectOperations = {
  createProject: write(createProject),
  setProjectState: write(setProjectState),
  deleteProject: write(deleteProject),
  listProjects: read(listProjects),
}
