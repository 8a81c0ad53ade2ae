import type { Company, Kind, Person } from '@vitae/contract'
import { opaqueIdsIn } from '../../foundation/identifier.ts'
import { ProviderFault } from '../chain/provider-fault.ts'
import { withDerivedIds } from '../mapping/company-ids.ts'
import { companyIdentity, personIdentity } from '../mapping/identity.ts'
import { memberNumberOf } from '../mapping/opaque-id.ts'
import { foldSlug } from '../mapping/platform-url.ts'
import type { Identity, Projection } from '../provider.ts'
import { compileReader, WrongType } from './record-reader.ts'
import { recordShapes } from './schema-shape.ts'

const readers = { people: compileReader(recordShapes.people), companies: compileReader(recordShapes.companies) }
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A payload in the contract's own shape as our record. Missing keys are filled, unknown ones dropped, the order is ours. */
export function projectContract(provider: string, kind: Kind, payload: Uint8Array): Projection {
  const value = parse(provider, payload)
  if (kind === 'people') {
    const record = read(provider, kind, value) as Person
    const identity = storable(provider, identifyPerson(record, payload))
    return {
      record: withDerivedIds({ ...record, member_urn: identity.key }, identity),
      identity,
      sourceUpdatedAt: null,
    }
  }
  const record = read(provider, kind, value) as Company
  const identity = storable(provider, identifyCompany(record, payload))
  return { record: { ...record, company_id: identity.key }, identity, sourceUpdatedAt: null }
}

/** A key with a NUL cannot be kept by PostgreSQL, and no key of the platform has one. */
function storable(provider: string, identity: Identity): Identity {
  if (identity.key.includes('\0')) throw new ProviderFault('invalid', `${provider} sent a record with an unusable key`)
  return identity
}

/** The parser's own error quotes the payload, so it goes no further. */
function parse(provider: string, payload: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(payload))
  } catch {
    throw new ProviderFault('invalid', `${provider} sent something that is not JSON`)
  }
}

function read(provider: string, kind: Kind, value: unknown): unknown {
  try {
    return readers[kind](value)
  } catch (error) {
    if (!(error instanceof WrongType)) throw error
    throw new ProviderFault('invalid', `${provider} sent a record in which ${error.message}`)
  }
}

/** The key is taken as it stands; a mirror's derived key stays derived, and its other names let it join the real entity. */
function identifyPerson(record: Person, payload: Uint8Array): Identity {
  const { member_urn: urn, public_identifier: slug } = record
  const derived = urn.startsWith('urn:vitae:person:')
  const opaqueId = opaqueIdsIn(record.entity_urn ?? '')[0] ?? null
  const memberNumber =
    /^urn:li:member:(\d+)$/.exec(urn)?.[1] ?? (derived || urn === '' ? memberNumberOf(opaqueId) : null)
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
