import { hash } from 'node:crypto'
import type { Alias } from '../identifier.ts'
import { ProviderFault } from '../provider-fault.ts'
import type { Identity } from '../provider.ts'
import { foldSlug } from './platform-url.ts'

interface Known {
  slug?: string | null
  /** The vendor's own id of the entity. */
  vendor?: { provider: string; id: string | null } | null
  /** Source of the derived key if the payload has no id: the payload itself, because two people may share a name. */
  fallback?: string | null
}

/** The identity of a person in a payload. Only the platform's member number makes a key that is not derived. */
export function personIdentity(known: Known & { memberNumber?: string | null; opaqueId?: string | null }): Identity {
  const number = wholeNumber(known.memberNumber)
  const aliases = [
    alias('urn', number && `urn:li:member:${number}`),
    alias('member', number),
    alias('opaque', known.opaqueId),
    alias('slug', known.slug && foldSlug(known.slug)),
    alias(known.vendor?.provider ?? '', known.vendor?.id),
  ].flat()
  if (number) return { key: `urn:li:member:${number}`, derived: false, aliases }
  return { key: `urn:vitae:person:${digest(aliases, known.fallback)}`, derived: true, aliases }
}

/** The `entity_urn` of a person: built from the opaque id if one is known, otherwise derived from the key. */
export function entityUrn({ key, aliases }: Identity): string {
  const opaqueId = aliases.find(({ type }) => type === 'opaque')?.value
  return opaqueId ? `urn:li:fsd_profile:${opaqueId}` : `urn:vitae:profile:${key.split(':').at(-1)}`
}

/** The identity of a company in a payload. Only the platform's company number makes a key that is not derived. */
export function companyIdentity(known: Known & { companyNumber?: string | null }): Identity {
  const number = wholeNumber(known.companyNumber)
  const aliases = [
    alias('id', number),
    alias('slug', known.slug && foldSlug(known.slug)),
    alias(known.vendor?.provider ?? '', known.vendor?.id),
  ].flat()
  if (number) return { key: number, derived: false, aliases }
  return { key: `vitae-${digest(aliases, known.fallback)}`, derived: true, aliases }
}

/** A derived key is not an alias. It is a digest of the strongest alias, and that alias later joins the entity. */
function digest([strongest]: Alias[], fallback: string | null | undefined): string {
  const source = strongest ?? (fallback ? { type: 'payload', value: fallback } : null)
  if (!source) throw new ProviderFault('invalid', 'the payload names nobody')
  return hash('sha256', `${source.type}:${source.value}`).slice(0, 16)
}

function alias(type: string, value: string | null | undefined): Alias[] {
  return type && value ? [{ type, value }] : []
}

function wholeNumber(value: string | null | undefined): string | null {
  return /^(?=\d{1,19}$)0*([1-9]\d*)$/.exec(value ?? '')?.[1] ?? null
}
