import type { Config } from './config.ts'

const secrets = new Set(['adminToken', 'secretKey', 'key', 'clientSecret'])

/** The configuration as operators may see it: names as in JSON, secrets only as "set", no passwords in addresses. */
export function publicSettings(config: Config): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [snakeCase(name), shown(name, value)]))
}

function shown(name: string, value: unknown): unknown {
  if (secrets.has(name)) return value === null ? null : '(set)'
  if (typeof value === 'string') return withoutPassword(value)
  if (Array.isArray(value)) return value.map((item) => shown('', item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([inner, item]) => [snakeCase(inner), shown(inner, item)]))
}

/** Credentials may stand before the host, and in the query of a database address. */
function withoutPassword(text: string): string {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || !URL.canParse(text)) return text
  const url = new URL(text)
  if (url.username === '' && url.password === '' && url.search === '') return text
  if (url.password !== '') url.password = '***'
  for (const name of url.searchParams.keys()) url.searchParams.set(name, '***')
  return url.href
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
