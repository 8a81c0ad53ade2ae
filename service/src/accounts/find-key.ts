import type { Database, Tx } from '../database/dialect.ts'
import type { KeyRow } from '../database/tables.ts'
import { Failure } from '../foundation/failure.ts'

/** A key as a call needs it: its settings, and the state of its project. */
export interface FoundKey extends KeyRow {
  environment: string
  suspended: number
  billing_blocked: number
}

/** The key of a hash. */
export async function findKey({ db }: Database, args: { hash: string }): Promise<FoundKey | null> {
  return (await foundKeys(db).where('keys.hash', '=', args.hash).executeTakeFirst()) ?? null
}

/** The key of an id, for what a key set up and pays for later. */
export async function findKeyById({ db }: Database, args: { id: string }): Promise<FoundKey | null> {
  return (await foundKeys(db).where('keys.id', '=', args.id).executeTakeFirst()) ?? null
}

function foundKeys(db: Pick<Tx, 'selectFrom'>) {
  return db
    .selectFrom('keys')
    .innerJoin('environments', 'environments.id', 'keys.environment_id')
    .innerJoin('projects', 'projects.name', 'keys.project')
    .selectAll('keys')
    .select(['environments.name as environment', 'projects.suspended', 'projects.billing_blocked'])
}

/** Who would pay for a call with a key. */
export async function payerOfKey(
  { db }: Database,
  args: { id: string },
): Promise<{ keyId: string; accountId: number; mode: 'live' | 'test' }> {
  const { id, environment_id: accountId, mode } = await keyRow(db, args.id)
  return { keyId: id, accountId, mode }
}

/** The key of an id, which has to be there. */
export async function keyRow(tx: Pick<Tx, 'selectFrom'>, id: string): Promise<FoundKey> {
  const row = await foundKeys(tx).where('keys.id', '=', id).executeTakeFirst()
  if (!row) throw noKey(id)
  return row
}

/** The failure of an id that no key has. */
export function noKey(id: string): Failure {
  return new Failure('not_found', { detail: `There is no key ${id}. "vitae keys list" shows those there are.` })
}
