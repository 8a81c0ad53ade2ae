import type { Kind } from '@vitae/contract'
import type { Connection } from '../../database/engine/dialect.ts'
import { identifierKey, type Identifier } from '../../foundation/identifier.ts'
import type { Denials } from '../../foundation/environments/route.ts'
import { readDenials } from '../../records/rows/alias-rows.ts'
import { hiddenMissesAmong, suppressedAmong } from '../../records/suppression/suppressions.ts'

/** The stored state under an identifier, as far as it affects the price. */
export interface StoredState {
  fetchedAt: number | null
  thin: boolean
  notFoundAt: number | null
  /** The provider of the copy. */
  provider: string | null
  denials?: Denials | undefined
}

/** An identifier, and its keyed hash in the suppression list. */
export interface AskedName {
  type: Identifier['type']
  value: string
  hash: string
}

const nothing: StoredState = { fetchedAt: null, thin: false, notFoundAt: null, provider: null }

/** The stored state under each of some identifiers, in their order. A suppressed one looks like an unknown one. */
export async function storedAmong(
  { db, dialect }: Connection,
  { kind, names }: { kind: Kind; names: AskedName[] },
): Promise<StoredState[]> {
  const hashes = names.map(({ hash }) => hash)
  const suppressed = await suppressedAmong(db, dialect, hashes)
  const hidden = await hiddenMissesAmong(db, dialect, hashes)
  const states = new Map<string, StoredState>()
  for (const type of new Set(names.map((name) => name.type))) {
    const values = names.filter((name) => name.type === type).map(({ value }) => value)
    const rows = await db
      .selectFrom('aliases')
      .leftJoin('entities', (join) =>
        join.onRef('entities.id', '=', 'aliases.entity_id').on('aliases.withdrawn', '=', 0),
      )
      .leftJoin('versions', 'versions.id', 'entities.version_id')
      .select(['aliases.value', 'aliases.not_found_at', 'aliases.denials'])
      .select(['versions.fetched_at', 'versions.thin', 'versions.provider'])
      .where('aliases.kind', '=', kind)
      .where('aliases.type', '=', type)
      .where('aliases.value', 'in', values)
      .execute()
    for (const row of rows)
      states.set(identifierKey({ kind, type, value: row.value }), {
        fetchedAt: row.fetched_at,
        thin: row.thin === 1,
        notFoundAt: row.not_found_at,
        provider: row.provider,
        denials: readDenials(row.denials),
      })
  }
  return names.map(({ type, value, hash }) => {
    const state = suppressed.has(hash) ? nothing : (states.get(identifierKey({ kind, type, value })) ?? nothing)
    return { ...state, notFoundAt: state.notFoundAt ?? hidden.get(hash) ?? null }
  })
}
