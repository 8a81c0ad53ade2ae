import type { Kind } from '@vitae/contract'
import { projectContract } from './contract-projection.ts'
import { everyField } from './every-field.ts'
import { gated, type Projection, type Provider, ProviderFault } from '@vitae/provider'
import { ownImport } from '../../foundation/environments/route.ts'
import { findRegistration, providerNames } from '../registry.ts'

/** The pure part of a provider: from a raw payload to our record. Needs no key and no network. */
export type Projector = Pick<Provider, 'name' | 'supplies' | 'projectionVersion' | 'project'>

// They all give the contract's own shape.
const ownShape = ['directory', 'mirror', ownImport]

/** The projector of a provider, configured or not; null for a name that is none. */
export function findProjector(name: string): Projector | null {
  if (ownShape.includes(name)) {
    return {
      name,
      supplies: everyField,
      projectionVersion: 4,
      project: (kind, payload) => projectContract(name, kind, payload),
    }
  }
  const vendor = findRegistration(name)
  return vendor && gated(vendor.create({ url: vendor.defaultUrl, key: '' }))
}

/** Everything that can be asked for by name. */
export function projectorNames(): string[] {
  return [...ownShape, ...providerNames()]
}

/** A payload as our record, or the reason why it is none, in words for the operator. */
export function projectPayload(
  projector: Projector,
  kind: Kind,
  payload: Uint8Array,
): { projection: Projection } | { reason: string } {
  try {
    return { projection: projector.project(kind, payload) }
  } catch (error) {
    // The words of a mapping's own accident may quote the payload, so they go no further.
    return { reason: error instanceof ProviderFault ? error.message : 'it cannot be mapped' }
  }
}
