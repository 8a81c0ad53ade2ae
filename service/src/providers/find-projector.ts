import type { Kind } from '@vitae/contract'
import { projectContract } from './contract-shape/contract-projection.ts'
import { everyField } from './contract-shape/every-field.ts'
import { gated, type Projection, type Provider, ProviderFault } from '@vitae/provider'
import { ownImport } from '../foundation/environments/route.ts'
import { findRegistration, providerNames } from './registry.ts'

/** The pure part of a provider: from a raw payload to our record. It needs no key and no network. */
export type Projector = Pick<Provider, 'name' | 'supplies' | 'projectionVersion' | 'project'>

// These sources use the contract's own shape.
const ownShape = ['directory', 'mirror', ownImport]

/** The projector of a provider, configured or not; null for an unknown name. */
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

/** The names of all projectors. */
export function projectorNames(): string[] {
  return [...ownShape, ...providerNames()]
}

/** Maps a payload to our record, or returns the reason why it cannot be mapped, in words for the operator. */
export function projectPayload(
  projector: Projector,
  kind: Kind,
  payload: Uint8Array,
): { projection: Projection } | { reason: string } {
  try {
    return { projection: projector.project(kind, payload) }
  } catch (error) {
    // The message of a mapping's own error may quote the payload, so it is not passed on.
    return { reason: error instanceof ProviderFault ? error.message : 'it cannot be mapped' }
  }
}
