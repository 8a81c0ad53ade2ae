export { StartError } from '../foundation/data-folder.ts'
export { ConfigError } from '../config/environment.ts'
