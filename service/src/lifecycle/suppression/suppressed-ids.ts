import type { ErasureStore } from '../store/operations.ts'
import type { EntityStore, SuppressionStore } from '../../records/operations.ts'
import { addressRef } from '../store/erasure/plan-erasure.ts'
import type { Kind } from '@vitae/contract'
import type { Alias, Identifier } from '../../foundation/identifier.ts'
import type { Ref } from '../../records/identifiers/find-ref.ts'
import { suppressionHash } from '../../records/suppression/suppression-hash.ts'
import { findRegistration } from '../../providers/registry.ts'
import { parseRef } from '../../records/identifiers/parse-identifier.ts'

interface Deps {
  secret: string
  platformHosts: readonly string[]
  store: {
    entities: Pick<EntityStore, 'showEntity'>
    suppressions: Pick<SuppressionStore, 'isSuppressed'>
    erasure: Pick<ErasureStore, 'planErasure'>
  }
}

interface Named {
  kind: Kind
  id: string
  /** The feed that the id comes from: a provider's own ids are recognised in its feed. */
  origin?: string
}

/**
 * The hashes that suppress a subject: of the id itself and of all its other known names. Otherwise a subject suppressed
 * by number would come back under its slug.
 */
export async function hashesOf(deps: Deps, named: Named): Promise<string[]> {
  const { kind } = named
  const address = kind === 'people' ? addressRef(deps.secret, named.id) : null
  if (address) return hashesOfAddress(deps, address)
  const own = aliasesOf(deps, named)
  const others: Alias[] = []
  for (const alias of own) {
    // A provider's alias is found in the same way as a public one.
    const identifier = { kind, ...alias } as Identifier
    const entity = await deps.store.entities.showEntity({ kind, ref: { identifier } })
    others.push(...(entity?.aliases ?? []))
  }
  return [...new Set([...own, ...others].map((alias) => suppressionHash(deps.secret, kind, alias)))]
}

async function hashesOfAddress({ secret, store }: Deps, ref: Ref): Promise<string[]> {
  const { asked, entities } = await store.erasure.planErasure({ kind: 'people', ref })
  const aliases = [...asked, ...entities.flatMap((entity) => entity.aliases)]
  return [...new Set(aliases.map((alias) => suppressionHash(secret, 'people', alias)))]
}

/** The ids that are suppressed. */
export async function suppressedIds(deps: Deps, kind: Kind, ids: readonly string[]): Promise<string[]> {
  const suppressed: string[] = []
  for (const id of ids) {
    // A lookup is refused for every name that its record has.
    const hashes = await hashesOf(deps, { kind, id })
    if (await deps.store.suppressions.isSuppressed({ hashes })) suppressed.push(id)
  }
  return suppressed
}

/**
 * The possible meanings of an operator's text. A number in a provider's feed is that provider's, never the platform's.
 */
function aliasesOf({ platformHosts }: Pick<Deps, 'platformHosts'>, { kind, id, origin }: Named): Alias[] {
  const [, vendor, vendorId] = /^([a-z][a-z\d]*):(.+)$/.exec(id) ?? []
  if (vendor && vendorId && isProvider(vendor)) return [{ type: vendor, value: vendorId }]
  const isVendorId = origin !== undefined && isProvider(origin) && !/[/:]/.test(id)
  const own: Alias[] = isVendorId ? [{ type: origin, value: id }] : []
  if (isVendorId && /^\d+$/.test(id)) return own
  const { key, identifier } = parseRef(kind, id, platformHosts)
  if (identifier) return [...own, identifier]
  return [...own, { type: kind === 'people' ? 'urn' : 'id', value: key ?? id }]
}

function isProvider(name: string): boolean {
  return findRegistration(name) !== null
}
