import type { Kind } from '@vitae/contract'
import { aliasText } from '../../records/identifiers/alias.ts'
import {
  overBatches,
  overCalls,
  overEventMentions,
  overMentions,
  purgeFiles,
  type ErasureProgress,
  type ErasureStore,
  type Target,
} from './erasure-steps.ts'
import type { Ref } from '../../records/identifiers/find-ref.ts'
import { searchTermsOf } from './search-terms.ts'
import type { ErasurePlan } from './plan-erasure.ts'
import type { SuppressionChanges } from '../operations.ts'
import { suppressionHash } from '../../records/suppression/suppression-hash.ts'

type Suppressing = Pick<SuppressionChanges, 'addSuppressions' | 'eraseEntity'>

export type { ErasureProgress } from './erasure-steps.ts'

interface Subject {
  kind: Kind
  ref: Ref
  /** Those of the planned entities that are meant; all of them where none are given. */
  entityIds?: number[]
  /** Further words by which others' data may mention the subject. */
  markers?: string[]
  onProgress?: ErasureProgress
}

export interface ErasurePreview extends ErasurePlan {
  calls: number
  replays: number
  /** Payloads, versions and events of others that mention the subject. */
  mentions: number
}

export interface ErasureReport {
  entities: number
  versions: number
  fetches: number
  payloads: number
  calls: number
  replays: number
  mentions: number
  /** Names that were not on the suppression list before. */
  suppressed: number
  /** Whether the files had to be rewritten. */
  rewritten: boolean
  /** Tables of PostgreSQL that others read, and that are rewritten in the background when they no longer do. */
  left: string[]
}

interface Erasure extends Subject {
  /** Keys the suppression list. */
  secret: string
  reason: string | null
  actor: string
  at: number
  /** Told once the subject is on the suppression list, long before the end: caches must forget it now. */
  onSuppressed?: () => Promise<void>
  /** The caller erases many in a row and purges the files once, at the end. */
  purgeLater?: boolean
}

/** Shows what `eraseSubject` would remove, and changes nothing. */
export async function previewErasure(store: ErasureStore, subject: Subject): Promise<ErasurePreview> {
  const plan = await store.planErasure({ kind: subject.kind, ref: subject.ref })
  const target = targetOf(plan, subject)
  const calls = await overCalls(store, target, '', true)
  const replays = await store.eraseReplays({ entityIds: target.entityIds, dryRun: true })
  let mentions = 0
  await overMentions(store, target, async () => void mentions++)
  mentions += (await overEventMentions(store, target, true)).found
  return { ...plan, calls: calls.found, replays: replays.found, mentions }
}

/**
 * Removes a subject from everything, in short steps that let other calls through. It is suppressed first: from then on
 * nothing of it is served or written, however long the rest takes. Its entity goes last, so that an interrupted erasure
 * still knows all names when it is run again.
 */
export async function eraseSubject(store: ErasureStore, list: Suppressing, args: Erasure): Promise<ErasureReport> {
  const { kind, secret, reason, actor, at } = args
  const known = targetOf(await store.planErasure({ kind, ref: args.ref }), args)
  const hashes = known.names.map((alias) => suppressionHash(secret, kind, alias))
  const { added } = await list.addSuppressions({
    hashes,
    subjects: [hashes],
    kind,
    origin: 'erasure',
    reason,
    actor,
    at,
  })
  await args.onSuppressed?.()
  // Planned again, because a fetch may have ended between the plan and the list; from here on none can.
  const target = targetOf(await store.planErasure({ kind, ref: args.ref }), args)

  const calls = await overCalls(store, target, '', false)
  const replays = await store.eraseReplays({ entityIds: target.entityIds, dryRun: false })
  const inputs = await overBatches(store, target)
  const redacted = await redactMentions(store, target, at)
  const events = await overEventMentions(store, target, false)
  const erased = await list.eraseEntity({
    kind,
    entityIds: target.entityIds,
    aliases: target.asked,
    secret,
    reason,
    actor,
    at,
  })
  // Calls that were being answered when the subject was suppressed have been logged meanwhile.
  const late = await overCalls(store, target, calls.next, false)
  const { texts, blobs } = erased.deleted
  const deleted = { texts: [...texts, ...events.deleted, ...inputs], blobs: [...blobs, ...redacted.blobs] }
  const files = args.purgeLater ? notYet : await purgeFiles(store, deleted, args.onProgress)
  const { entities, versions, fetches, payloads } = erased
  const counts = { calls: calls.found + late.found, replays: replays.found, mentions: redacted.mentions + events.found }
  return { entities, versions, fetches, payloads, ...counts, suppressed: added + erased.suppressed, ...files }
}

const notYet = { rewritten: false, left: [] }

/** Takes the subject out of others' data. The blobs are what the files held before. */
async function redactMentions(
  store: ErasureStore,
  target: Target,
  at: number,
): Promise<{ mentions: number; blobs: Uint8Array[] }> {
  const { searchTerms } = target
  const blobs: Uint8Array[] = []
  let mentions = 0
  await overMentions(store, target, async (hit) => {
    const redacted =
      typeof hit === 'string'
        ? await store.redactPayload({ hash: hit, searchTerms, at })
        : await store.redactVersion({ versionId: hit, searchTerms })
    blobs.push(...redacted.deleted)
    mentions++
  })
  return { mentions, blobs }
}

function targetOf(plan: ErasurePlan, { kind, entityIds, markers, onProgress }: Subject): Target {
  const meant = plan.entities.filter((entity) => entityIds === undefined || entityIds.includes(entity.entityId))
  const spared = plan.entities.filter((entity) => !meant.includes(entity))
  const held = new Set(spared.flatMap((entity) => entity.aliases.map(aliasText)))
  // A name that now belongs to an entity that stays is not suppressed.
  const asked = plan.asked.filter((alias) => !held.has(aliasText(alias)))
  const names = [...asked, ...meant.flatMap((entity) => entity.aliases)]
  return {
    kind,
    entityIds: meant.map((entity) => entity.entityId),
    callEntityIds: meant.flatMap((entity) => [entity.entityId, ...entity.mergedIds]),
    asked,
    names,
    searchTerms: searchTermsOf(kind, names, markers),
    onProgress: onProgress ?? (() => {}),
  }
}
