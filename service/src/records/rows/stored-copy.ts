import type { Fill } from '../filling/plan-fills.ts'
import type { VersionRow } from '../../database/tables/records.ts'
import type { Kind } from '@vitae/contract'
import { unpack } from '../../database/packing/pack.ts'

/** One stored version of an entity, ready to be sent. */
export interface StoredCopy {
  entityId: number
  versionId: number
  /** `member_urn` or `company_id`. */
  key: string
  provider: string
  fetchId: number | null
  fetchedAt: number
  sourceUpdatedAt: number | null
  thin: boolean
  /** JSON of the full record, including filled units. */
  body: Uint8Array
  parts: string | null
  /** The fills from other versions and the record without them; unset if nothing is filled. */
  fold?: StoredFold
}

/** The units of a copy that come from other versions. */
export interface StoredFold {
  /** Null if it was made for one caller and is not stored yet. */
  id: number | null
  fills: Fill[]
  base: { body: Uint8Array; parts: string | null; thin: boolean }
}

/** The columns that every query of copies selects. */
export const copyColumns = [
  'versions.id as version_id',
  'versions.entity_id',
  'versions.fetch_id',
  'versions.provider',
  'versions.fetched_at',
  'versions.source_updated_at',
  'versions.thin',
  'versions.body',
  'versions.parts',
  'entities.key',
  'entities.kind',
] as const

export type CopyRow = Pick<
  VersionRow,
  'entity_id' | 'fetch_id' | 'provider' | 'fetched_at' | 'source_updated_at' | 'thin' | 'parts'
> & { version_id: number; key: string; kind: Kind; body: VersionRow['body'] | null }

const nothing = new Uint8Array()

/** Converts a row of `copyColumns`. Without its body, only the facts of the copy are known. */
export function toStoredCopy(row: CopyRow): StoredCopy {
  return {
    entityId: row.entity_id,
    versionId: row.version_id,
    key: row.key,
    provider: row.provider,
    fetchId: row.fetch_id,
    fetchedAt: row.fetched_at,
    sourceUpdatedAt: row.source_updated_at,
    thin: row.thin === 1,
    body: row.body ? unpack(row.body) : nothing,
    parts: row.parts,
  }
}
