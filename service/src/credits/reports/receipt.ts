import type { Connection } from '../../database/engine/dialect.ts'
import type { CallRow } from '../../database/tables/calls.ts'
import type { EntryKind } from '../../database/tables/credits.ts'

export interface Receipt {
  requestId: string
  project: string
  environment: string
  key: { id: string; display: string; label: string | null }
  /** Null while the call is still running. */
  call: {
    at: number
    mode: CallRow['mode']
    kind: CallRow['kind']
    status: number
    code: string | null
    source: string | null
    credits: number
    identifier: string | null
    entityId: number | null
    /** The `member_urn` or `company_id` of the call; null after an erasure. */
    entityKey: string | null
    versionId: number | null
    /** The fills from other versions, in the format of `folds`; null if nothing was filled. */
    fills: string | null
    fetchId: number | null
    /** The paid request that this one replayed. */
    replayOf: string | null
    durationMs: number | null
    tag: string | null
    /** See `prices/price-note.ts`. */
    price: string | null
  } | null
  entries: {
    id: number
    at: number
    kind: EntryKind
    amount: number
    heldAmount: number | null
    month: string | null
  }[]
  hold: { amount: number; placedAt: number; expiresAt: number } | null
}

/** Everything known about the cost of one request; null if nothing is. */
export async function receipt({ db }: Connection, { requestId }: { requestId: string }): Promise<Receipt | null> {
  const call = await findCall(db, requestId)
  const hold = await db.selectFrom('holds').selectAll().where('id', '=', requestId).executeTakeFirst()
  const entries = await db
    .selectFrom('ledger_entries')
    .select(['id', 'at', 'kind', 'amount', 'held_amount as heldAmount', 'month', 'key_id'])
    .where('request_id', '=', requestId)
    .orderBy('id')
    .execute()
  const keyId = call?.key_id ?? entries.at(0)?.key_id
  const owner = keyId ? await findOwner(db, keyId) : undefined
  if (!owner) return null
  return {
    requestId,
    ...owner,
    call: call ? without(call, 'key_id', 'account_id') : null,
    entries: entries.map((entry) => without(entry, 'key_id')),
    hold: hold ? { amount: hold.amount, placedAt: hold.placed_at, expiresAt: hold.expires_at } : null,
  }
}

function findCall(db: Connection['db'], requestId: string) {
  return db
    .selectFrom('calls')
    .leftJoin('merged_entities', 'merged_entities.id', 'calls.entity_id')
    .leftJoin('entities', (join) =>
      join.on((eb) => eb('entities.id', '=', eb.fn.coalesce('merged_entities.into_id', 'calls.entity_id'))),
    )
    .leftJoin('folds', 'folds.id', 'calls.fold_id')
    .select(['calls.at', 'calls.mode', 'calls.kind', 'calls.status', 'calls.code', 'calls.source', 'calls.credits'])
    .select(['calls.identifier', 'calls.entity_id as entityId', 'entities.key as entityKey'])
    .select([
      'calls.version_id as versionId',
      'folds.units as fills',
      'calls.fetch_id as fetchId',
      'calls.replay_of as replayOf',
    ])
    .select(['calls.duration_ms as durationMs', 'calls.tag', 'calls.price', 'calls.key_id', 'calls.account_id'])
    .where('calls.request_id', '=', requestId)
    .executeTakeFirst()
}

async function findOwner(
  db: Connection['db'],
  keyId: string,
): Promise<Pick<Receipt, 'project' | 'environment' | 'key'> | undefined> {
  const row = await db
    .selectFrom('keys')
    .innerJoin('environments', 'environments.id', 'keys.environment_id')
    .select(['keys.id', 'keys.display', 'keys.label', 'environments.project', 'environments.name'])
    .where('keys.id', '=', keyId)
    .executeTakeFirst()
  if (!row) return undefined
  const { id, display, label, project, name } = row
  return { project, environment: name, key: { id, display, label } }
}

function without<Row extends object, Name extends keyof Row>(row: Row, ...names: Name[]): Omit<Row, Name> {
  const rest = { ...row }
  for (const name of names) delete rest[name]
  return rest
}
