import { identifierKey } from '../../foundation/identifier.ts'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import { aliasesOf, keyAlias } from '../identifiers/alias.ts'
import { payloadHash } from '../rows/archive.ts'
import { inChunks } from '../../database/sql/prepared.ts'
import { insertNewRecords, type ImportItem, type NewRecord } from './insert-new-records.ts'
import { addCompanyPages } from '../rows/company-pages.ts'
import { holdRecords } from '../rows/locks.ts'
import { isSomeoneElse, writeRecord } from './save-fetch.ts'
import { suppressedAmong } from '../suppression/suppressions.ts'

/** `older` means that the store has a newer version: the record was added to the history and is not served. */
export type ImportResult = 'saved' | 'older' | 'suppressed' | 'unchanged'

/**
 * Imports up to 500 records in one transaction. New records, which are most, are written together. The others are saved
 * like a fetch of that time, so an older one never replaces a newer one. Repeating an import changes nothing.
 */
export async function importRecords(
  { db: tx, dialect }: Connection,
  { items, at }: { items: ImportItem[]; at: number },
): Promise<ImportResult[]> {
  await holdRecords(tx, dialect)
  const listed = await suppressedAmong(
    tx,
    dialect,
    items.flatMap((item) => item.suppressionHashes),
  )
  const candidates = items.map(toNewRecord)
  const known = await knownNames(tx, candidates)
  const results: ImportResult[] = []
  const fresh: NewRecord[] = []
  const others: { index: number; item: ImportItem }[] = []
  for (const [index, candidate] of candidates.entries()) {
    const { item, names } = candidate
    if (item.suppressionHashes.some((hash) => listed.has(hash))) {
      const { kind, identity } = item
      const isOther = await isSomeoneElse(
        tx,
        dialect,
        { kind, asked: keyAlias(kind, identity.key), record: item },
        listed,
      )
      if (isOther) others.push({ index, item })
      else results[index] = 'suppressed'
    } else if (names.some((name) => known.has(name))) others.push({ index, item })
    else {
      for (const name of names) known.add(name)
      results[index] = 'saved'
      fresh.push(candidate)
    }
  }
  await insertNewRecords({ db: tx, dialect }, fresh, at)
  await addCompanyPages(
    tx,
    fresh.flatMap(({ item }) => item.pages),
  )
  for (const { index, item } of others) results[index] = await importOne(tx, dialect, item, at, listed)
  return results
}

function toNewRecord(item: ImportItem): NewRecord {
  const aliases = aliasesOf(item.kind, item.identity, null)
  return { item, aliases, names: aliases.map((alias) => identifierKey({ kind: item.kind, ...alias })) }
}

/** The names of the batch that an entity already holds. A key is always an alias too, so reading aliases is enough. */
async function knownNames(tx: Tx, candidates: readonly NewRecord[]): Promise<Set<string>> {
  const known = new Set<string>()
  const sorts = Map.groupBy(
    candidates.flatMap(({ item, aliases }) => aliases.map((alias) => ({ kind: item.kind, ...alias }))),
    ({ kind, type }) => `${kind}:${type}`,
  )
  for (const group of sorts.values()) {
    const [{ kind, type } = { kind: 'people' as const, type: '' }] = group
    for (const chunk of inChunks(group, 500)) {
      const values = chunk.map((alias) => alias.value)
      const rows = await tx
        .selectFrom('aliases')
        .select('value')
        .where('kind', '=', kind)
        .where('type', '=', type)
        .where('value', 'in', values)
        .execute()
      for (const row of rows) known.add(identifierKey({ kind, type, value: row.value }))
    }
  }
  return known
}

async function importOne(
  tx: Tx,
  dialect: Connection['dialect'],
  item: ImportItem,
  at: number,
  listed: ReadonlySet<string>,
): Promise<ImportResult> {
  if (await isKnown(tx, item)) return 'unchanged'
  const exchange = { outcome: 'imported', status: null, cost: null, durationMs: null }
  const { served } = await writeRecord(tx, dialect, {
    kind: item.kind,
    asked: keyAlias(item.kind, item.identity.key),
    record: item,
    fetchedAt: item.fetchedAt,
    at,
    exchange,
    listed,
  })
  return served || item.thin ? 'saved' : 'older'
}

/** Whether a version with the same payload and the same or a later time is already stored, served or in the history. */
async function isKnown(tx: Tx, { kind, provider, payload, fetchedAt }: ImportItem): Promise<boolean> {
  const row = await tx
    .selectFrom('fetches')
    .innerJoin('versions', 'versions.fetch_id', 'fetches.id')
    .select('versions.id')
    .where('fetches.payload_hash', '=', payloadHash(payload))
    .where('fetches.kind', '=', kind)
    .where('versions.provider', '=', provider)
    .where('versions.fetched_at', '>=', fetchedAt)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
