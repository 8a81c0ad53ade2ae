import type { Kind } from '@vitae/contract'
import { identifierKey, type Alias } from '../../foundation/identifier.ts'
import { inChunks } from '../../database/sql/prepared.ts'
import type { Ref } from '../../records/identifiers/find-ref.ts'
import { suppressionHash } from '../../records/suppression/suppression-hash.ts'
import type { DeletedBytes } from '../../database/sqlite/reader/residue-search.ts'
import type { SuppressionChangeStore } from '../store/operations.ts'
import { searchTermsOf } from '../store/erasure/mentions/search-terms.ts'
import type { ErasurePlan } from '../store/erasure/plan-erasure.ts'
import {
  overBatches,
  overCalls,
  overEventMentions,
  overMentions,
  overReplays,
  purgeFiles,
  soughtOf,
  type ErasureProgress,
  type ErasingStore,
  type Sought,
  type Target,
} from './erasure-steps.ts'

export type Suppressing = Pick<SuppressionChangeStore, 'addSuppressions' | 'eraseEntity'>

/** The subject to erase. */
export interface Subject {
  kind: Kind
  ref: Ref
  /** The planned entities to erase; all of them if not given. */
  entityIds?: number[]
  /** Further words by which others' data may mention the subject. */
  markers?: string[]
}

/** The settings of an erasure of one or many subjects. */
export interface Erasing {
  /** Keys the suppression list. */
  secret: string
  reason: string | null
  actor: string
  at: number
  onProgress?: ErasureProgress
  /** Called once all are on the suppression list, long before the end: caches must drop them now. */
  onSuppressed?: () => Promise<void>
  /** The caller purges the files itself at the end. */
  purgeLater?: boolean
}

/** The stored data about one subject. */
export interface SubjectErased {
  entities: number
  versions: number
  fetches: number
  payloads: number
}

export interface Erasures {
  /** In the order of the subjects. Data that two of them share is counted with the first. */
  subjects: SubjectErased[]
  /** For all subjects together. */
  calls: number
  replays: number
  /** Payloads, versions and events of others that mentioned one of them. */
  mentions: number
  /** The number of names that were not on the suppression list before. */
  suppressed: number
  /** Whether the file of the embedded engine was rewritten. */
  rewritten: boolean
}

export interface ErasurePreviews {
  plans: ErasurePlan[]
  calls: number
  replays: number
  mentions: number
}

/** Returns what `eraseSubjects` would remove, without changing anything. */
export async function previewErasures(
  store: ErasingStore,
  subjects: readonly Subject[],
  onProgress?: ErasureProgress,
): Promise<ErasurePreviews> {
  const plans: ErasurePlan[] = []
  for (const { kind, ref } of subjects) plans.push(await store.erasure.planErasure({ kind, ref }))
  const sought = soughtOf(
    plans.map((plan, index) => targetOf(plan, subjects[index])),
    0,
    onProgress,
  )
  const calls = await overCalls(store, sought, '', true)
  const replays = await overReplays(store, sought, true)
  let mentions = 0
  await overMentions(store, sought, async () => void mentions++)
  mentions += (await overEventMentions(store, sought, true)).found
  return { plans, calls: calls.found, replays, mentions }
}

/**
 * Erases subjects everywhere, in short steps that let other calls through; each step scans the store once, however many
 * subjects there are. They are suppressed first: from then on nothing about them is served or written, however long the
 * rest takes. Their entities are removed last, so that an interrupted erasure still knows all names when it is
 * repeated.
 */
export async function eraseSubjects(
  store: ErasingStore,
  list: Suppressing,
  subjects: readonly Subject[],
  erasing: Erasing,
): Promise<Erasures> {
  const { at, onProgress } = erasing
  let suppressed = await suppress(list, await targetsOf(store, subjects), erasing)
  await erasing.onSuppressed?.()
  // Planned again, because a fetch may have ended between the plan and the suppression; from here on none can.
  const targets = await targetsOf(store, subjects)
  const sought = soughtOf(targets, at, onProgress)

  const calls = await overCalls(store, sought, '', false)
  const replays = await overReplays(store, sought, false)
  const inputs = await overBatches(store, sought)
  const redacted = await redactMentions(store, sought, at)
  const events = await overEventMentions(store, sought, false)
  const deleted: DeletedBytes = { texts: [...events.deleted, ...inputs], blobs: redacted.blobs }
  const erased: SubjectErased[] = []
  for (const target of targets) {
    const { suppressed: more, ...one } = await eraseOne(list, target, erasing, deleted)
    suppressed += more
    erased.push(one)
    onProgress?.('erasing', erased.length)
  }
  // Calls that were in progress when the subjects were suppressed have been logged meanwhile.
  const late = await overCalls(store, sought, calls.next, false)
  for (const { kind, records } of targets) await store.erasure.eraseRecipients({ kind, records, at })
  const rewritten = erasing.purgeLater ? false : await purgeFiles(store, deleted, onProgress)
  const mentions = redacted.mentions + events.found
  return { subjects: erased, calls: calls.found + late.found, replays, mentions, suppressed, rewritten }
}

/** Subjects per transaction: a charge waits a few milliseconds for it. */
const suppressedAtOnce = 20

async function targetsOf(store: ErasingStore, subjects: readonly Subject[]): Promise<Target[]> {
  const targets: Target[] = []
  for (const subject of subjects) {
    const { kind, ref } = subject
    targets.push(targetOf(await store.erasure.planErasure({ kind, ref }), subject))
  }
  return targets
}

/** Adds all names to the suppression list; returns how many were new. */
async function suppress(
  list: Suppressing,
  targets: readonly Target[],
  { secret, reason, actor, at }: Erasing,
): Promise<number> {
  let sum = 0
  for (const [kind, group] of Map.groupBy(targets, (target) => target.kind)) {
    for (const some of inChunks(group, suppressedAtOnce)) {
      const subjects = some.map(({ names }) => names.map((alias) => suppressionHash(secret, kind, alias)))
      const hashes = [...new Set(subjects.flat())]
      const act = { origin: 'erasure', beginsErasure: true, reason, actor, at }
      const { added } = await list.addSuppressions({ hashes, subjects, kind, ...act })
      sum += added
    }
  }
  return sum
}

async function eraseOne(
  list: Suppressing,
  { kind, entityIds, asked: aliases }: Target,
  { secret, reason, actor, at, purgeLater }: Erasing,
  deleted: DeletedBytes,
): Promise<SubjectErased & { suppressed: number }> {
  const erased = await list.eraseEntity({ kind, entityIds, aliases, secret, reason, actor, at })
  const { entities, versions, fetches, payloads, suppressed } = erased
  if (!purgeLater) {
    deleted.texts.push(...erased.deleted.texts)
    deleted.blobs.push(...erased.deleted.blobs)
  }
  return { entities, versions, fetches, payloads, suppressed }
}

/** Removes the subjects from others' data. The blobs are what the files contained before. */
async function redactMentions(
  store: ErasingStore,
  sought: Sought,
  at: number,
): Promise<{ mentions: number; blobs: Uint8Array[] }> {
  const blobs: Uint8Array[] = []
  let mentions = 0
  await overMentions(store, sought, async (hit) => {
    const redacted = await store.erasure.redactStored({ hit, at })
    blobs.push(...redacted.deleted)
    mentions++
  })
  return { mentions, blobs }
}

function targetOf(plan: ErasurePlan, { entityIds, markers }: Partial<Subject> = {}): Target {
  const { kind } = plan
  const meant = plan.entities.filter((entity) => entityIds === undefined || entityIds.includes(entity.entityId))
  const spared = plan.entities.filter((entity) => !meant.includes(entity))
  const nameKey = (alias: Alias) => identifierKey({ ...alias, kind })
  const held = new Set(spared.flatMap((entity) => entity.aliases.map(nameKey)))
  // A name that now belongs to an entity that stays is not suppressed.
  const asked = plan.asked.filter((alias) => !held.has(nameKey(alias)))
  const names = [...asked, ...meant.flatMap((entity) => entity.aliases)]
  return {
    kind,
    entityIds: meant.map((entity) => entity.entityId),
    records: meant.map(({ entityId, key }) => ({ entityId, key })),
    callEntityIds: meant.flatMap((entity) => [entity.entityId, ...entity.mergedIds]),
    asked,
    names,
    searchTerms: searchTermsOf(kind, names, markers),
  }
}
