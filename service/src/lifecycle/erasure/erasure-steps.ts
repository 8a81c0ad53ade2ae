import type { LifecycleStore } from '../store/operations.ts'
import type { Kind } from '@vitae/contract'
import type { Alias } from '../../foundation/identifier.ts'
import { inChunks } from '../../database/sql/prepared.ts'
import type { GoneRecord } from '../store/erasure/notify-recipients.ts'
import type { SearchTerm } from '../store/erasure/mentions/search-terms.ts'
import type { Traced } from '../store/erasure/erase-traces.ts'
import type { MentionHit } from '../store/erasure/mentions/scan-mentions.ts'
import { bytesOfEvent } from '../store/erasure/sqlite-residue/deleted-bytes.ts'
import type { DeletedBytes } from '../../database/sqlite/reader/residue-search.ts'

/** The subjects of the store that an erasure uses. */
export type ErasingStore = Pick<LifecycleStore, 'erasure' | 'residue'>

export type ErasureStep = 'suppressing' | 'calls' | 'payloads' | 'erasing' | 'files'

/** Called periodically with the number of rows or pages that a step has processed. */
export type ErasureProgress = (step: ErasureStep, seen: number) => void

/** One subject of an erasure: its entities and names. */
export interface Target {
  kind: Kind
  entityIds: number[]
  /** The same with their keys. */
  records: GoneRecord[]
  callEntityIds: number[]
  asked: Alias[]
  /** Every name to suppress that the plan knows. */
  names: Alias[]
  searchTerms: SearchTerm[]
}

/** All subjects of an erasure, searched together: every step below scans the store once. */
export interface Sought {
  entityIds: number[]
  /** For the call log, which also contains entities that were merged away. */
  calls: Traced
  batches: Traced
  searchTerms: SearchTerm[]
  at: number
  onProgress: ErasureProgress
}

/** Matches are erased in short transactions: a charge waits a few milliseconds for one. */
const erasedAtOnce = 200
/** The terms of all subjects, possibly a thousand, are sent to the store with each chunk. */
const scannedAtOnce = 50_000
/** 2 GB: a separate process reads them, and its start should cost little in comparison. */
const pagesAtOnce = 524_288

/** Collects the search terms and ids of all subjects. */
export function soughtOf(targets: readonly Target[], at: number, onProgress: ErasureProgress = () => {}): Sought {
  const namesOf = (kind: Kind) => targets.filter((target) => target.kind === kind).flatMap(({ names }) => names)
  const names = { people: namesOf('people'), companies: namesOf('companies') }
  const entityIds = targets.flatMap((target) => target.entityIds)
  return {
    entityIds,
    calls: { entityIds: targets.flatMap(({ callEntityIds }) => callEntityIds), names },
    batches: { entityIds, names },
    searchTerms: targets.flatMap(({ searchTerms }) => searchTerms),
    at,
    onProgress,
  }
}

/** Removes the subjects from the call log after a request, or counts the rows that name them. */
export async function overCalls(
  store: ErasingStore,
  { calls: traced, at, onProgress }: Sought,
  from: string,
  dryRun: boolean,
): Promise<{ found: number; next: string }> {
  let found = 0
  let seen = 0
  for (let afterRequestId = from; ;) {
    const chunk = await store.erasure.findCalls({ traced, afterRequestId, limit: scannedAtOnce })
    if (!dryRun)
      for (const requestIds of inChunks(chunk.found, erasedAtOnce)) await store.erasure.eraseCalls({ requestIds, at })
    found += chunk.found.length
    onProgress('calls', (seen += scannedAtOnce))
    if (chunk.done) return { found, next: chunk.next }
    afterRequestId = chunk.next
  }
}

/** Empties the idempotency rows that refer to the subjects, or counts them. */
export async function overReplays(store: ErasingStore, { entityIds, at }: Sought, dryRun: boolean): Promise<number> {
  const found = await store.erasure.findReplays({ entityIds })
  if (!dryRun) for (const replays of inChunks(found, erasedAtOnce)) await store.erasure.eraseReplays({ replays, at })
  return found.length
}

/** Removes the subjects from batches; returns the texts that named them. */
export async function overBatches(store: ErasingStore, { batches: traced, at }: Sought): Promise<Uint8Array[]> {
  const texts: Uint8Array[] = []
  for (let after: { batchId: number; number: number } | null = { batchId: 0, number: 0 }; after !== null;) {
    const { found, next } = await store.erasure.findBatchRows({ traced, after, limit: scannedAtOnce })
    for (const places of inChunks(found, erasedAtOnce)) {
      const { inputs } = await store.erasure.eraseBatchRows({ places, at })
      texts.push(...inputs.map((input) => new Uint8Array(Buffer.from(input))))
    }
    after = next
  }
  return texts
}

/** Finds every payload and version of others that mentions one of the subjects, each once. */
export async function overMentions(
  store: ErasingStore,
  { searchTerms, entityIds: exceptEntityIds, onProgress }: Sought,
  onHit: (hit: MentionHit) => Promise<void>,
): Promise<void> {
  const known = new Set<string | number>()
  let seen = 0
  for (let after: number | null = 0; after !== null;) {
    const chunk = await store.erasure.scanMentions({ searchTerms, exceptEntityIds, after, limit: scannedAtOnce })
    for (const hit of chunk.hits) {
      const name = 'hash' in hit ? hit.hash : hit.versionId
      // Two fetches may have returned the same payload.
      if (known.has(name)) continue
      known.add(name)
      await onHit(hit)
    }
    after = chunk.next
    onProgress('payloads', (seen += chunk.scanned))
  }
}

/** Removes the events of others that mention a subject, or counts them; returns what the files contained of them. */
export async function overEventMentions(
  store: ErasingStore,
  { searchTerms, entityIds: exceptEntityIds, at }: Sought,
  dryRun: boolean,
): Promise<{ found: number; deleted: Uint8Array[] }> {
  const sum = { found: 0, deleted: new Array<Uint8Array>() }
  for (let after: number | null = 0; after !== null;) {
    const chunk = await store.erasure.findEventMentions({ searchTerms, exceptEntityIds, after, limit: scannedAtOnce })
    if (!dryRun)
      for (const events of inChunks(chunk.found, erasedAtOnce)) await store.erasure.eraseEvents({ events, at })
    sum.found += chunk.found.length
    sum.deleted.push(...chunk.found.flatMap(({ data }) => bytesOfEvent(data)))
    after = chunk.next
  }
  return sum
}

/** Ensures that no file of the embedded engine contains what was deleted; returns whether it was rewritten. */
export async function purgeFiles(
  store: ErasingStore,
  deleted: DeletedBytes,
  onProgress?: ErasureProgress,
): Promise<boolean> {
  await store.residue.checkpointLog({})
  for (let afterPage = 0, done = false; !done;) {
    const chunk = await store.residue.scanResidue({ deleted, afterPage, pages: pagesAtOnce })
    if (chunk.found) {
      await store.residue.purgeResidue({})
      return true
    }
    ;({ next: afterPage, done } = chunk)
    onProgress?.('files', afterPage)
  }
  return false
}
