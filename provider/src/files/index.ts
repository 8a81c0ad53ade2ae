export { compileProviderFile, type FileModule, unusedPaths } from './compile-file.ts'
export { functions } from './functions.ts'
export { FileFault } from './read-yaml.ts'
export { ProviderFileSchema } from './schema.ts'
