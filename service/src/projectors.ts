export { findProjector, projectPayload } from './upstream/projectors.ts'
export { providerNames } from './upstream/registry.ts'
