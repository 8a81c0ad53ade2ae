export { findProjector, projectPayload } from '../providers/contract-shape/find-projector.ts'
export { providerNames } from '../providers/registry.ts'
