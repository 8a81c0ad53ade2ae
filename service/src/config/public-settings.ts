import type { Config } from './config.ts'
import { withoutPassword } from './setting-values.ts'

const secrets = new Set(['adminToken', 'secretKey', 'key', 'clientSecret'])

/** The configuration as operators may see it: names as in JSON, secrets only as "set", no passwords in addresses. */
export function publicSettings(config: Config): Record<string, unknown> {
  const values = Object.entries(config).filter(([name]) => name !== 'origin')
  return Object.fromEntries(values.map(([name, value]) => [snakeCase(name), shown(name, value)]))
}

function shown(name: string, value: unknown): unknown {
  if (secrets.has(name)) return value === null ? null : '(set)'
  if (typeof value === 'string') return withoutPassword(value)
  if (Array.isArray(value)) return value.map((item) => shown('', item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([inner, item]) => [snakeCase(inner), shown(inner, item)]))
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
