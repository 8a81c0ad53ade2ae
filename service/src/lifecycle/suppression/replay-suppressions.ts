import { identifierKey, type Identifier, type KindAlias } from '../../foundation/identifier.ts'
import { eraseSubjects, type Subject } from '../erasure/erase-subjects.ts'
import { nameSources, type NamesFound, type NameSource } from '../../records/find-suppressed-names.ts'
import type { LifecycleStore, SuppressionChangeStore } from '../store/operations.ts'
import type { Suppression } from '../../records/suppression/suppressions.ts'
import { dirname, join } from 'node:path'
import { StartError } from '../../foundation/data-folder.ts'
import { proofOf } from '../../cluster/share-secret.ts'
import {
  readSuppressionFile,
  suppressionFileName,
  suppressionsBeside,
  type SuppressionList,
} from './suppression-file.ts'

interface Deps {
  store: LifecycleStore
  suppressions: SuppressionChangeStore
  secret: string
  at: number
  /** Searches all bodies for mentions, even if the store already knew the whole list. */
  thorough?: boolean
}

export interface Replayed {
  /** Names that were not suppressed in the store. */
  added: number
  /** People and companies that were erased again. */
  erased: number
  redacted: number
}

const atOnce = 1_000
const bodies: ReadonlySet<NameSource> = new Set(['payloads', 'versions'])
const reason = 'on the suppression list when the store was restored'

/**
 * Adds the current suppression list to an older store, and erases everyone on it with the same steps as a manual
 * erasure. Nothing may be served from the store before this is done.
 */
export async function replaySuppressions(deps: Deps, items: readonly Suppression[]): Promise<Replayed> {
  const { store, suppressions, secret, at } = deps
  const total: Replayed = { added: 0, erased: 0, redacted: 0 }
  for (let from = 0; from < items.length; from += atOnce) {
    const part = items.slice(from, from + atOnce)
    total.added += (await suppressions.importSuppressions({ items: part, actor: 'system', at })).added
  }
  // All at once, because searching a large store for each of them would take hours. Stored subjects come first: once
  // they are removed, a name on the list can only be in others' data.
  const erasing = { secret, reason, actor: 'system', at, purgeLater: true }
  const erase = async (subjects: Subject[]) => {
    if (subjects.length === 0) return
    const done = await eraseSubjects(store, suppressions, subjects, erasing)
    total.erased += done.subjects.reduce((sum, { entities }) => sum + entities, 0)
    total.redacted += done.mentions
  }
  await erase(await suppressedEntities(deps))
  const names = await suppressedNames(deps, deps.thorough || total.added > 0)
  // A provider's name is found in the same way as a public one.
  await erase(
    names.map(({ kind, type, value }) => ({ kind, ref: { identifier: { kind, type, value } as Identifier } })),
  )
  if (deps.thorough || total.erased + total.redacted + total.added + names.length > 0) {
    await store.residue.purgeResidue({})
    await store.residue.rewriteTables({ now: at })
    await store.residue.endRewrites({ now: at })
  }
  return total
}

async function suppressedEntities({ store, secret }: Deps): Promise<Subject[]> {
  const subjects: Subject[] = []
  for (let afterEntityId = 0, done = false; !done;) {
    const chunk = await store.suppressions.findSuppressed({ secret, afterEntityId, limit: 500 })
    for (const { kind, key, entityId } of chunk.found) subjects.push({ kind, ref: { key }, entityIds: [entityId] })
    ;({ next: afterEntityId, done } = chunk)
  }
  return subjects
}

/** Names on the list without an entity in the store, which others' data may mention. */
async function suppressedNames({ store, secret }: Deps, inBodies: boolean): Promise<KindAlias[]> {
  const found = new Map<string, KindAlias>()
  // A store that already knew the whole list was cleaned of mentions before.
  for (const source of inBodies ? nameSources : nameSources.filter((name) => !bodies.has(name))) {
    const limit = bodies.has(source) ? 100 : 2_000
    for (let after: string | null = ''; after !== null;) {
      const chunk: NamesFound = await store.suppressions.findSuppressedNames({ secret, source, after, limit })
      for (const name of chunk.found) found.set(identifierKey(name), name)
      after = chunk.next
    }
  }
  return [...found.values()]
}

export interface FoundList extends SuppressionList {
  path: string
}

interface Wish {
  file: string
  suppressionsFile: string | null
  backupDir: string | null
  /** The data folder from which the backup was made. */
  origin: { dataDir: string } | null
  secret: string | null
}

/**
 * The suppression lists for a restore: the given one, or else those beside the backup, in the folder of scheduled
 * backups, and in the old data folder. They are combined: one name too many keeps someone out, one too few brings
 * someone back.
 */
export async function findSuppressionLists(wish: Wish): Promise<FoundList[]> {
  const { suppressionsFile, secret } = wish
  if (suppressionsFile !== null) {
    const list = await readSuppressionFile(suppressionsFile)
    if (!list) throw new StartError(`There is no file ${suppressionsFile}`)
    if (list.proof !== null && secret !== null && list.proof !== proofOf(secret))
      throw new StartError(`${suppressionsFile} was written with another secret key`)
    return [{ ...list, path: suppressionsFile }]
  }
  const found: FoundList[] = []
  for (const path of new Set(likelyPlaces(wish))) {
    const list = await readSuppressionFile(path)
    // A list of another service may be in the same folder; its hashes would match nobody.
    const foreign = list?.proof && secret !== null && list.proof !== proofOf(secret)
    if (list && !foreign) found.push({ ...list, path })
  }
  return found
}

function likelyPlaces({ file, backupDir, origin }: Wish): string[] {
  const folders = [dirname(file), ...(backupDir === null ? [] : [backupDir]), ...(origin ? [origin.dataDir] : [])]
  return [suppressionsBeside(file), ...folders.map((folder) => join(folder, suppressionFileName))]
}
