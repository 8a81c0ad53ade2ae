import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** In the checkout `.env.example` lies at the root; a packed service carries it beside the guides. */
const files = ['../../../.env.example', '../../guides/env.example'].map((path) => join(import.meta.dirname, path))

/** What a setting is for, as `.env.example` says it; null where it says nothing. What all providers have stands there once. */
export function explainSettings(): (name: string) => string | null {
  const file = files.find((path) => existsSync(path))
  const text = file ? readFileSync(file, 'utf8') : ''
  const notes = new Map<string, string>()
  for (const [, comment = '', name = ''] of text.matchAll(/((?:^# (?![\w<>]+=).*\n)+)^# ([A-Z][\w<>]+)=/gm))
    notes.set(name, comment.replaceAll(/^# /gm, '').trim().replaceAll('\n', ' '))
  return (name) => notes.get(name) ?? notes.get(name.replace(/^VITAE_[A-Z\d]+_/, 'VITAE_<PROVIDER>_')) ?? null
}
