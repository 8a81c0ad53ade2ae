import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { withoutPassword } from './setting-values.ts'

/** In the checkout `.env.example` is at the root; a packed service has it beside the guides. */
const files = ['../../../.env.example', '../../guides/env.example'].map((path) => join(import.meta.dirname, path))

/**
 * The purpose of a setting from `.env.example`; null if absent. Settings that all providers have are described
 * once.
 */
export function explainSettings(): (name: string) => string | null {
  const file = files.find((path) => existsSync(path))
  const text = file ? readFileSync(file, 'utf8') : ''
  const notes = new Map<string, string>()
  for (const [, comment = '', name = ''] of text.matchAll(/((?:^# (?![\w<>]+=).*\n)+)^# ([A-Z][\w<>]+)=/gm))
    notes.set(name, comment.replaceAll(/^# /gm, '').trim().replaceAll('\n', ' '))
  return (name) => notes.get(name) ?? notes.get(name.replace(/^VITAE_[A-Z\d]+_/, 'VITAE_<PROVIDER>_')) ?? null
}

const secrets = new Set(['adminToken', 'secretKey', 'key', 'clientSecret'])

/** The configuration as operators may see it: names as in JSON, secrets only as "set", no passwords in URLs. */
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
