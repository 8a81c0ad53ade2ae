import type { Connection, Tx } from '../../database/engine/dialect.ts'
import type { Kind } from '@vitae/contract'
import type { Alias, Identifier } from '../../foundation/identifier.ts'
import { claimAliases, holderOf, withdrawAlias } from '../rows/alias-rows.ts'
import type { SerialisedRecord } from '../body/rewrite-record.ts'
import { aliasesOf, type Identity } from '../identifiers/alias.ts'
import { writeContacts, type LearnedNames, type ContactName } from '../contact-index/contact-rows.ts'
import { writeMentions } from '../mentions/mention-rows.ts'
import { archiveFetch } from '../rows/archive.ts'
import { addVersion } from '../rows/add-version.ts'
import { bodyOfVersion } from '../versions/history.ts'
import { fitRecord } from './fit-record.ts'
import { together } from '../../database/sql/prepared.ts'
import { isKnownEntity, relatedIds, resolveEntity } from '../entities/resolve-entity.ts'
import { lockAliases, shareRecords } from '../rows/locks.ts'
import { addCompanyPages, type CompanyPage } from '../rows/company-pages.ts'
import type { SearchTexts } from '../rows/search-texts.ts'
import { notifyWatchers } from './notify-watchers.ts'
import type { DerivedKey } from '../suppression/suppression-hash.ts'
import { suppressedAmong } from '../suppression/suppressions.ts'
import { foldsOf, refoldEntity } from '../versions/fold-rows.ts'
import type { Fill } from '../filling/plan-fills.ts'
import { readVersion } from '../versions/read-record.ts'
import type { StoredCopy } from '../rows/stored-copy.ts'

/** A provider's record, projected and serialised. */
export interface FetchedRecord {
  provider: string
  projection: number
  payload: Uint8Array
  identity: Identity
  /** JSON of the full record. */
  body: Uint8Array
  parts: string | null
  thin: boolean
  sourceUpdatedAt: number | null
  /** The units that the payload did not say: `unsaidText`. */
  unsaid?: string | null
  /** For the operator's search. */
  texts: SearchTexts
  /** The pages of its derived company ids. */
  pages: CompanyPage[]
  /** Hashes of its contact details, and of the question of a match. */
  contacts?: ContactName[]
  learned?: LearnedNames | null
  /** Hashes of every alias, the durable key and the requested identifier. */
  suppressionHashes: string[]
  /** Those of them that may be keys of an earlier holder of the slug. */
  derivedKeys?: DerivedKey[]
  /** The state of each unit, see `unitStates`; computed when needed if it is not set. */
  units?: string | null
}

export interface SaveFetch extends FetchedRecord {
  identifier: Identifier
  at: number
  status: number
  cost: number | null
  durationMs: number
  requests?: number | undefined
  /** Paths that were removed from the payload. */
  removed?: string | null | undefined
  /** When the data was fetched, if that was before `at`: a copy from another service keeps its age. */
  fetchedAt?: number | undefined
  /** Set if it was fetched only to fill a record: a base of that record that is at most this old stays the base. */
  fills?: { entityId: number; withinMs: number } | undefined
}

export interface SavedRecord {
  suppressed: false
  entityId: number
  versionId: number
  fetchId: number
  /** False for a thin or overtaken answer: another version stays the served one. */
  served: boolean
  key: string
  /** Entities that were just merged into this one. */
  absorbed: number[]
  /** The record with changed keys; null if it is stored as sent, and need not be returned. */
  fitted: SerialisedRecord | null
  /** The base with its fills, if that differs from the record as sent. */
  folded: StoredCopy | null
}

export type SavedFetch = SavedRecord | { suppressed: true }

/** Saves a provider's answer: raw bytes, record and names. For a suppressed subject nothing is written. */
export async function saveFetch({ db: tx, dialect }: Connection, args: SaveFetch): Promise<SavedFetch> {
  const { identifier, ...record } = args
  const { kind } = identifier
  const aliases = aliasesOf(kind, args.identity, identifier)
  const [, listed, , related] = await together(
    dialect,
    () => shareRecords(tx, dialect),
    () => suppressedAmong(tx, dialect, args.suppressionHashes),
    () => lockAliases(tx, dialect, kind, aliases),
    () => relatedIds(tx, dialect, { kind, identity: args.identity, aliases }),
  )
  if (listed.size > 0 && !(await isSomeoneElse(tx, dialect, { kind, asked: identifier, record }, listed))) {
    await hideCopy(tx, dialect, args)
    return { suppressed: true }
  }
  const exchange = {
    outcome: 'found',
    status: args.status,
    cost: args.cost,
    durationMs: args.durationMs,
    requests: args.requests,
    removed: args.removed,
  }
  const { at, fetchedAt = at } = args
  const writing = { kind, asked: identifier, record, fetchedAt, at, exchange, listed, fills: args.fills }
  return writeRecord(tx, dialect, listed.size > 0 ? writing : { ...writing, related })
}

/**
 * Whether a record is about someone other than the suppressed subject although it carries a key of that subject. Such a
 * key is derived from a slug; the slug itself is not on the list, and the record belongs to a stored entity.
 */
export async function isSomeoneElse(
  tx: Tx,
  dialect: Connection['dialect'],
  { kind, asked, record }: Pick<Writing, 'kind' | 'asked' | 'record'>,
  listed: ReadonlySet<string>,
): Promise<boolean> {
  const { identity, suppressionHashes, derivedKeys = [] } = record
  const derived = derivedKeys.map(({ hash }) => hash)
  if (suppressionHashes.some((hash) => listed.has(hash) && !derived.includes(hash))) return false
  const aliases = withoutListed(aliasesOf(kind, identity, asked), record, listed)
  await lockAliases(tx, dialect, kind, aliases)
  return isKnownEntity(tx, dialect, { kind, identity, aliases, record })
}

function withoutListed(aliases: Alias[], { derivedKeys = [] }: FetchedRecord, listed: ReadonlySet<string>): Alias[] {
  const kept = derivedKeys.filter(({ hash }) => listed.has(hash)).map(({ alias }) => alias)
  return aliases.filter(({ type, value }) => !kept.some((alias) => alias.type === type && alias.value === value))
}

/** A copy may have been stored under the requested name before its owner was known. It must no longer be served. */
async function hideCopy(tx: Tx, dialect: Connection['dialect'], { identifier, at }: SaveFetch): Promise<void> {
  const { kind } = identifier
  await lockAliases(tx, dialect, kind, [identifier])
  if ((await holderOf(tx, kind, identifier)) !== null) await withdrawAlias(tx, { kind, alias: identifier, at })
}

interface Writing {
  kind: Kind
  asked: Alias
  record: FetchedRecord
  /** When the source returned the data: it decides which version is served and which entity holds a name. */
  fetchedAt: number
  /** The current time. */
  at: number
  exchange: {
    outcome: string
    status: number | null
    cost: number | null
    durationMs: number | null
    requests?: number | undefined
    removed?: string | null | undefined
  }
  /** Hashes of derived keys that belong to a suppressed subject. They must not point to this record. */
  listed?: ReadonlySet<string>
  /** The entities that hold or held its names, if they were read since these were locked. */
  related?: readonly number[]
  fills?: SaveFetch['fills']
}

const none: ReadonlySet<string> = new Set()

/** Writes one record that has been checked for suppression. */
export async function writeRecord(tx: Tx, dialect: Connection['dialect'], writing: Writing): Promise<SavedRecord> {
  const { kind, asked, record, fetchedAt, at, exchange, listed = none, fills } = writing
  const { provider, projection, identity, thin, sourceUpdatedAt, payload, unsaid = null, units = null } = record
  const aliases = withoutListed(aliasesOf(kind, identity, asked), record, listed)
  const { related = null } = writing
  if (!related) await lockAliases(tx, dialect, kind, aliases)

  const entity = await resolveEntity(tx, dialect, { kind, identity, aliases, fetchedAt, at, record }, related)
  // A provider that was asked to fill may have found somebody else.
  const isFill = fills !== undefined && [entity.id, ...entity.absorbed].includes(fills.entityId)
  const fillsWithinMs = isFill ? fills.withinMs : undefined
  const [fetchId] = await together(
    dialect,
    () => archiveFetch(tx, dialect, { kind, asked, provider, at, ...exchange, payload, entityId: entity.id }),
    () => claimAliases(tx, dialect, { kind, aliases: entity.names, entity, at: fetchedAt, now: at }),
    () => addCompanyPages(tx, record.pages),
  )
  const fits = entity.key === identity.key && (entity.isNew || kind === 'companies')
  const before = fits ? null : await bodyOfVersion(tx, entity.versionId)
  const fitted = fits ? null : await fitRecord(tx, record, { kind, key: entity.key, before })
  const { body, parts } = fitted ?? record
  await writeMentions(tx, dialect, fetchId, [payload, body])
  const version = { fetchId, provider, projection, fetchedAt, sourceUpdatedAt, thin, body, parts, unsaid, units }
  const { versionId, served } = await addVersion(tx, dialect, kind, entity, version, record.texts, {
    at,
    fillsWithinMs,
  })
  const { contacts = [], learned = null } = record
  const { id, isNew } = entity
  const baseId = served ? versionId : entity.versionId
  const fold = isNew || baseId === null ? null : await refoldEntity(tx, dialect, { kind, entityId: id, baseId })
  const shown = { served, versionId, beforeId: entity.versionId, fills: fold?.fills ?? [] }
  const names = await contactsInService(tx, contacts, shown)
  await writeContacts(tx, dialect, { kind, entityId: id, isNew, ...names, learned, at })
  if (served && entity.versionId !== null) {
    const source = exchange.outcome === 'imported' ? 'imported' : 'live'
    const saved = { kind, entityId: entity.id, key: entity.key, source, at, sides: entity.sides } as const
    await notifyWatchers(tx, dialect, { ...saved, after: { versionId, ...version } })
  }

  // A thin answer that does not replace the base is filled as well, for the calls that wait for it.
  const seenId = fillsWithinMs === undefined ? versionId : baseId
  const isAsSent = seenId === null || (seenId === versionId && (isNew || (served && !fold)))
  const folded = isAsSent ? null : await readVersion({ db: tx, dialect }, { versionId: seenId })
  const { key, absorbed } = entity
  return { suppressed: false, entityId: id, versionId, fetchId, served, key, absorbed, fitted, folded }
}

const contactUnits = [
  { type: 'email', unit: 'contact_info.email_address' },
  { type: 'phone', unit: 'contact_info.phone_numbers' },
] as const

interface SavedVersion {
  served: boolean
  versionId: number
  /** The previously served version. */
  beforeId: number | null
  fills: readonly Fill[]
}

/**
 * The contact details that find the entity from now on: those of the served version and its fills. Details from fills
 * are already in the index if they were shown before. Others are added when they are next fetched.
 */
async function contactsInService(
  tx: Tx,
  contacts: readonly ContactName[],
  { served, versionId, beforeId, fills }: SavedVersion,
): Promise<{ contacts: readonly ContactName[]; replaced: readonly ContactName['type'][] }> {
  const replaced: ContactName['type'][] = []
  for (const { type, unit } of contactUnits) {
    const source = fills.find((fill) => fill.unit === unit)?.versionId
    const isOwn = source === undefined ? served : source === versionId
    const isLost = served && source !== undefined && !(await wasShown(tx, beforeId, unit, source))
    if (isOwn || isLost) replaced.push(type)
  }
  return { contacts: contacts.filter(({ type }) => replaced.includes(type)), replaced }
}

/** Whether a version showed this unit of the other version. */
async function wasShown(tx: Tx, baseId: number | null, unit: string, sourceId: number): Promise<boolean> {
  if (baseId === null || baseId === sourceId) return baseId !== null
  const folds = await foldsOf(tx, baseId)
  return folds.flat().some((fill) => fill.unit === unit && fill.versionId === sourceId)
}
