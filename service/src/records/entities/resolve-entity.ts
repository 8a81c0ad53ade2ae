import { hash } from 'node:crypto'
import type { Kind } from '@vitae/contract'
import type { Dialect, Tx } from '../../database/engine/dialect.ts'
import { runPrepared, sendPrepared } from '../../database/sql/prepared.ts'
import type { Alias } from '../../foundation/identifier.ts'
import { isDerivedKey, keyAlias, type Identity } from '../identifiers/alias.ts'
import { nameIn, type RecordName } from '../names/record-names.ts'
import { recordIn } from '../body/rewrite-record.ts'
import { holderOf } from '../rows/alias-rows.ts'
import { chooseEntity, type Choice, type Kin } from './choose-entity.ts'
import { lockKin, type LockedKin, type NamedNewcomer } from './kin.ts'
import { mergeEntities, sideOf } from './merge-entities.ts'
import type { SearchTexts } from '../rows/search-texts.ts'
import type { Entity, MergedSide } from '../rows/add-version.ts'

interface Wanted {
  kind: Kind
  identity: Identity
  /** Every name of the identity, including its key and the requested identifier. */
  aliases: Alias[]
  /** When the data was collected. */
  fetchedAt: number
  /** The current time. */
  at: number
  /** The record that is being saved. */
  record: { provider: string; thin: boolean; texts: SearchTexts; body: Uint8Array }
}

// A list of rows, because for a chain of `or` SQLite would read every alias of the kind.
const selectRelated = `
  select entity_id as id from aliases where (kind, type, value) in (values [items]) and entity_id is not null
  union select entity_id as id from former_aliases where (kind, type, value) in (values [items]) and type = 'slug'
  union select id from entities where kind = ? and key = ?`
const insertNew = `
  insert into entities (kind, key, derived, created_at, used_at, provider, fetched_at, thin, name, words)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (kind, key) do nothing returning id`

// `used_at` only grows and `created_at` only shrinks, because answers may arrive out of order.
const noteSave = `
  update entities set
    used_at = case when coalesce(used_at, 0) < cast(? as bigint) then cast(? as bigint) else used_at end,
    created_at = case when created_at > cast(? as bigint) then cast(? as bigint) else created_at end
  where id = ?`

// Another node may merge an entity that was just found; then the search is repeated.
const attempts = 5

/**
 * Finds the entity of an identity and merges entities that turn out to be the same, or creates it. `related`: the
 * result of `relatedIds`, if it was read since the names were locked.
 */
export async function resolveEntity(
  tx: Tx,
  dialect: Dialect,
  wanted: Wanted,
  related: readonly number[] | null = null,
): Promise<Entity> {
  const newcomer = newcomerOf(wanted)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const ids = (attempt === 0 ? related : null) ?? (await relatedIds(tx, dialect, wanted))
    if (ids.length === 0) {
      const made = await insertEntity(tx, dialect, wanted)
      if (made) return made
      continue
    }
    const kin = await lockKin(tx, dialect, ids, newcomer)
    if (kin.length === ids.length) return settleEntity(tx, dialect, wanted, kin, chooseEntity(newcomer, kin))
  }
  throw new Error('an entity kept changing while it was looked up')
}

/** Whether the store already has the entity of an identity. It changes nothing. */
export async function isKnownEntity(
  tx: Tx,
  dialect: Dialect,
  wanted: Omit<Wanted, 'fetchedAt' | 'at'>,
): Promise<boolean> {
  const newcomer = newcomerOf(wanted)
  const ids = await relatedIds(tx, dialect, wanted)
  if (ids.length === 0) return false
  return chooseEntity(newcomer, await lockKin(tx, dialect, ids, newcomer)).survivor !== null
}

/** The name is read lazily: for most records the aliases decide. */
function newcomerOf({ identity, aliases, record }: Pick<Wanted, 'identity' | 'aliases' | 'record'>): NamedNewcomer {
  let names: RecordName[] | null = null
  return {
    key: identity.key,
    derived: identity.derived,
    aliases,
    get names() {
      return (names ??= [nameIn(recordIn(record.body)) ?? []].flat())
    },
    foldedName: record.texts.name,
  }
}

/** The entities that hold or held a name of an identity. */
export async function relatedIds(
  tx: Tx,
  dialect: Dialect,
  { kind, identity, aliases }: Pick<Wanted, 'kind' | 'identity' | 'aliases'>,
): Promise<number[]> {
  const text = { text: selectRelated, item: '(?, ?, ?)', count: aliases.length }
  const names = aliases.flatMap(({ type, value }) => [kind, type, value])
  const rows = await runPrepared<{ id: number }>(tx, dialect, text, [...names, ...names, kind, identity.key])
  return rows.map(({ id }) => id)
}

async function settleEntity(
  tx: Tx,
  dialect: Dialect,
  wanted: Wanted,
  kin: LockedKin[],
  { survivor: id, absorbed }: Choice,
): Promise<Entity> {
  const { kind, identity, aliases, fetchedAt, at } = wanted
  const survivor = kin.find((one) => one.id === id)
  const others = kin.filter((one) => one !== survivor && !absorbed.includes(one.id))
  const names = aliases.filter((alias) => !isDerivedKey(alias) || !others.some((one) => holds(one, alias)))
  if (!survivor) return { ...(await insertStranger(tx, dialect, { ...wanted, aliases: names })), contested: true }
  const merged = kin.filter((one) => absorbed.includes(one.id))
  const sides: MergedSide[] = []
  if (merged.length > 0) for (const one of [survivor, ...merged]) sides.push(await sideOf(tx, one.id))
  for (const { id: from, key } of merged) await mergeEntities(tx, { kind, from, key, into: survivor.id, at })
  const key = kind === 'companies' ? numberOf(identity, [survivor, ...merged]) : survivor.key
  const rekeyed = key !== survivor.key || merged.length > 0
  if (key !== survivor.key)
    await tx.updateTable('entities').set({ key, derived: 0 }).where('id', '=', survivor.id).execute()
  await sendPrepared(tx, dialect, noteSave, [at, at, fetchedAt, fetchedAt, survivor.id])
  return {
    id: survivor.id,
    key,
    versionId: rekeyed ? await currentVersion(tx, survivor.id) : survivor.versionId,
    isNew: false,
    absorbed,
    sides,
    rekeyed,
    contested: kin.length > 1,
    names,
  }
}

/** Far more strangers with one name on one slug than ever occur. */
const keysAtMost = 100

/**
 * Creates an entity some of whose names others hold or held. A derived key belongs to the first holder of a slug: a
 * stranger who takes over the slug gets a key derived from the slug and the name.
 */
export async function insertStranger(tx: Tx, dialect: Dialect, wanted: Wanted): Promise<Entity> {
  const { kind, identity, record } = wanted
  for (let number = 0; number < keysAtMost; number++) {
    const key = number === 0 ? identity.key : strangerKey(kind, identity.key, `${record.texts.name ?? ''} ${number}`)
    const alias = keyAlias(kind, key)
    // The key may have been merged into the entity of someone else.
    if (identity.derived && (await holderOf(tx, kind, alias)) !== null) continue
    const aliases = wanted.aliases.filter(({ type, value }) => type !== alias.type || value !== key)
    const isOwn = aliases.length < wanted.aliases.length
    const named = { ...wanted, identity: { ...identity, key }, aliases: isOwn ? wanted.aliases : [...aliases, alias] }
    const made = await insertEntity(tx, dialect, named)
    if (made) return made
    if (!identity.derived) break
  }
  throw new Error('an entity appeared while its names were locked')
}

function strangerKey(kind: Kind, first: string, name: string): string {
  const digest = hash('sha256', `${first} ${name}`).slice(0, 16)
  return kind === 'people' ? `urn:vitae:person:${digest}` : `vitae-${digest}`
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
  const [row] = await runPrepared<{ id: number }>(tx, dialect, insertNew, values)
  if (!row) return null
  const { key } = identity
  return {
    id: row.id,
    key,
    versionId: null,
    isNew: true,
    absorbed: [],
    sides: [],
    rekeyed: false,
    contested: false,
    names: aliases,
  }
}
