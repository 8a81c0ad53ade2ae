import type { Kind } from '@vitae/contract'
import type { Store } from '../foundation/database/store.ts'
import type { Alias } from '../foundation/identifier.ts'
import { aliasText } from './alias.ts'
import type { Ref } from './find-ref.ts'
import { needlesOf, type Needle } from './needles.ts'
import type { RecordOperations } from './operations.ts'
import type { ErasurePlan } from './plan-erasure.ts'
import { suppressionHash } from './suppression-hash.ts'

type ErasureStore = Pick<
  Store<RecordOperations>,
  | 'planErasure'
  | 'addSuppressions'
  | 'eraseCalls'
  | 'eraseReplays'
  | 'scanMentions'
  | 'scanVersionMentions'
  | 'redactPayload'
  | 'redactVersion'
  | 'eraseEntity'
  | 'foldLog'
  | 'scanResidue'
  | 'purgeFreed'
>

export type ErasureStep = 'calls' | 'payloads' | 'records' | 'files'

/** Told now and then how far a step has come: rows or pages seen so far. */
export type ErasureProgress = (step: ErasureStep, seen: number) => void

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
  /** Payloads and versions of others that mention the subject. */
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
  /** Whether the files had to be rewritten. */
  rewritten: boolean
}

const rowsAtOnce = 2_000
const bodiesAtOnce = 200
const pagesAtOnce = 1_000

/** Shows what `eraseSubject` would remove, and changes nothing. */
export async function previewErasure(store: ErasureStore, subject: Subject): Promise<ErasurePreview> {
  const plan = await store.planErasure({ kind: subject.kind, ref: subject.ref })
  const target = targetOf(plan, subject)
  const calls = await overCalls(store, target, '', true)
  const replays = await store.eraseReplays({ entityIds: target.entityIds, dryRun: true })
  let mentions = 0
  await overMentions(store, target, async () => void mentions++)
  return { ...plan, calls: calls.found, replays: replays.found, mentions }
}

/**
 * Removes a subject from everything, in short steps that let other calls through. It is kept out first: from then on
 * nothing of it is served or written, and the rest may take its time. Its entity goes last, so that an erasure that was
 * interrupted still knows all names when it is run again.
 */
export async function eraseSubject(
  store: ErasureStore,
  args: Subject & { secret: string; reason: string | null; actor: string; at: number },
): Promise<ErasureReport> {
  const { kind, secret, reason, actor, at } = args
  const known = targetOf(await store.planErasure({ kind, ref: args.ref }), args)
  const hashes = known.names.map((alias) => suppressionHash(secret, kind, alias))
  await store.addSuppressions({ hashes, kind, origin: 'erasure', reason, actor, at })
  // Planned again, because a fetch may have ended between the plan and the list; from here on none can.
  const target = targetOf(await store.planErasure({ kind, ref: args.ref }), args)

  const deleted: Uint8Array[] = []
  const calls = await overCalls(store, target, '', false)
  const replays = await store.eraseReplays({ entityIds: target.entityIds, dryRun: false })
  let mentions = 0
  await overMentions(store, target, async (hit) => {
    const redacted =
      typeof hit === 'string'
        ? await store.redactPayload({ hash: hit, needles: target.needles, at })
        : await store.redactVersion({ versionId: hit, needles: target.needles })
    deleted.push(...redacted.deleted)
    mentions++
  })
  const erased = await store.eraseEntity({
    kind,
    entityIds: target.entityIds,
    aliases: target.asked,
    secret,
    reason,
    actor,
    at,
  })
  // Calls that were being answered when the subject was kept out have been written meanwhile.
  const late = await overCalls(store, target, calls.next, false)
  const rewritten = await purgeFiles(store, [...erased.deleted, ...deleted], args.onProgress)
  const { entities, versions, fetches, payloads } = erased
  return {
    entities,
    versions,
    fetches,
    payloads,
    calls: calls.found + late.found,
    replays: replays.found,
    mentions,
    rewritten,
  }
}

interface Target {
  kind: Kind
  entityIds: number[]
  callEntityIds: number[]
  asked: Alias[]
  /** Every name to be kept out, as far as the plan knows. */
  names: Alias[]
  needles: Needle[]
  onProgress: ErasureProgress
}

function targetOf(plan: ErasurePlan, { kind, entityIds, markers, onProgress }: Subject): Target {
  const meant = plan.entities.filter((entity) => entityIds === undefined || entityIds.includes(entity.entityId))
  const spared = plan.entities.filter((entity) => !meant.includes(entity))
  const held = new Set(spared.flatMap((entity) => entity.aliases.map(aliasText)))
  // A name that someone who stays holds now is that one's.
  const asked = plan.asked.filter((alias) => !held.has(aliasText(alias)))
  const names = [...asked, ...meant.flatMap((entity) => entity.aliases)]
  return {
    kind,
    entityIds: meant.map((entity) => entity.entityId),
    callEntityIds: meant.flatMap((entity) => [entity.entityId, ...entity.mergedIds]),
    asked,
    names,
    needles: needlesOf(kind, names, markers),
    onProgress: onProgress ?? (() => {}),
  }
}

async function overCalls(
  store: ErasureStore,
  target: Target,
  from: string,
  dryRun: boolean,
): Promise<{ found: number; next: string }> {
  const { kind, callEntityIds: entityIds, names: aliases } = target
  let found = 0
  let seen = 0
  for (let afterRequestId = from; ;) {
    const chunk = await store.eraseCalls({ kind, entityIds, aliases, afterRequestId, limit: rowsAtOnce, dryRun })
    found += chunk.found
    target.onProgress('calls', (seen += rowsAtOnce))
    if (chunk.done) return { found, next: chunk.next }
    afterRequestId = chunk.next
  }
}

/**
 * Finds every payload (by hash) and version (by id) of others that mentions the subject. A company's mentions are looked
 * for in other companies' data only: where someone worked is that person's data.
 */
async function overMentions(
  store: ErasureStore,
  target: Target,
  onHit: (hit: string | number) => Promise<void>,
): Promise<void> {
  const about = target.kind === 'companies' ? { kind: target.kind } : {}
  const scan = { ...about, needles: target.needles, limit: bodiesAtOnce, exceptEntityIds: target.entityIds }
  let seen = 0
  for (let afterHash = '', done = false; !done;) {
    const chunk = await store.scanMentions({ ...scan, afterHash })
    for (const hit of chunk.hits) await onHit(hit)
    ;({ next: afterHash, done } = chunk)
    target.onProgress('payloads', (seen += chunk.scanned))
  }
  seen = 0
  for (let afterVersionId = 0, done = false; !done;) {
    const chunk = await store.scanVersionMentions({ ...scan, afterVersionId })
    for (const hit of chunk.hits) await onHit(hit)
    ;({ next: afterVersionId, done } = chunk)
    target.onProgress('records', (seen += chunk.scanned))
  }
}

/** Makes sure that no file holds what was deleted; true where that took a rewrite. */
async function purgeFiles(store: ErasureStore, deleted: Uint8Array[], onProgress?: ErasureProgress): Promise<boolean> {
  await store.foldLog({})
  for (let afterPage = 0, done = false; !done;) {
    const chunk = await store.scanResidue({ deleted, afterPage, pages: pagesAtOnce })
    if (chunk.found) {
      await store.purgeFreed({})
      return true
    }
    ;({ next: afterPage, done } = chunk)
    onProgress?.('files', afterPage)
  }
  return false
}
