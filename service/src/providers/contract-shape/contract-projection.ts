import type { Company, Kind, Person } from '@vitae/contract'
import { opaqueIdsIn } from '../../foundation/identifier.ts'
import {
  companyIdentity,
  foldSlug,
  type Identity,
  memberNumberOf,
  parseObject,
  personIdentity,
  type Projection,
  withDerivedIds,
} from '@vitae/provider'
import { normaliseCompany, normalisePerson } from './normalise-record.ts'
import { compileReader } from './record-reader.ts'
import { recordShapes } from './schema-shape.ts'

const readers = { people: compileReader(recordShapes.people), companies: compileReader(recordShapes.companies) }

/**
 * A payload in the contract's own shape as our record, under the rules that every mapped record obeys. Missing keys are
 * filled, unknown ones dropped, the order is ours; a field that cannot be read is unknown and named in `unread`.
 */
export function projectContract(provider: string, kind: Kind, payload: Uint8Array): Projection {
  const value = parseObject(provider, payload)
  const unread = new Set<string>()
  const note = (path: string) => void unread.add(path)
  if (kind === 'people') {
    const record = normalisePerson(readers.people(value, note) as Person, note)
    const identity = identifyPerson(record, payload)
    const named = withDerivedIds({ ...record, member_urn: identity.key }, identity)
    return { record: named, identity, sourceUpdatedAt: null, unread: [...unread] }
  }
  const record = normaliseCompany(readers.companies(value, note) as Company, note)
  const identity = identifyCompany(record, payload)
  return { record: { ...record, company_id: identity.key }, identity, sourceUpdatedAt: null, unread: [...unread] }
}

/** The key is taken as it stands; a mirror's derived key stays derived, and its other names let it join the real entity. */
function identifyPerson(record: Person, payload: Uint8Array): Identity {
  const { member_urn: urn, public_identifier: slug } = record
  const derived = urn.startsWith('urn:vitae:person:')
  const opaqueId = opaqueIdsIn(record.entity_urn ?? '')[0] ?? null
  const memberNumber =
    /^(?:urn:li:member:)?(\d+)$/.exec(urn)?.[1] ?? (derived || urn === '' ? memberNumberOf(opaqueId) : null)
  if (urn === '' || memberNumber) {
    return personIdentity({
      memberNumber,
      opaqueId,
      slug,
      fallback: memberNumber || opaqueId || slug ? null : textOf(payload),
    })
  }
  return { key: urn, derived, aliases: aliases({ urn: derived ? null : urn, opaque: opaqueId, slug }) }
}

function identifyCompany(record: Company, payload: Uint8Array): Identity {
  const { company_id: id, public_identifier: slug } = record
  if (!id || /^\d+$/.test(id)) {
    return companyIdentity({ companyNumber: id, slug, fallback: slug ? null : textOf(payload) })
  }
  const derived = id.startsWith('vitae-')
  return { key: id, derived, aliases: aliases({ urn: derived ? null : id, slug }) }
}

function aliases(named: { urn: string | null; opaque?: string | null; slug: string | null }): Identity['aliases'] {
  const values = { urn: named.urn, opaque: named.opaque ?? null, slug: named.slug && foldSlug(named.slug) }
  return Object.entries(values).flatMap(([type, value]) => (value ? [{ type, value }] : []))
}

/** Namesakes are not one person: with no id at all, only the very same payload is the same entity. */
function textOf(payload: Uint8Array): string {
  return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('base64')
}
