import type { Generated } from 'kysely'

export interface EntityRow {
  id: Generated<number>
  kind: 'people' | 'companies'
  /** `member_urn` or `company_id`. */
  key: string
  derived: number
  version_id: number | null
  /** The fold of the served version; 0 = nothing is filled, null = not planned yet. See `records/filling`. */
  fold_id: Generated<number | null>
  /** Facts of the served version, for the sorted list of records. */
  provider: string | null
  fetched_at: Generated<number>
  thin: Generated<number>
  /** The folded name, for the operator's search. */
  name: string | null
  /** The words of `entity_words`, separated by spaces. */
  words: string | null
  created_at: number
  used_at: number | null
}

/** Maps a word to the records that contain it, for the operator's search. */
export interface EntityWordRow {
  kind: 'people' | 'companies'
  word: string
  entity_id: number
}

export interface AliasRow {
  kind: 'people' | 'companies'
  type: string
  value: string
  entity_id: number | null
  /** The stored copy must not be served under this alias until a fetch brings it back. */
  withdrawn: number
  not_found_at: number | null
  seen_at: number
  /** When providers that are not the whole chain denied the record: JSON, by their names. */
  denials: Generated<string | null>
}

/** Written when an alias moves to another entity, so that an erasure finds everyone who ever held it. */
export interface FormerAliasRow {
  kind: 'people' | 'companies'
  type: string
  value: string
  entity_id: number
  until: number
}

/** The survivor of a merged entity. Calls keep their original entity id, which is resolved here. */
export interface MergedEntityRow {
  id: number
  /** 0 if the record was erased, for a day: calls that read it may still end. */
  into_id: number
  kind: 'people' | 'companies' | null
  /** Its former key; null if it was not recorded yet. */
  key: string | null
  at: number | null
  /** Whether the environments that were served either record have been notified. */
  notified: Generated<number>
}

/**
 * An environment that received a record, and the key under which it did. A merge moves it to the survivor; a purge
 * keeps it.
 */
export interface RecipientRow {
  entity_id: number
  account_id: number
  kind: 'people' | 'companies'
  /** Empty if the record was removed before its key could be recorded. */
  key: string
}

/** Two entities that an operator has split. Nothing merges them again. */
export interface RecordSplitRow {
  /** The one that kept the key. */
  entity_id: number
  apart_id: number
  kind: 'people' | 'companies'
  at: number
  /** Whether the environments that were served the record have been notified. */
  notified: Generated<number>
}

/** Maps an email address, a phone number or a whole question to an entity, by keyed hashes. */
export interface ContactIndexRow {
  kind: 'people' | 'companies'
  /** `email`, `phone` or `match`. */
  type: string
  value: string
  entity_id: number
  /** `contact`: from the record's own details. `match`: learned from a match. `former`: from an earlier version. */
  origin: string
  likelihood: number
  /** The input parts that agreed, comma-separated. */
  matched_on: string
  at: number
}

/** The page that was stored beside a derived `company_id` in a person's record: the company can be requested by it. */
export interface CompanyPageRow {
  company_id: string
  slug: string
}

export interface VersionRow {
  id: Generated<number>
  entity_id: number
  fetch_id: number | null
  provider: string
  projection: number
  fetched_at: number
  source_updated_at: number | null
  thin: number
  /** zstd of the JSON of the full record. */
  body: Uint8Array
  /** Offsets of the optional parts, JSON. */
  parts: string | null
  /** The units that the payload did not say, comma-separated; null for none, and in earlier versions. */
  unsaid: Generated<string | null>
  /** The state of each unit, see `records/filling/unit-states.ts`; null in earlier versions. */
  units: Generated<string | null>
  checksum: Generated<number | null>
}

/** The versions that fill units of a base. */
export interface FoldRow {
  id: Generated<number>
  /** The base. */
  version_id: number
  /** JSON: `[unit, version, provider, fetched at]` of each filled unit. */
  units: string
  checksum: Generated<number | null>
}

/**
 * The name prints of what a fetch returned: it may mention people whose names have these prints. See
 * `records/mentions`.
 */
export interface MentionsRow {
  fetch_id: number
  prints: Uint8Array
  checksum: Generated<number | null>
}

/** A name of a suppressed subject that was requested without an answer. */
export interface HiddenMissRow {
  /** Keyed hash, as on the suppression list. */
  hash: string
  at: number
}

export interface SuppressionRow {
  /** Keyed hash of kind, alias type and value. */
  hash: string
  kind: 'people' | 'companies'
  /** `erasure`, `operator` or the name of a feed. */
  origin: string
  reason: string | null
  created_at: number
  /** Equal for all names of one subject: the hash of one of them. Null if no other name is known. */
  subject: string | null
  /** The rewrite after which no file has bytes of the erased rows: 0 = none is needed, null = in progress. */
  rewrite_number: Generated<number | null>
}

/** A rewrite of the tables of PostgreSQL with deleted rows. */
export interface RewriteRow {
  number: number
  /** When the first of the rows was deleted. */
  since: number
  began_at: number | null
  ended_at: number | null
}
