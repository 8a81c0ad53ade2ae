import { hash } from 'node:crypto'
import type { Alias } from '../identifier.ts'
import { ProviderFault } from '../provider-fault.ts'
import type { Identity } from '../provider.ts'
import { foldSlug } from './platform-url.ts'

interface Known {
  slug?: string | null
  /** The id that only this provider knows the entity by. */
  vendor?: { provider: string; id: string | null } | null
  /** What to derive a key from when the payload holds no id at all: the payload itself, since namesakes are not one person. */
  fallback?: string | null
}

/** Who a person's payload is about. Only the platform's member number makes a key that is not derived. */
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

/** The `entity_urn` of a person: made of the opaque id where one is known, otherwise derived from the key. */
export function entityUrn({ key, aliases }: Identity): string {
  const opaqueId = aliases.find(({ type }) => type === 'opaque')?.value
  return opaqueId ? `urn:li:fsd_profile:${opaqueId}` : `urn:vitae:profile:${key.split(':').at(-1)}`
}

/** Which company a payload is about. Only the platform's company number makes a key that is not derived. */
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

/** A derived key is no alias: it stands for the strongest alias there is, which is listed itself and joins the entity later. */
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
