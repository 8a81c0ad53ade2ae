import type { Kind } from '@vitae/contract'
import { identifierKey, type Alias } from '../../foundation/identifier.ts'
import type { ContactName } from '../contact-index/contact-rows.ts'
import { aliasesOf, aliasText, isDerivedKey, isDurable, keyAlias, type Identity } from '../identifiers/alias.ts'

/** The facts of one stored version, read from its archived payload. */
export interface VersionFacts {
  versionId: number
  fetchId: number | null
  fetchedAt: number
  /** Its key is empty if the payload is no longer stored. */
  identity: Identity
  /** The identifier that the provider was asked for. */
  asked: Alias | null
  /** The URN in the payload, before the entity's key replaced it. */
  entityUrn: string | null
  contacts: ContactName[]
}

/** The versions of an entity in two groups: one keeps the key, the other becomes a new entity. */
export interface Division {
  kept: VersionFacts[]
  moved: VersionFacts[]
  /** The key in the payloads of the new entity; another entity may already have it. */
  identity: Identity
}

/**
 * Decides which group keeps the key: the one whose payloads contain it. If both or neither do, it is the group with the
 * oldest version, because the key was given out for that one.
 */
export function divide(key: string, listed: readonly VersionFacts[], rest: readonly VersionFacts[]): Division {
  const [named, others] = withProven(listed, rest)
  const says = (group: readonly VersionFacts[]) => group.some(({ identity }) => identity.key === key)
  const keeps = says(named) === says(others) ? oldest(named) < oldest(others) : says(named)
  const [kept, moved] = keeps ? [[...named], [...others]] : [[...others], [...named]]
  const newest = moved.toSorted((a, b) => b.fetchedAt - a.fetchedAt).map(({ identity }) => identity)
  const own =
    newest.find((one) => !one.derived && one.key !== key) ?? newest.find((one) => one.derived && one.key !== '')
  return { kept, moved, identity: own ?? { key, derived: true, aliases: [] } }
}

/**
 * Versions that share a durable id with the listed ones are about the same subject, unless that would leave nothing for
 * the other.
 */
function withProven(
  listed: readonly VersionFacts[],
  rest: readonly VersionFacts[],
): readonly [readonly VersionFacts[], readonly VersionFacts[]] {
  const ids = new Set(listed.flatMap(durableIds))
  const isProven = (one: VersionFacts) => durableIds(one).some((id) => ids.has(id))
  const others = rest.filter((one) => !isProven(one))
  return others.length === 0 ? [listed, rest] : [[...listed, ...rest.filter(isProven)], others]
}

function durableIds({ identity }: VersionFacts): string[] {
  return identity.aliases.filter(isDurable).map(aliasText)
}

function oldest(group: readonly VersionFacts[]): number {
  return Math.min(...group.map(({ fetchedAt }) => fetchedAt))
}

/** The aliases that move to the new entity. A slug that both have follows the newest fetch; a derived key stays. */
export function movedAliases(kind: Kind, key: string, held: readonly Alias[], { kept, moved }: Division): Alias[] {
  const [keptAt, movedAt] = [newestClaims(kind, kept), newestClaims(kind, moved)]
  const own = identifierKey({ ...keyAlias(kind, key), kind })
  return held.filter((alias) => {
    const name = identifierKey({ ...alias, kind })
    const [stays, goes] = [keptAt.get(name), movedAt.get(name)]
    if (goes === undefined || name === own) return false
    return stays === undefined || (!isDerivedKey(alias) && goes > stays)
  })
}

/** The aliases in a group's payloads, each with the time of its newest fetch. */
export function newestClaims(kind: Kind, group: readonly VersionFacts[]): Map<string, number> {
  const claims = new Map<string, number>()
  for (const { identity, asked, fetchedAt } of group) {
    for (const alias of aliasesOf(kind, identity, asked)) {
      const name = identifierKey({ ...alias, kind })
      claims.set(name, Math.max(fetchedAt, claims.get(name) ?? 0))
    }
  }
  return claims
}
