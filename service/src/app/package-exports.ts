/** The exports of the package under `./errors` and `./projectors`. */
export { StartError } from '../foundation/data-folder.ts'
export { ConfigError } from '../config/setting-values.ts'
export { findProjector, projectPayload } from '../providers/find-projector.ts'
export { providerNames } from '../providers/registry.ts'
