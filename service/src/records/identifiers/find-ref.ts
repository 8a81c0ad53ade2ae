import type { Kind } from '@vitae/contract'
import type { Tx } from '../../database/engine/dialect.ts'
import type { EntityRow } from '../../database/tables/records.ts'
import type { Alias, Identifier } from '../../foundation/identifier.ts'
import type { Selectable } from 'kysely'
import { keyAlias } from './alias.ts'

/** How an operator names an entity: by its durable key, or by a parsed identifier. */
export type Ref = { key: string; identifier?: undefined } | { key?: undefined; identifier: Identifier }

export type EntityFound = Selectable<EntityRow>

/**
 * The entity that a reference points to now, even if its copy is withdrawn. Without a kind, both kinds are searched.
 */
export async function findRef(db: Tx, kind: Kind | undefined, ref: Ref): Promise<EntityFound | null> {
  for (const one of kind ? [kind] : (['people', 'companies'] as const)) {
    const name = nameAmong(one, ref)
    if (!name) continue
    const row = await db
      .selectFrom('aliases')
      .innerJoin('entities', 'entities.id', 'aliases.entity_id')
      .selectAll('entities')
      .where('aliases.kind', '=', one)
      .where('aliases.type', '=', name.type)
      .where('aliases.value', '=', name.value)
      .executeTakeFirst()
    if (row) return row
  }
  return null
}

function nameAmong(kind: Kind, { key, identifier }: Ref): Alias | null {
  if (key !== undefined) return keyAlias(kind, key)
  return identifier.kind === kind ? identifier : null
}
