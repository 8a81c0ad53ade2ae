import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { asProvider, readProviderModule, type ProviderModule } from '@vitae/provider'
import { compileProviderFile } from '@vitae/provider/files'
import { useProviderModules } from '../providers/registry.ts'
import { fileEnding } from '../providers/shipped-files.ts'
import { checkConfig, fileSetting, moduleSetting } from './config.ts'
import { ConfigError, type Environment } from './setting-values.ts'

/**
 * Loads the providers that VITAE_PROVIDER_MODULES and VITAE_PROVIDER_FILES name. Await it before `readConfig`, because
 * the names of their settings depend on them.
 */
export async function loadProviderModules(env: Environment = process.env): Promise<void> {
  useProviderModules([])
  const specifiers = [
    ...partsOf(env, moduleSetting).map((name) => ({ setting: moduleSetting, name })),
    ...partsOf(env, fileSetting).flatMap((name) => filesAt(name).map((file) => ({ setting: fileSetting, name: file }))),
  ]
  if (specifiers.length === 0) return
  const known = checkConfig({}).origin.variables.map(({ name }) => name)
  const modules: ProviderModule[] = []
  for (const { setting, name } of specifiers) {
    const module = await loadProviderModule(name).catch((error: unknown) => {
      throw new ConfigError([
        `${setting} names ${name}: ${error instanceof Error ? error.message : 'it cannot be used'}`,
      ])
    })
    if (isTaken(module.name, modules, known))
      throw new ConfigError([`${setting} names ${name}, whose provider is called ${module.name}: that name is taken`])
    modules.push(module)
  }
  useProviderModules(modules)
}

function partsOf(env: Environment, setting: string): string[] {
  return (env[setting] ?? '').split(',').flatMap((part) => part.trim() || [])
}

/** The provider files of a path or a folder. */
function filesAt(path: string): string[] {
  const wrong = (what: string) => new ConfigError([`${fileSetting} names ${path}: ${what}`])
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === undefined) throw wrong('it does not exist')
  if (!isFolder && !path.endsWith(fileEnding)) throw wrong(`a provider file is called NAME${fileEnding}`)
  const names = isFolder ? readdirSync(path).filter((name) => name.endsWith(fileEnding)) : []
  if (isFolder && names.length === 0) throw wrong(`no NAME${fileEnding} is in it`)
  return isFolder ? names.toSorted().map((name) => join(path, name)) : [path]
}

/** The provider of one module or file: a path from the working directory, or an installed package. */
export async function loadProviderModule(specifier: string): Promise<ProviderModule> {
  if (specifier.endsWith(fileEnding)) return compileProviderFile(specifier, readFileSync(specifier, 'utf8'))
  // Unhandled failures while it loads are attributed to it, as later.
  const load = async () => readProviderModule(await importFrom(process.cwd(), specifier))
  const read = await asProvider(specifier, load)
  if ('faults' in read) throw new Error(`it is not a provider: ${read.faults.join('; ')}`)
  return read.module
}

async function importFrom(folder: string, specifier: string): Promise<unknown> {
  try {
    const isPath = /^(\.{0,2}\/|[A-Za-z]:\\)/.test(specifier)
    const path = isPath ? resolve(folder, specifier) : createRequire(join(folder, 'package.json')).resolve(specifier)
    return (await import(pathToFileURL(path).href)) as unknown
  } catch (error) {
    // The first line has the reason; the rest is a stack of required modules.
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new Error(`it cannot be loaded: ${reason}`, { cause: error })
  }
}

/** Names that have another meaning in the store or the chain. */
const reserved = ['import', 'member', 'slug', 'id', 'opaque', 'urn', 'domain']

/** A name is also taken if its settings would be settings of the service: UPSTREAM_TIMEOUT_MS, SECRET_KEY. */
function isTaken(name: string, modules: readonly ProviderModule[], known: readonly string[]): boolean {
  const prefix = `VITAE_${name.toUpperCase()}_`
  const settings = [...known, 'VITAE_API_KEY', 'VITAE_TEST_']
  return (
    reserved.includes(name) ||
    modules.some((other) => other.name === name) ||
    settings.some((setting) => setting.startsWith(prefix))
  )
}
