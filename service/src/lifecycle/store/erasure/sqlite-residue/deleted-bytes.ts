import type { Kind } from '@vitae/contract'
import type { Tx } from '../../../../database/engine/dialect.ts'
import type { Alias } from '../../../../foundation/identifier.ts'
import { aliasText } from '../../../../records/identifiers/alias.ts'
import { inChunks } from '../../../../database/sql/prepared.ts'
import type { EntityWordRow } from '../../../../database/tables/records.ts'
import type { DeletedBytes } from '../../../../database/sqlite/reader/residue-search.ts'
import { wordRows } from '../../../../records/rows/add-version.ts'

/** Texts of neighbouring columns, side by side as in a row. */
function columns(...texts: string[]): Uint8Array {
  return new Uint8Array(Buffer.from(texts.join('')))
}

/** Long enough to search for without the columns before it, whose bytes may have been overwritten in a leftover row. */
const tellingLength = 8

/** A name as it appears in the rows and indexes of aliases and fetches. */
export function bytesOfName(kind: Kind, alias: Alias): Uint8Array[] {
  if (alias.value.length >= tellingLength) return [columns(alias.value)]
  return [columns(kind, alias.type, alias.value), columns(kind, aliasText(alias))]
}

/** A row of the search index. Others share its word, so the search includes the entity's id as SQLite encodes it. */
function bytesOfWord({ kind, word, entity_id: id }: EntityWordRow): Uint8Array {
  const number = Buffer.alloc(8)
  number.writeBigInt64BE(BigInt(id))
  const width = [1, 2, 3, 4, 6].find((bytes) => id < 2 ** (8 * bytes - 1)) ?? 8
  return new Uint8Array(Buffer.concat([Buffer.from(kind + word), number.subarray(8 - width)]))
}

const eventPart = 128

/** An event, in parts that are too long to occur in other events. */
export function bytesOfEvent(data: string): Uint8Array[] {
  const bytes = new Uint8Array(Buffer.from(data))
  const count = Math.floor(bytes.length / eventPart)
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * eventPart, (index + 1) * eventPart))
}

/**
 * The bytes about entities in the store's files. Read them before the deletion, so that the files can be searched for
 * them.
 */
export async function bytesOfEntities(tx: Tx, entityIds: readonly number[]): Promise<DeletedBytes> {
  const deleted: DeletedBytes = { blobs: [], texts: [] }
  for (const ids of inChunks(entityIds, 200)) {
    const entities = await tx
      .selectFrom('entities')
      .select(['id', 'kind', 'key', 'name', 'words'])
      .where('id', 'in', ids)
      .execute()
    for (const { id, kind, key, name, words } of entities) {
      deleted.texts.push(
        key.length >= tellingLength ? columns(key) : columns(kind, key),
        columns(name ?? ''),
        columns(words ?? ''),
      )
      deleted.texts.push(...wordRows(kind, id, words ?? '').map(bytesOfWord))
    }
    const events = await tx.selectFrom('events').select('data').where('entity_id', 'in', ids).execute()
    deleted.texts.push(...events.flatMap(({ data }) => bytesOfEvent(data)))
    const bodies = await tx.selectFrom('versions').select('body').where('entity_id', 'in', ids).execute()
    const hashes = await tx
      .selectFrom('fetches')
      .select('payload_hash')
      .distinct()
      .where('entity_id', 'in', ids)
      .execute()
    deleted.blobs.push(...bodies.map((row) => row.body))
    for (const some of inChunks(
      hashes.flatMap((row) => row.payload_hash ?? []),
      500,
    )) {
      const payloads = await tx.selectFrom('payloads').select('bytes').where('hash', 'in', some).execute()
      deleted.blobs.push(...payloads.map((row) => row.bytes))
    }
  }
  return deleted
}
