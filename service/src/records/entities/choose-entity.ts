import type { Alias } from '../../foundation/identifier.ts'
import { isDerivedKey, isDurable, type Identity } from '../identifiers/alias.ts'
import { allNamesContradict, type RecordName } from '../names/record-names.ts'

/** An entity that shares an alias with an identity, now or in the past. */
export interface Kin {
  id: number
  key: string
  derived: boolean
  aliases: Alias[]
  /** Slugs that it held before another entity took them. */
  formerSlugs?: Alias[]
  /** Names in its versions, if they matter for the choice. */
  names?: readonly RecordName[]
  /** Entities that an operator has split from it. */
  apartFrom?: readonly number[]
}

/** The subject of a new record: its ids and its name. */
export type Newcomer = Identity & { names?: readonly RecordName[] }

export interface Choice {
  /** The entity that the identity belongs to; null if it is new. */
  survivor: number | null
  /** Entities that turn out to be the same. */
  absorbed: number[]
}

/**
 * Decides which entity a record belongs to. A known platform key decides alone: entities with different platform keys
 * are never merged, even if they share other aliases. An entity without one is only a guess: it is the same as an
 * entity with a shared alias, unless platform ids contradict that. A slug or a derived key is no proof, so the names
 * must not contradict either; if they do, the slug has moved to someone else. The entity stored first survives.
 */
export function chooseEntity(identity: Newcomer, kin: readonly Kin[]): Choice {
  const own = kin.find((one) => holdsKey(identity, one))
  const isOwn = (one: Kin) => one === own && (!identity.derived || isProven(identity, one) || mayBeNamed(identity, one))
  const same = strongest(
    identity,
    kin.filter(
      (one) => isOwn(one) || (one !== own && mayBeSame(identity, one) && !isUnknownFormerHolder(identity, one)),
    ),
  )
  const known = identity.derived ? same.find((one) => !isGuess(one)) : own
  const merged = known ? [known] : []
  for (const guess of same.filter((one) => one !== known && isGuess(one))) {
    const mayJoin = (one: Kin) => mayBeSame(withNamesOf(identity, one), guess) && !one.apartFrom?.includes(guess.id)
    if (merged.every(mayJoin)) merged.push(guess)
  }
  const [survivor, ...absorbed] = merged.map(({ id }) => id).toSorted((a, b) => a - b)
  return { survivor: survivor ?? null, absorbed }
}

/** An entity that is proven to be the same also has the new record's name, because people change names. */
function withNamesOf(identity: Newcomer, one: Kin): Kin {
  return isProven(identity, one) ? { ...one, names: [...(one.names ?? []), ...(identity.names ?? [])] } : one
}

type Subject = Pick<Newcomer, 'aliases' | 'names'>

function mayBeSame(one: Subject, other: Subject): boolean {
  return !contradicts(one.aliases, other.aliases) && (isProven(one, other) || mayBeNamed(one, other))
}

/** They share an alias that never moves to someone else. */
function isProven(one: Subject, other: Subject): boolean {
  return one.aliases.some((alias) => isDurable(alias) && other.aliases.some(isSame(alias)))
}

function mayBeNamed(one: Subject, { names = [] }: Subject): boolean {
  return names.length === 0 || !allNamesContradict(one.names ?? [], names)
}

/** A slug that an entity has lost finds it only with a matching name. */
function isUnknownFormerHolder(identity: Newcomer, one: Kin): boolean {
  if (sharedAliases(identity, one).length > 0) return false
  return (one.names ?? []).length === 0 || (identity.names ?? []).length === 0
}

/** A platform key may have been learned after another key was given out; then it is an alias. */
function holdsKey({ key, derived, aliases }: Identity, one: Kin): boolean {
  return (
    one.key === key || (!derived && one.aliases.some((alias) => alias.value === key && aliases.some(isSame(alias))))
  )
}

/** Only a derived key, or names that anyone could have, are known of it. */
function isGuess({ derived, aliases }: Kin): boolean {
  return derived && !aliases.some((alias) => isKeyType(alias) && !isDerivedKey(alias))
}

function isKeyType({ type }: Alias): boolean {
  return type === 'urn' || type === 'id'
}

/**
 * Entities that share a name, strongest name first. A shared derived key counts only if nothing else is shared: it may
 * belong to a slug that has moved on.
 */
function strongest(identity: Identity, kin: readonly Kin[]): Kin[] {
  const ranked = kin
    .map((one) => ({ one, strength: strength(identity, one) }))
    .filter(({ strength }) => strength > 0)
    .toSorted((a, b) => b.strength - a.strength || a.one.id - b.one.id)
  const most = ranked[0]?.strength ?? 0
  return ranked.filter(({ strength }) => most === 1 || strength > 1).map(({ one }) => one)
}

/** 3 for a shared durable alias, 2 for a slug, 1 for a derived key or a slug that the entity has lost. */
function strength(identity: Identity, one: Kin): 0 | 1 | 2 | 3 {
  const shared = sharedAliases(identity, one)
  if (shared.some(isDurable)) return 3
  if (shared.some(({ type }) => type === 'slug')) return 2
  const hasLost = (one.formerSlugs ?? []).some((slug) => identity.aliases.some(isSame(slug)))
  return shared.length > 0 || one.key === identity.key || hasLost ? 1 : 0
}

function sharedAliases(identity: Identity, one: Kin): Alias[] {
  return identity.aliases.filter((alias) => one.aliases.some(isSame(alias)))
}

function isSame({ type, value }: Alias): (other: Alias) => boolean {
  return (other) => other.type === type && other.value === value
}

/** Two sets of names contradict each other if both have platform ids of the same sort and none in common. */
function contradicts(some: readonly Alias[], others: readonly Alias[]): boolean {
  const ours = platformIds(some)
  const theirs = platformIds(others)
  for (const [sort, values] of ours) {
    const known = theirs.get(sort)
    if (known && ![...values].some((value) => known.has(value))) return true
  }
  return false
}

function platformIds(aliases: readonly Alias[]): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>()
  for (const alias of aliases) {
    const sort = platformSort(alias)
    if (sort) ids.set(sort, (ids.get(sort) ?? new Set()).add(alias.value))
  }
  return ids
}

/**
 * Opaque ids come in several sorts (profile, lead, recruiter), distinguished by their first letters. Vendors renumber
 * their own ids, so those prove nothing.
 */
function platformSort({ type, value }: Alias): string | null {
  if (type === 'member') return 'member'
  if (type === 'opaque') return `opaque:${value.slice(0, 5)}`
  if (type === 'urn') return value.startsWith('urn:li:member:') ? 'urn' : null
  if (type === 'id') return /^\d+$/.test(value) ? 'id' : null
  return null
}
