import type { Connection, Tx } from '../database/engine/dialect.ts'
import type { KeyRow } from '../database/tables/accounts.ts'
import { isWorkingKey } from '../database/sql/prepared.ts'
import { Failure } from '../foundation/failure.ts'
import { readRoute, type Route } from '../foundation/environments/route.ts'

/** A key with its settings and the state of its project, as a call needs it. */
export interface FoundKey extends KeyRow {
  environment: string
  suspended: number
  billing_blocked: number
  /** The route of its environment: a JSON list, or null. */
  route: string | null
}

/** Finds a key by its hash or, for work that a key set up and pays for later, by its id or its batch. */
export async function findKey(
  { db }: Connection,
  by: { hash: string } | { id: string } | { batchId: number },
): Promise<FoundKey | null> {
  const keys = foundKeys(db)
  if ('hash' in by) return (await keys.where('keys.hash', '=', by.hash).executeTakeFirst()) ?? null
  const id = 'id' in by ? by.id : db.selectFrom('batches').select('key_id').where('id', '=', by.batchId)
  return (await keys.where('keys.id', '=', id).executeTakeFirst()) ?? null
}

function foundKeys(db: Pick<Tx, 'selectFrom'>) {
  return db
    .selectFrom('keys')
    .innerJoin('environments', 'environments.id', 'keys.environment_id')
    .innerJoin('projects', 'projects.name', 'keys.project')
    .selectAll('keys')
    .select([
      'environments.name as environment',
      'environments.route',
      'projects.suspended',
      'projects.billing_blocked',
    ])
}

/** The key and environment that would pay for a call with this key. */
export async function payerOfKey(
  { db }: Connection,
  args: { id: string },
): Promise<{
  keyId: string
  environmentId: number
  project: string
  environment: string
  mode: 'live' | 'test'
  route: Route
}> {
  const { id, environment_id: environmentId, project, environment, mode, route } = await keyRow(db, args.id)
  return { keyId: id, environmentId, project, environment, mode, route: readRoute(route) }
}

/** Finds a key by its id, or fails with `not_found`. */
export async function keyRow(tx: Pick<Tx, 'selectFrom'>, id: string): Promise<FoundKey> {
  const row = await foundKeys(tx).where('keys.id', '=', id).executeTakeFirst()
  if (!row) throw noKey(id)
  return row
}

/** The failure for an unknown key id. */
export function noKey(id: string): Failure {
  return new Failure('not_found', { detail: `There is no key ${id}.`, hint: '"vitae keys list" shows all keys.' })
}

/**
 * The key that pays for what an operator sets up in an environment: the given one, or the newest live key that may pay.
 */
export async function payingKey(
  { db }: Connection,
  args: { project: string; environment: string; keyId: string | null; at: number },
): Promise<{ keyId: string; environmentId: number }> {
  const { project, environment, keyId, at } = args
  const keys = await foundKeys(db)
    .where('keys.project', '=', project)
    .where('environments.name', '=', environment)
    .where('keys.mode', '=', 'live')
    .orderBy('keys.created_at', 'desc')
    .orderBy('keys.id')
    .execute()
  const key = keys.find((each) => (keyId === null ? isWorkingKey(each, at) : each.id === keyId))
  if (key) return { keyId: key.id, environmentId: key.environment_id }
  const what = keyId === null ? 'no live key' : `no live key ${keyId}`
  throw new Failure('not_found', {
    detail: `${project}/${environment} has ${what}.`,
    hint: 'Create one with "vitae keys create".',
  })
}
