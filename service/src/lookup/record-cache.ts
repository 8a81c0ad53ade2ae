import type { Kind } from '@vitae/contract'
import { LRUCache } from 'lru-cache'
import { identifierKey, type Alias } from '../foundation/identifier.ts'
import type { MatchFacts, NotLive } from '@vitae/provider'
import type { EmployerSites } from './match/expectations.ts'
import type { CutRecord } from '../records/body/record-bytes.ts'
import type { Fill } from '../records/filling/plan-fills.ts'

/** One stored version of a record, ready to be sent. */
export interface ReadyRecord extends CutRecord {
  kind: Kind
  entityId: number
  versionId: number
  fetchId: number | null
  provider: string
  fetchedAt: number
  sourceUpdatedAt: number | null
  thin: boolean
  /** Set on what a fetch brought from another service's store, and not live. */
  notLive?: NotLive
  /** Set on what a provider brought for a match: how sure it is. */
  match?: MatchFacts
  /** Set for a call that expects the domain of an employer: the sites of those that are stored. */
  sites?: EmployerSites
  /** Set where other versions fill units of it. */
  fold?: ReadyFold
  /** Set on what a fetch has just brought: the versions that it fetched. The record itself may be none of them. */
  fetched?: readonly FetchedVersion[]
}

/** A version that a call has fetched. */
export interface FetchedVersion {
  versionId: number
  provider: string
}

/** What other versions fill, and the record without it. */
export interface ReadyFold {
  /** Null until the fold is noted in the store, which an answer with it needs. */
  id: number | null
  fills: readonly Fill[]
  base: CutRecord & { thin: boolean }
}

/** A record, and the names that it was asked for by. */
interface Entry {
  record: ReadyRecord
  names: readonly string[]
}

/** What an entry takes besides its bytes: the record's object, its buffer, its offsets, and its place in the list. */
const overheadBytes = 800
const nameBytes = 200
const namesAtMost = 16

/**
 * Hot records as ready bytes, bounded by bytes. Two steps, alias to entity to record, so that all aliases of an
 * entity share one copy and see the newest version at once. An alias goes with its entity: it would lead nowhere.
 */
export class RecordCache {
  readonly #entities: LRUCache<number, Entry>
  readonly #aliases = new Map<string, number>()
  /** Counts withdrawals, so that a read can tell whether one happened since it began. */
  generation = 0
  /** False where changes elsewhere cannot reach this process. */
  mayCache: () => boolean = () => true

  constructor(maxBytes: number) {
    this.#entities = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: sizeOf,
      dispose: ({ names }, entityId, reason) => {
        if (reason !== 'set') this.#forgetNames(names, entityId)
      },
    })
  }

  get caching(): boolean {
    return this.mayCache()
  }

  get(name: string): ReadyRecord | undefined {
    if (!this.caching) return undefined
    const entityId = this.#aliases.get(name)
    return entityId === undefined ? undefined : this.#entities.get(entityId)?.record
  }

  /**
   * Keeps what was read since `generation`. What was withdrawn or erased meanwhile must not come back through a read
   * that began before, and an older version never replaces a newer one.
   */
  set(name: string, record: ReadyRecord, generation: number): void {
    if (!this.caching || generation !== this.generation) return
    const { entityId } = record
    const present = this.#entities.peek(entityId)
    const newest = present && present.record.versionId > record.versionId ? present.record : record
    const others = present?.names.filter((known) => known !== name) ?? []
    this.#forgetNames(others.slice(0, 1 - namesAtMost), entityId)
    this.#aliases.set(name, entityId)
    // A record larger than the whole cache is not kept, and its names go with it.
    this.#entities.set(entityId, { record: newest, names: [...others.slice(1 - namesAtMost), name] })
    if (!this.#entities.has(entityId)) this.#aliases.delete(name)
  }

  /** A fetch has brought a new version, and may have taken names from other entities: those are looked up again. */
  moved(name: string, record: ReadyRecord, aliases: readonly Alias[], generation: number): void {
    for (const alias of aliases) this.#aliases.delete(identifierKey({ ...alias, kind: record.kind }))
    this.#aliases.delete(name)
    const { entityId } = record
    const mayKeep = generation === this.generation
    // Something was withdrawn since: it is not kept, and neither is the version before it. Where there is none, all other reads go on.
    if (!mayKeep && this.#entities.has(entityId)) this.forgetEntity(entityId)
    if (mayKeep) this.set(name, record, generation)
  }

  forgetAlias(name: string): void {
    this.generation++
    this.#aliases.delete(name)
  }

  forgetEntity(entityId: number): void {
    this.generation++
    this.#entities.delete(entityId)
  }

  clear(): void {
    this.generation++
    this.#aliases.clear()
    this.#entities.clear()
  }

  get bytesHeld(): number {
    return this.#entities.calculatedSize
  }

  /** A name may lead to another entity by now: that one keeps it. */
  #forgetNames(names: readonly string[], entityId: number): void {
    for (const name of names) if (this.#aliases.get(name) === entityId) this.#aliases.delete(name)
  }
}

function sizeOf({ record, names }: Entry): number {
  const baseBytes = record.fold?.base.body.byteLength ?? 0
  return record.body.byteLength + baseBytes + overheadBytes + names.length * nameBytes
}
