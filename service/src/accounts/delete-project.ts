import { appendAudit } from '../audit/audit.ts'
import type { Connection, Tx } from '../database/dialect.ts'
import { Failure } from '../foundation/failure.ts'

/** Removes a project that nothing ever happened in, such as one made by a slip of the pen. Anything else stays, and is said. */
export async function deleteProject(
  { db: tx, dialect }: Connection,
  args: { name: string; actor: string; reason: string | null; at: number },
): Promise<void> {
  const { name, actor, reason, at } = args
  const locked = tx.selectFrom('projects').select('name').where('name', '=', name)
  const project = await (dialect === 'postgres' ? locked.forUpdate() : locked).executeTakeFirst()
  if (!project)
    throw new Failure('not_found', {
      detail: `There is no project ${name}. "vitae projects list" shows those there are.`,
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

/** What keeps a project, in words; null where nothing does. */
async function whyNotEmpty(tx: Tx, name: string, at: number): Promise<string | null> {
  const keys = await tx
    .selectFrom('keys')
    .select(['last_used_at', 'revoked_at', 'expires_at'])
    .where('project', '=', name)
    .execute()
  const works = (key: (typeof keys)[number]) => (key.revoked_at ?? Infinity) > at && (key.expires_at ?? Infinity) > at
  if (keys.some(works)) return 'a key of it still works. Revoke its keys first.'
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
