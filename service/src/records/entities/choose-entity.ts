import type { Alias } from '../../foundation/identifier.ts'
import { aliasText, isDurable, type Identity } from '../identifiers/alias.ts'

/** An entity that shares a name with an identity. */
export interface Kin {
  id: number
  key: string
  derived: boolean
  aliases: Alias[]
}

export interface Choice {
  /** The entity that the identity belongs to, or null when it is a new one. */
  survivor: number | null
  /** Derived entities that turn out to be the same one. */
  absorbed: number[]
}

/**
 * Decides whose record this is. Where there is a real key it alone decides; two real keys are never merged, even when
 * they share other names. A derived identity is only a guess: it joins the entity that holds one of its names, unless a
 * durable id contradicts that (then the slug has moved to someone else).
 */
export function chooseEntity(identity: Identity, kin: readonly Kin[]): Choice {
  const own = kin.find((one) => one.key === identity.key)
  const same = kin.filter((one) => one !== own && sharesName(identity, one) && !contradicts(identity, one))
  const byStrength = same.toSorted((a, b) => strength(identity, b) - strength(identity, a) || a.id - b.id)
  const guesses = byStrength.filter((one) => one.derived)
  const known = identity.derived ? byStrength.find((one) => !one.derived) : undefined

  const survivor = identity.derived ? (known ?? own ?? guesses[0]) : (own ?? guesses[0])
  const absorbed = [...guesses, ...(own?.derived ? [own] : [])].filter((one) => one !== survivor)
  return { survivor: survivor?.id ?? null, absorbed: absorbed.map((one) => one.id) }
}

function sharesName(identity: Identity, one: Kin): boolean {
  return strength(identity, one) > 0
}

/** 2 for a durable alias in common, 1 for a slug only. */
function strength(identity: Identity, one: Kin): 0 | 1 | 2 {
  const names = new Set(one.aliases.map(aliasText))
  const shared = identity.aliases.filter((alias) => names.has(aliasText(alias)))
  if (shared.length === 0) return 0
  return shared.some(isDurable) ? 2 : 1
}

/** Two sets of names contradict each other when both hold platform ids of one sort and none in common. */
function contradicts(identity: Identity, one: Kin): boolean {
  const ours = platformIds(identity.aliases)
  const theirs = platformIds(one.aliases)
  for (const [sort, values] of ours) {
    const others = theirs.get(sort)
    if (others && ![...values].some((value) => others.has(value))) return true
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

/** Opaque ids come in several sorts (profile, lead, recruiter), told apart by their first letters. Vendors renumber: theirs prove nothing. */
function platformSort({ type, value }: Alias): string | null {
  if (type === 'member') return 'member'
  if (type === 'opaque') return `opaque:${value.slice(0, 5)}`
  if (type === 'urn') return value.startsWith('urn:li:member:') ? 'urn' : null
  if (type === 'id') return /^\d+$/.test(value) ? 'id' : null
  return null
}
