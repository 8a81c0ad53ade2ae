import { normalised } from '@vitae/provider'
import type { Kind } from '@vitae/contract'
import type { Alias } from '../../../../foundation/identifier.ts'
import { foldAlias } from '../../../../records/identifiers/alias.ts'

/**
 * A term to search for in other subjects' data. `slug` counts as the last part of a page address or as a whole field
 * value, `id` as a whole value or the end of a URN, `token` and `text` anywhere in a text.
 */
export interface SearchTerm {
  kind: Kind
  form: 'slug' | 'id' | 'token' | 'text'
  /** Folded: NFC and lower case. */
  value: string
}

/** Everything by which a subject may be mentioned: its names, and what the operator adds (an address, a full name). */
export function searchTermsOf(kind: Kind, aliases: readonly Alias[], markers: readonly string[] = []): SearchTerm[] {
  const searchTerms = aliases.map((alias): SearchTerm => ({
    kind,
    form: formOf(alias),
    value: foldCase(foldAlias(alias).value),
  }))
  const texts = markers
    .filter((marker) => marker.trim() !== '')
    .map((marker): SearchTerm => ({ kind, form: 'text', value: foldCase(marker) }))
  return [...searchTerms, ...texts]
}

function formOf({ type, value }: Alias): SearchTerm['form'] {
  if (type === 'slug') return 'slug'
  return /^\d+$/.test(value) ? 'id' : 'token'
}

/** Case and Unicode form do not matter for a mention. */
export function foldCase(text: string): string {
  return normalised(text, 'NFC').toLowerCase()
}

/** Every spelling of a term in a raw payload, for a first search that parses no JSON. */
export function spellings({ value }: SearchTerm): string[] {
  const escaped = JSON.stringify(value).slice(1, -1)
  const spelled = [value, escaped, encodeURIComponent(value).toLowerCase(), asciiEscaped(value)]
  return [...new Set(spelled)]
}

function asciiEscaped(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
