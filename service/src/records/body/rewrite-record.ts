import type { Company, Kind, Person } from '@vitae/contract'
import { serialiseRecord } from './record-bytes.ts'

/** A record as it is stored. */
export interface SerialisedRecord {
  body: Uint8Array
  parts: string | null
}

/** The record in a body that `serialiseRecord` wrote. */
export function recordIn(body: Uint8Array): Person & Company {
  return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()) as Person & Company
}

/**
 * The record under the key of the entity that it turned out to belong to. A person keeps the key that was stored first:
 * the platform's URN, where the record brings it, goes into `entity_urn`.
 */
export function withKey(kind: Kind, record: Person & Company, key: string): Person & Company {
  if (kind === 'companies') return record.company_id === key ? record : { ...record, company_id: key }
  const { member_urn: own, entity_urn: urn } = record
  if (own === key) return record
  const derivedUrn = urn.startsWith(ownProfile) ? `${ownProfile}${key.split(':').at(-1)}` : urn
  return { ...record, member_urn: key, entity_urn: own.startsWith('urn:vitae:') ? derivedUrn : own }
}

const ownProfile = 'urn:vitae:profile:'

/** The bytes of a record, with the places of its optional parts. */
export function serialised(kind: Kind, record: Person & Company): SerialisedRecord {
  const { body, parts } = serialiseRecord(kind, record)
  return { body, parts: JSON.stringify(parts) }
}
