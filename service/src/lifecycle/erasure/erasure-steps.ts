import type { Kind } from '@vitae/contract'
import type { Alias } from '../../foundation/identifier.ts'
import type { SearchTerm } from './search-terms.ts'
import type { LifecycleStore } from '../operations.ts'
import type { DeletedBytes } from '../../database/sqlite/reader/residue-search.ts'

/** The operations that an erasure is made of. */
export type ErasureStore = Pick<
  LifecycleStore,
  | 'planErasure'
  | 'eraseCalls'
  | 'eraseReplays'
  | 'eraseBatchRows'
  | 'eraseEventMentions'
  | 'scanMentions'
  | 'scanVersionMentions'
  | 'redactPayload'
  | 'redactVersion'
  | 'checkpointLog'
  | 'scanResidue'
  | 'purgeResidue'
>

export type ErasureStep = 'calls' | 'payloads' | 'records' | 'files'

/** Called now and then with the rows or pages that a step has seen so far. */
export type ErasureProgress = (step: ErasureStep, seen: number) => void

/** The subject of an erasure: its entities and names. */
export interface Target {
  kind: Kind
  entityIds: number[]
  callEntityIds: number[]
  asked: Alias[]
  /** Every name to be kept out, as far as the plan knows. */
  names: Alias[]
  searchTerms: SearchTerm[]
  onProgress: ErasureProgress
}

const rowsAtOnce = 2_000
const bodiesAtOnce = 100
/** 256 MB: a process reads them, and its start should cost little beside that. */
const pagesAtOnce = 65_536

/** Removes the subject from the call log after some request, or counts the rows that name it. */
export async function overCalls(
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

/** Removes the subject from batches; gives the texts that named it. */
export async function overBatches(store: ErasureStore, target: Target): Promise<Uint8Array[]> {
  const { kind, entityIds, names: aliases } = target
  const texts: Uint8Array[] = []
  for (let after = { batchId: 0, number: 0 }; ;) {
    const { inputs, next } = await store.eraseBatchRows({ kind, entityIds, aliases, after, limit: rowsAtOnce })
    texts.push(...inputs.map((input) => new Uint8Array(Buffer.from(input))))
    if (!next) return texts
    after = next
  }
}

/**
 * Finds every payload (by hash) and version (by id) of others that mentions the subject. A company's mentions are looked
 * for in other companies' data only: where someone worked is that person's data.
 */
export async function overMentions(
  store: ErasureStore,
  target: Target,
  onHit: (hit: string | number) => Promise<void>,
): Promise<void> {
  const about = target.kind === 'companies' ? { kind: target.kind } : {}
  const scan = { ...about, searchTerms: target.searchTerms, limit: bodiesAtOnce, exceptEntityIds: target.entityIds }
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

/** Removes the events of others that mention the subject, or counts them; gives what the files held of them. */
export async function overEventMentions(
  store: ErasureStore,
  { kind, searchTerms, entityIds: exceptEntityIds }: Target,
  dryRun: boolean,
): Promise<{ found: number; deleted: Uint8Array[] }> {
  const sum = { found: 0, deleted: new Array<Uint8Array>() }
  for (let after: number | null = 0; after !== null;) {
    const scan = { kind, searchTerms, exceptEntityIds, after, limit: rowsAtOnce, dryRun }
    const chunk = await store.eraseEventMentions(scan)
    sum.found += chunk.found
    sum.deleted.push(...chunk.deleted)
    after = chunk.next
  }
  return sum
}

/** What the files took: whether they were rewritten, and which tables of PostgreSQL still are to be. */
export interface FilesPurged {
  rewritten: boolean
  left: string[]
}

/** Makes sure that no file holds what was deleted. */
export async function purgeFiles(
  store: ErasureStore,
  deleted: DeletedBytes,
  onProgress?: ErasureProgress,
): Promise<FilesPurged> {
  await store.checkpointLog({})
  for (let afterPage = 0, done = false; !done;) {
    const chunk = await store.scanResidue({ deleted, afterPage, pages: pagesAtOnce })
    if (chunk.found) return { rewritten: true, ...(await store.purgeResidue({})) }
    ;({ next: afterPage, done } = chunk)
    onProgress?.('files', afterPage)
  }
  return { rewritten: false, left: [] }
}
