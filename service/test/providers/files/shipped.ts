import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kind } from '@vitae/contract'
import { gated } from '@vitae/provider'
import { compileProviderFile, type FileModule } from '@vitae/provider/files'
import { shippedNames, shippedPath } from '../../../src/providers/shipped-files.ts'

/** Our own answer in a vendor's format, and the expected record. */
interface Golden {
  payload: unknown
  record: unknown
}

interface Shipped {
  name: string
  kind: Kind
  payload: unknown
  record: unknown
}

const modules = new Map<string, FileModule>()

/** The compiled file of a provider that Vitae ships. */
export function shippedModule(name: string): FileModule {
  const module = modules.get(name) ?? compileProviderFile(shippedPath(name), readFileSync(shippedPath(name), 'utf8'))
  modules.set(name, module)
  return module
}

/** A provider that Vitae ships as a file, behind the gate. */
export function shippedProvider(name: string) {
  const { create, defaultUrl } = shippedModule(name)
  return gated(create({ url: defaultUrl, key: 'secret-key' }))
}

/** Our own answers for every shipped file, one per kind. */
export function goldenAnswers(): Shipped[] {
  return shippedNames().flatMap((name) => {
    const path = join(import.meta.dirname, 'golden', `${name}.json`)
    const file = JSON.parse(readFileSync(path, 'utf8')) as Partial<Record<Kind, Golden>>
    return (['people', 'companies'] as const).flatMap((kind) => {
      const golden = file[kind]
      return golden ? [{ name, kind, ...golden }] : []
    })
  })
}

export const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

/** The content of a record: without nulls, empty texts, lists and objects. */
export function known(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(known)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, inner]) => [name, known(inner)] as const)
  return Object.fromEntries(members.filter(([, inner]) => says(inner)))
}

function says(value: unknown): boolean {
  if (value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
