import type { Generated } from 'kysely'

export interface EntityRow {
  id: Generated<number>
  kind: 'people' | 'companies'
  /** `member_urn` or `company_id`. */
  key: string
  derived: number
  version_id: number | null
  /** The fold of the served version; 0 = nothing is filled, null = not known yet. See `records/filling`. */
  fold_id: Generated<number | null>
  /** Facts of the version that is served, for the sorted list of records. */
  provider: string | null
  fetched_at: Generated<number>
  thin: Generated<number>
  /** Name in folded case, for the operator's search. */
  name: string | null
  /** The words of `entity_words`, with a space between them. */
  words: string | null
  created_at: number
  used_at: number | null
}

/** Leads the operator's search from a word to the records that have it. */
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
  /** The stored copy may not be served under this alias until a fetch brings it back. */
  withdrawn: number
  not_found_at: number | null
  seen_at: number
  /** When providers that are not the whole chain said that they know no such record: JSON, by their names. */
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

/** Where an absorbed entity went. Calls keep the id they were written with; it leads here to the survivor. */
export interface MergedEntityRow {
  id: number
  /** 0 where the record was erased, for a day: calls that read it may still end. */
  into_id: number
  kind: 'people' | 'companies' | null
  /** The key it had; null where that was not noted yet. */
  key: string | null
  at: number | null
  /** Whether the environments that were served either have been notified. */
  notified: Generated<number>
}

/** An environment that was given a record, and the key under which it was. A merge moves it to the survivor; a purge leaves it. */
export interface RecipientRow {
  entity_id: number
  account_id: number
  kind: 'people' | 'companies'
  /** Empty where the record was gone before its key could be noted. */
  key: string
}

/** Two entities that an operator has split. Nothing joins them again. */
export interface RecordSplitRow {
  /** The one that kept the key. */
  entity_id: number
  apart_id: number
  kind: 'people' | 'companies'
  at: number
  /** Whether the environments that were served the record have been notified. */
  notified: Generated<number>
}

/** What leads from an e-mail address, a phone number or a whole question to an entity: keyed hashes. */
export interface ContactIndexRow {
  kind: 'people' | 'companies'
  /** `email`, `phone` or `match`. */
  type: string
  value: string
  entity_id: number
  /** `contact`: from the record's own details. `match`: a match led there. */
  origin: string
  likelihood: number
  /** What agreed, comma-separated. */
  matched_on: string
  at: number
}

/** The page that stood beside a derived `company_id` in a person's record: by it the company can be asked for. */
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
  /** The units that the payload did not say, comma-separated; null for none, and in versions that were saved before. */
  unsaid: Generated<string | null>
  /** What it says of each unit, see `records/filling/unit-states.ts`; null on versions from before. */
  units: Generated<string | null>
}

/** Which versions fill which units of a base. */
export interface FoldRow {
  id: Generated<number>
  /** The base. */
  version_id: number
  /** JSON: `[unit, version, provider, fetched at]` of each filled unit. */
  units: string
}

/** What a fetch brought may mention those whose names have these prints: `records/mentions`. */
export interface MentionsRow {
  fetch_id: number
  prints: Uint8Array
}

/** A name that leads to a suppressed subject, asked for without an answer. */
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
  /** The same for all names of one subject: the hash of one of them. Null where no other name is known. */
  subject: string | null
}
