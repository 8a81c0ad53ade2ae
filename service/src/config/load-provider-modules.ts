import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { asProvider, readProviderModule, type ProviderModule } from '@vitae/provider'
import { useProviderModules } from '../providers/registry.ts'
import { checkConfig, moduleSetting } from './config.ts'
import { ConfigError, type Environment } from './setting-values.ts'

/** Loads the providers that VITAE_PROVIDER_MODULES names. To be awaited before `readConfig`: their settings have their names. */
export async function loadProviderModules(env: Environment = process.env): Promise<void> {
  const specifiers = (env[moduleSetting] ?? '').split(',').flatMap((part) => part.trim() || [])
  useProviderModules([])
  if (specifiers.length === 0) return
  const known = checkConfig({}).origin.variables.map(({ name }) => name)
  const modules: ProviderModule[] = []
  for (const specifier of specifiers) {
    const module = await loadProviderModule(specifier).catch((error: unknown) => {
      throw new ConfigError([
        `${moduleSetting} names ${specifier}: ${error instanceof Error ? error.message : 'it cannot be used'}`,
      ])
    })
    if (isTaken(module.name, modules, known))
      throw new ConfigError([
        `${moduleSetting} names ${specifier}, whose provider is called ${module.name}: that name is taken`,
      ])
    modules.push(module)
  }
  useProviderModules(modules)
}

/** The provider of one module: a path from the working directory, or a package that is installed there. */
export async function loadProviderModule(specifier: string): Promise<ProviderModule> {
  // What it leaves behind while it loads is its own, as later.
  const load = async () => readProviderModule(await importFrom(process.cwd(), specifier))
  const read = await asProvider(specifier, load)
  if ('faults' in read) throw new Error(`it is no provider: ${read.faults.join('; ')}`)
  return read.module
}

async function importFrom(folder: string, specifier: string): Promise<unknown> {
  try {
    const isPath = /^(\.{0,2}\/|[A-Za-z]:\\)/.test(specifier)
    const path = isPath ? resolve(folder, specifier) : createRequire(join(folder, 'package.json')).resolve(specifier)
    return (await import(pathToFileURL(path).href)) as unknown
  } catch (error) {
    // The first line says it; the rest is a stack of required modules.
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new Error(`it cannot be loaded: ${reason}`, { cause: error })
  }
}

/** Names that the store or the chain gives a meaning of its own. */
const reserved = ['import', 'member', 'slug', 'id', 'opaque', 'urn', 'domain']

/** A name is also taken where its settings would be settings of the service: UPSTREAM_TIMEOUT_MS, SECRET_KEY. */
function isTaken(name: string, modules: readonly ProviderModule[], known: readonly string[]): boolean {
  const prefix = `VITAE_${name.toUpperCase()}_`
  const settings = [...known, 'VITAE_API_KEY', 'VITAE_TEST_']
  return (
    reserved.includes(name) ||
    modules.some((other) => other.name === name) ||
    settings.some((setting) => setting.startsWith(prefix))
  )
}
