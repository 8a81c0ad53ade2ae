import type { Kind } from '@vitae/contract'
import type { Connection } from '../../../database/engine/dialect.ts'
import type { Alias, Identifier } from '../../../foundation/identifier.ts'
import { contactsOf, contactName, normaliseEmail } from '../../../records/contact-index/contact-rows.ts'
import { aliasIn } from '../../../records/rows/alias-rows.ts'
import { aliasText, foldAlias, keyAlias } from '../../../records/identifiers/alias.ts'
import type { Ref } from '../../../records/identifiers/find-ref.ts'
import { Failure } from '../../../foundation/failure.ts'

/** The data of one entity that an erasure would remove. */
export interface ErasableEntity {
  entityId: number
  key: string
  derived: boolean
  name: string | null
  /** Ids of entities that were merged into it: old calls still carry them. */
  mergedIds: number[]
  aliases: Alias[]
  /** Former names that belong to someone else now. They are not suppressed. */
  formerAliases: Alias[]
  versions: number
  fetches: number
  payloads: number
}

export interface ErasurePlan {
  kind: Kind
  /** The names that the operator gave; they are suppressed even if nothing is stored under them. */
  asked: Alias[]
  entities: ErasableEntity[]
  /** Upstream answers about these names that belong to no entity. */
  looseFetches: number
}

/** Everything that an erasure would remove, found by one name: every entity that holds it or ever held it. */
export async function planErasure({ db }: Connection, { kind, ref }: { kind: Kind; ref: Ref }): Promise<ErasurePlan> {
  const asked = askedAliases(kind, ref)
  const holders = await db
    .selectFrom('aliases')
    .select('entity_id')
    .where(aliasIn(kind, asked))
    .union(db.selectFrom('former_aliases').select('entity_id').where(aliasIn(kind, asked)))
    // A keyed contact hash finds an entity without being one of its names.
    .union(
      db
        .selectFrom('contact_index')
        .select('entity_id')
        .where('kind', '=', kind)
        .where(
          'value',
          'in',
          asked.map(({ value }) => value),
        ),
    )
    .execute()
  const ids = holders.flatMap((row) => row.entity_id ?? []).toSorted((a, b) => a - b)
  const entities: ErasableEntity[] = []
  for (const id of new Set(ids)) {
    const entity = await erasable(db, id)
    if (entity) entities.push(entity)
  }
  const loose = await db
    .selectFrom('fetches')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('kind', '=', kind)
    .where('identifier', 'in', asked.map(aliasText))
    .where('entity_id', 'is', null)
    .executeTakeFirstOrThrow()
  return { kind, asked, entities, looseFetches: Number(loose.count) }
}

function askedAliases(kind: Kind, { key, identifier }: Ref): Alias[] {
  if (key !== undefined) return [keyAlias(kind, key)]
  return [foldAlias({ type: identifier.type, value: identifier.value })]
}

async function erasable(db: Connection['db'], id: number): Promise<ErasableEntity | null> {
  const entity = await db.selectFrom('entities').selectAll().where('id', '=', id).executeTakeFirst()
  if (!entity) return null
  const aliases = await db.selectFrom('aliases').select(['type', 'value']).where('entity_id', '=', id).execute()
  const formerAliases = await db
    .selectFrom('former_aliases')
    .select(['type', 'value'])
    .where('entity_id', '=', id)
    .execute()
  const merged = await db.selectFrom('merged_entities').select('id').where('into_id', '=', id).execute()
  const versions = await db
    .selectFrom('versions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('entity_id', '=', id)
    .executeTakeFirstOrThrow()
  const fetches = await db
    .selectFrom('fetches')
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      eb.fn.count<number>('payload_hash').distinct().as('payloads'),
    ])
    .where('entity_id', '=', id)
    .executeTakeFirstOrThrow()
  return {
    entityId: id,
    key: entity.key,
    derived: entity.derived === 1,
    name: entity.name,
    mergedIds: merged.map((row) => row.id),
    aliases: [...aliases, ...(await contactsOf(db, [id]))],
    formerAliases,
    versions: Number(versions.count),
    fetches: Number(fetches.count),
    payloads: Number(fetches.payloads),
  }
}

/** An email address finds everyone whose record or match contains it; only its keyed hash is stored. */
export function addressRef(secret: string, text: string): Ref | null {
  if (!text.includes('@') || /[/:]/.test(text)) return null
  const email = normaliseEmail(text)
  if (email === null) throw new Failure('invalid_request', { detail: 'This is not an e-mail address.' })
  const { type, value } = contactName(secret, 'people', 'email', email)
  // Suppressed like any other name, even if nothing is stored under it.
  return { identifier: { kind: 'people', type, value } as unknown as Identifier }
}
