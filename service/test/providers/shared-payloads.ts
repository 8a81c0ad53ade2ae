import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../../../shared/payloads')

/** The real payloads of a provider by file name. They stay outside the repository; without them it prints a warning. */
export function sharedPayloads(provider: string): Map<string, Uint8Array> {
  const path = join(folder, provider)
  if (!existsSync(path)) {
    console.warn(`NOT RUN: there is no folder of real ${provider} payloads beside this checkout`)
    return new Map()
  }
  const files = readdirSync(path).filter((file) => /^(person|company)-\d+\.json$/.test(file))
  return new Map(files.map((file) => [file.replace('.json', ''), readFileSync(join(path, file))]))
}

/** The kind of record that a payload's file name indicates. */
export function kindOf(file: string): 'people' | 'companies' {
  return file.startsWith('person') ? 'people' : 'companies'
}

/** A hash of hand-checked values, so that a test can check them without a real person's data in the repository. */
export function fingerprint(values: (string | null | undefined)[]): string {
  return hash('sha256', values.map((value) => value ?? '-').join(' ')).slice(0, 12)
}
