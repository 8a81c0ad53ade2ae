import type { Kind } from '@vitae/contract'
import { derivedCompanyId, identifierKey, type Alias } from '../../foundation/identifier.ts'

/** Who a record is about: `member_urn` or `company_id`, derived where the provider knows no durable id. */
export interface Identity {
  key: string
  derived: boolean
  aliases: Alias[]
}

/** The durable key is an alias too, so that an entity is still found by a key that was given out for it before. */
export function keyAlias(kind: Kind, key: string): Alias {
  return { type: kind === 'people' ? 'urn' : 'id', value: key }
}

/** Slugs are compared as identifiers are read: NFC and lower case. */
export function foldAlias(alias: Alias): Alias {
  if (alias.type !== 'slug') return alias
  return { type: 'slug', value: alias.value.normalize('NFC').toLowerCase().normalize('NFC') }
}

/** All names of an identity once each: its key, its aliases, what was asked for, and the derived ids of a company's pages. */
export function aliasesOf(kind: Kind, identity: Identity, asked: Alias | null): Alias[] {
  const named = [keyAlias(kind, identity.key), ...identity.aliases, ...(asked ? [asked] : [])].map(foldAlias)
  const all = kind === 'companies' ? [...named, ...named.flatMap(idOfPage)] : named
  const unique = new Map<string, Alias>()
  for (const { type, value } of all) {
    const alias = { type, value }
    // No identifier that a caller may send has one, and PostgreSQL keeps none in a text.
    if (alias.value.includes('\0')) continue
    unique.set(identifierKey({ kind, ...alias }), alias)
  }
  return [...unique.values()]
}

/** People's records name a company so by its page until its number is known. */
export function idOfPage({ type, value }: Alias): Alias[] {
  return type === 'slug' ? [{ type: 'id', value: derivedCompanyId(value) }] : []
}

/** Whether an alias is a key of our own making. It was given out for one entity, so it never moves to another. */
export function isDerivedKey({ type, value }: Alias): boolean {
  return (type === 'urn' && value.startsWith('urn:vitae:person:')) || (type === 'id' && value.startsWith('vitae-'))
}

/** An alias as rows store it that have a column for the kind; everywhere else names are compared by `identifierKey`. */
export function aliasText(alias: Alias): string {
  return `${alias.type}:${alias.value}`
}

/** The alias that `aliasText` wrote; null for anything else. */
export function readAliasText(text: string | null): Alias | null {
  if (text === null) return null
  const end = text.indexOf(':')
  return end < 1 ? null : { type: text.slice(0, end), value: text.slice(end + 1) }
}

/** A slug may move to someone else, and a derived key may be one of a slug; every other alias names one entity for good. */
export function isDurable(alias: Alias): boolean {
  return alias.type !== 'slug' && !isDerivedKey(alias)
}
