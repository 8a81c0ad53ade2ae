import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Provider files that are part of Vitae. */
const folder = join(import.meta.dirname, '../../providers')
export const fileEnding = '.provider.yaml'

let names: readonly string[] | null = null

/** The names of the providers that Vitae includes as files. */
export function shippedNames(): readonly string[] {
  names ??= readdirSync(folder).flatMap((file) => (file.endsWith(fileEnding) ? file.slice(0, -fileEnding.length) : []))
  return names
}

/** The path of such a provider's file. */
export function shippedPath(name: string): string {
  return join(folder, name + fileEnding)
}
