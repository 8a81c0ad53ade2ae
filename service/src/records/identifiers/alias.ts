import type { Kind } from '@vitae/contract'
import { derivedCompanyId, identifierKey, type Alias } from '../../foundation/identifier.ts'

/** The subject of a record: its `member_urn` or `company_id`, derived if the provider has no durable id. */
export interface Identity {
  key: string
  derived: boolean
  aliases: Alias[]
}

/** The durable key is also an alias, so that an entity is still found by a key that was given out earlier. */
export function keyAlias(kind: Kind, key: string): Alias {
  return { type: kind === 'people' ? 'urn' : 'id', value: key }
}

/** Slugs are compared in NFC and lower case, as identifiers are parsed. */
export function foldAlias(alias: Alias): Alias {
  if (alias.type !== 'slug') return alias
  return { type: 'slug', value: alias.value.normalize('NFC').toLowerCase().normalize('NFC') }
}

/**
 * All distinct names of an identity: its key, its aliases, the requested identifier, and the derived ids of a company's
 * pages.
 */
export function aliasesOf(kind: Kind, identity: Identity, asked: Alias | null): Alias[] {
  const named = [keyAlias(kind, identity.key), ...identity.aliases, ...(asked ? [asked] : [])].map(foldAlias)
  const all = kind === 'companies' ? [...named, ...named.flatMap(idOfPage)] : named
  const unique = new Map<string, Alias>()
  for (const { type, value } of all) {
    const alias = { type, value }
    // Callers cannot send a NUL character, and PostgreSQL cannot store it in a text.
    if (alias.value.includes('\0')) continue
    unique.set(identifierKey({ kind, ...alias }), alias)
  }
  return [...unique.values()]
}

/** The derived id by which people's records name a company until its platform number is known. */
export function idOfPage({ type, value }: Alias): Alias[] {
  return type === 'slug' ? [{ type: 'id', value: derivedCompanyId(value) }] : []
}

/** Whether we derived this key ourselves. It was given out for one entity, so it never moves to another. */
export function isDerivedKey({ type, value }: Alias): boolean {
  return (type === 'urn' && value.startsWith('urn:vitae:person:')) || (type === 'id' && value.startsWith('vitae-'))
}

/** An alias as stored in rows with a column for the kind; everywhere else names are compared by `identifierKey`. */
export function aliasText(alias: Alias): string {
  return `${alias.type}:${alias.value}`
}

/** Parses an alias written by `aliasText`; null for anything else. */
export function readAliasText(text: string | null): Alias | null {
  if (text === null) return null
  const end = text.indexOf(':')
  return end < 1 ? null : { type: text.slice(0, end), value: text.slice(end + 1) }
}

/**
 * A slug may move to someone else, and a derived key may come from a slug. Every other alias names one entity forever.
 */
export function isDurable(alias: Alias): boolean {
  return alias.type !== 'slug' && !isDerivedKey(alias)
}
