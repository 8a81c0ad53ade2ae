export { StartError } from './foundation/data-folder.ts'
export { ConfigError } from './foundation/environment.ts'
