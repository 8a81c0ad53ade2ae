import type { Kind } from '@vitae/contract'
import type { Dialect, Tx } from '../../database/dialect.ts'
import { rawStatementList, rawStatement, runRawStatement } from '../../database/sql/raw-statement.ts'
import type { Alias } from '../../foundation/identifier.ts'
import { isDerivedKey, type Identity } from '../identifiers/alias.ts'
import { chooseEntity, type Kin } from './choose-entity.ts'
import { mergeEntities } from './merge-entities.ts'
import type { SearchTexts } from './search-texts.ts'
import type { Entity } from '../versions/add-version.ts'

interface Wanted {
  kind: Kind
  identity: Identity
  /** Every name of the identity, its key and what was asked for included. */
  aliases: Alias[]
  /** When the data was collected. */
  fetchedAt: number
  /** Now. */
  at: number
  /** The record that is being saved. */
  record: { provider: string; thin: boolean; texts: SearchTexts }
}

// Written as a list of rows, because SQLite answers a chain of `or` by reading every alias of the kind.
const selectRelated = `
  select entity_id as id from aliases where (kind, type, value) in (values [items]) and entity_id is not null
  union select id from entities where kind = ? and key = ?`
const insertNew = rawStatement(`
  insert into entities (kind, key, derived, created_at, used_at, provider, fetched_at, thin, name, words)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (kind, key) do nothing returning id`)

// Neither goes the wrong way: answers may arrive in another order than they were given.
const noteSave = rawStatement(`
  update entities set
    used_at = case when coalesce(used_at, 0) < cast(? as bigint) then cast(? as bigint) else used_at end,
    created_at = case when created_at > cast(? as bigint) then cast(? as bigint) else created_at end
  where id = ?`)

// Another node may merge what was just found; then it is looked up again.
const attempts = 5

/** Finds the entity of an identity, merging what turns out to be the same one, or makes it. */
export async function resolveEntity(tx: Tx, dialect: Dialect, wanted: Wanted): Promise<Entity> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const ids = await relatedIds(tx, dialect, wanted)
    if (ids.length === 0) {
      const made = await insertEntity(tx, dialect, wanted)
      if (made) return made
      continue
    }
    const kin = await lockKin(tx, dialect, ids)
    if (kin.length === ids.length) return settleEntity(tx, dialect, wanted, kin)
  }
  throw new Error('an entity kept changing while it was looked up')
}

async function relatedIds(tx: Tx, dialect: Dialect, { kind, identity, aliases }: Wanted): Promise<number[]> {
  const text = rawStatementList(selectRelated, '(?, ?, ?)', aliases.length)
  const names = aliases.flatMap(({ type, value }) => [kind, type, value])
  const rows = await runRawStatement<{ id: number }>(tx, text, dialect, [...names, kind, identity.key])
  return rows.map(({ id }) => id)
}

type LockedKin = Kin & { versionId: number | null }

async function lockKin(tx: Tx, dialect: Dialect, ids: number[]): Promise<LockedKin[]> {
  const rows = await tx
    .selectFrom('entities')
    .select(['id', 'key', 'derived', 'version_id'])
    .where('id', 'in', ids)
    .orderBy('id')
    .$if(dialect === 'postgres', (query) => query.forUpdate())
    .execute()
  const names = await tx
    .selectFrom('aliases')
    .select(['entity_id', 'type', 'value'])
    .where('entity_id', 'in', ids)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    key: row.key,
    derived: row.derived === 1,
    versionId: row.version_id,
    aliases: names.filter((name) => name.entity_id === row.id).map(({ type, value }) => ({ type, value })),
  }))
}

async function settleEntity(tx: Tx, dialect: Dialect, wanted: Wanted, kin: LockedKin[]): Promise<Entity> {
  const { kind, identity, aliases, fetchedAt, at } = wanted
  const { survivor: id, absorbed } = chooseEntity({ ...identity, aliases }, kin)
  const survivor = kin.find((one) => one.id === id)
  const others = kin.filter((one) => one !== survivor && !absorbed.includes(one.id))
  const names = aliases.filter((alias) => !isDerivedKey(alias) || !others.some((one) => holds(one, alias)))
  if (!survivor) {
    const made = await insertEntity(tx, dialect, wanted)
    if (!made) throw new Error('an entity appeared while its names were locked')
    return { ...made, contested: true, names }
  }
  const merged = kin.filter((one) => absorbed.includes(one.id))
  for (const { id: from, key } of merged) await mergeEntities(tx, { kind, from, key, into: survivor.id, at })
  const key = kind === 'companies' ? numberOf(identity, [survivor, ...merged]) : survivor.key
  const rekeyed = key !== survivor.key || merged.length > 0
  if (key !== survivor.key)
    await tx.updateTable('entities').set({ key, derived: 0 }).where('id', '=', survivor.id).execute()
  await runRawStatement(tx, noteSave, dialect, [at, at, fetchedAt, fetchedAt, survivor.id])
  return {
    id: survivor.id,
    key,
    versionId: rekeyed ? await currentVersion(tx, survivor.id) : survivor.versionId,
    isNew: false,
    absorbed,
    rekeyed,
    contested: kin.length > 1,
    names,
  }
}

/** A company shows the platform's number once it is known; a person keeps the key that was stored first. */
function numberOf(identity: Identity, [survivor, ...merged]: [LockedKin, ...LockedKin[]]): string {
  if (!identity.derived) return identity.key
  return [survivor, ...merged].find((one) => !one.derived)?.key ?? survivor.key
}

function holds({ aliases }: Kin, { type, value }: Alias): boolean {
  return aliases.some((one) => one.type === type && one.value === value)
}

async function currentVersion(tx: Tx, id: number): Promise<number | null> {
  const row = await tx.selectFrom('entities').select('version_id').where('id', '=', id).executeTakeFirstOrThrow()
  return row.version_id
}

async function insertEntity(
  tx: Tx,
  dialect: Dialect,
  { kind, identity, aliases, fetchedAt, at, record }: Wanted,
): Promise<Entity | null> {
  const { provider, thin, texts } = record
  const facts = [provider, fetchedAt, thin ? 1 : 0, texts.name, texts.words || null]
  const values = [kind, identity.key, identity.derived ? 1 : 0, fetchedAt, at, ...facts]
  const [row] = await runRawStatement<{ id: number }>(tx, insertNew, dialect, values)
  if (!row) return null
  const { key } = identity
  return {
    id: row.id,
    key,
    versionId: null,
    isNew: true,
    absorbed: [],
    rekeyed: false,
    contested: false,
    names: aliases,
  }
}
