import type { Identifier } from '../../foundation/identifier.ts'
import type { Candidate } from '../../records/suppression/candidate-names.ts'
import { eraseSubject } from '../erasure/erase-subject.ts'
import { nameSources, type NamesFound, type NameSource } from '../../records/suppression/find-suppressed-names.ts'
import type { LifecycleStore, SuppressionChanges } from '../operations.ts'
import type { Suppression } from '../../records/suppression/suppressions.ts'

interface Deps {
  store: LifecycleStore
  suppressions: SuppressionChanges
  secret: string
  at: number
  /** Searches all bodies for mentions, also where the store knew the whole list already. */
  thorough?: boolean
}

export interface Replayed {
  /** Names that the store did not know to be kept out. */
  added: number
  /** People and companies that were erased again. */
  erased: number
  redacted: number
}

const atOnce = 1_000
const bodies: ReadonlySet<NameSource> = new Set(['payloads', 'versions'])
const reason = 'on the suppression list when the store was restored'

/**
 * Adds the current suppression list to an older store, and erases everyone on it with the same steps as an erasure by
 * hand. Nothing may be served from the store before this is done.
 */
export async function replaySuppressions(deps: Deps, items: readonly Suppression[]): Promise<Replayed> {
  const { store, suppressions, secret, at } = deps
  const total: Replayed = { added: 0, erased: 0, redacted: 0 }
  for (let from = 0; from < items.length; from += atOnce) {
    const part = items.slice(from, from + atOnce)
    total.added += (await suppressions.importSuppressions({ items: part, actor: 'system', at })).added
  }
  const erase = { secret, reason, actor: 'system', at, purgeLater: true }
  for (let afterEntityId = 0, done = false; !done;) {
    const chunk = await store.findSuppressed({ secret, afterEntityId, limit: 500 })
    for (const { kind, key, entityId } of chunk.found) {
      const subject = { kind, ref: { key }, entityIds: [entityId] }
      const erased = await eraseSubject(store, suppressions, { ...subject, ...erase })
      total.erased += erased.entities
      total.redacted += erased.mentions
    }
    ;({ next: afterEntityId, done } = chunk)
  }
  const names = await suppressedNames(deps, deps.thorough || total.added > 0)
  for (const { kind, type, value } of names) {
    // A provider's name is found the same way as a public one.
    const identifier = { kind, type, value } as Identifier
    const erased = await eraseSubject(store, suppressions, { kind, ref: { identifier }, ...erase })
    total.redacted += erased.mentions
  }
  // Once for all of them: rewriting the files for each would take hours on a large store.
  if (total.erased + total.redacted + total.added + names.length > 0) await store.purgeResidue({})
  return total
}

/** Names on the list that have no entity in the store, but that others' data may mention. */
async function suppressedNames({ store, secret }: Deps, inBodies: boolean): Promise<Candidate[]> {
  const found = new Map<string, Candidate>()
  // A store that knew the whole list has been cleaned of mentions already.
  for (const source of inBodies ? nameSources : nameSources.filter((name) => !bodies.has(name))) {
    const limit = bodies.has(source) ? 100 : 2_000
    for (let after: string | null = ''; after !== null;) {
      const chunk: NamesFound = await store.findSuppressedNames({ secret, source, after, limit })
      for (const name of chunk.found) found.set(`${name.kind} ${name.type} ${name.value}`, name)
      after = chunk.next
    }
  }
  return [...found.values()]
}
