import type { Company, Kind, Person } from '@vitae/contract'
import { serialiseRecord } from './record-bytes.ts'

/** A record in its stored form. */
export interface SerialisedRecord {
  body: Uint8Array
  parts: string | null
}

/** Parses the record of a body that `serialiseRecord` wrote. */
export function recordIn(body: Uint8Array): Person & Company {
  return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()) as Person & Company
}

/**
 * The record under its entity's key. A person keeps the key that was stored first; a platform URN in the record moves
 * to `entity_urn`.
 */
export function withKey(kind: Kind, record: Person & Company, key: string): Person & Company {
  if (kind === 'companies') return record.company_id === key ? record : { ...record, company_id: key }
  const { member_urn: own, entity_urn: urn } = record
  if (own === key) return record
  const derivedUrn = urn.startsWith(ownProfile) ? `${ownProfile}${key.split(':').at(-1)}` : urn
  return { ...record, member_urn: key, entity_urn: own.startsWith('urn:vitae:') ? derivedUrn : own }
}

const ownProfile = 'urn:vitae:profile:'

/** Serialises a record, with the offsets of its optional parts. */
export function serialised(kind: Kind, record: Person & Company): SerialisedRecord {
  const { body, parts } = serialiseRecord(kind, record)
  return { body, parts: JSON.stringify(parts) }
}
