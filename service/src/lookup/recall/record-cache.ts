import type { Kind } from '@vitae/contract'
import { LRUCache } from 'lru-cache'
import { identifierKey, type Alias } from '../../foundation/identifier.ts'
import type { MatchFacts, NotLive } from '@vitae/provider'
import type { EmployerSites } from '../asked/expectations.ts'
import type { CutRecord } from '../../records/body/record-bytes.ts'
import type { Fill } from '../../records/filling/plan-fills.ts'

/** One stored version of a record, in the form in which it is sent. */
export interface ReadyRecord extends CutRecord {
  kind: Kind
  entityId: number
  /** `member_urn` or `company_id`. */
  key: string
  versionId: number
  fetchId: number | null
  provider: string
  fetchedAt: number
  sourceUpdatedAt: number | null
  thin: boolean
  /** Set if a fetch returned a copy from another service's store instead of live data. */
  notLive?: NotLive
  /** Set if a provider found the record for a match: its likelihood. */
  match?: MatchFacts
  /** Set for a call that expects an employer's domain: the sites of the employers whose records are stored. */
  sites?: EmployerSites
  /** Set if other versions fill some of its units. */
  fold?: ReadyFold
  /** Set right after a fetch: the versions that it fetched. The record itself may not be one of them. */
  fetched?: readonly FetchedVersion[]
}

/** A version that a call has fetched. */
export interface FetchedVersion {
  versionId: number
  provider: string
}

/** The fills from other versions, and the record without them. */
export interface ReadyFold {
  /** Null until the fold is recorded in the store, which must happen before an answer uses it. */
  id: number | null
  fills: readonly Fill[]
  base: CutRecord & { thin: boolean }
}

/** A record and the names under which it was requested. */
interface Entry {
  record: ReadyRecord
  names: readonly string[]
}

/** Memory of an entry besides its bytes: the record object, its buffer, its offsets and its place in the list. */
const overheadBytes = 800
const nameBytes = 200
const namesAtMost = 16

/**
 * Hot records as ready bytes, limited by bytes. Aliases point to entities and entities to records, so that all aliases
 * of an entity share one copy and see its newest version at once. Evicting an entity removes its aliases.
 */
export class RecordCache {
  readonly #entities: LRUCache<number, Entry>
  readonly #aliases = new Map<string, number>()
  /** Counts withdrawals, so that a read can detect one that happened after it began. */
  generation = 0
  /** False while changes on other nodes cannot reach this process. */
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
   * Caches a record that was read since `generation`. A read that began before a withdrawal or an erasure must not
   * bring the record back, and an older version never replaces a newer one.
   */
  set(name: string, record: ReadyRecord, generation: number): void {
    if (!this.caching || generation !== this.generation) return
    const { entityId } = record
    const present = this.#entities.peek(entityId)
    const newest = present && present.record.versionId > record.versionId ? present.record : record
    const others = present?.names.filter((known) => known !== name) ?? []
    this.#forgetNames(others.slice(0, 1 - namesAtMost), entityId)
    this.#aliases.set(name, entityId)
    // A record larger than the whole cache is not kept, nor are its names.
    this.#entities.set(entityId, { record: newest, names: [...others.slice(1 - namesAtMost), name] })
    if (!this.#entities.has(entityId)) this.#aliases.delete(name)
  }

  /** Caches a newly fetched version. The fetch may have taken names from other entities, so those are read again. */
  moved(name: string, record: ReadyRecord, aliases: readonly Alias[], generation: number): void {
    for (const alias of aliases) this.#aliases.delete(identifierKey({ ...alias, kind: record.kind }))
    this.#aliases.delete(name)
    const { entityId } = record
    const mayKeep = generation === this.generation
    // Something was withdrawn since the fetch began, so neither the new nor the cached version is kept. If the entity
    // is not cached, other reads stay valid.
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

  /** A name that points to another entity by now stays. */
  #forgetNames(names: readonly string[], entityId: number): void {
    for (const name of names) if (this.#aliases.get(name) === entityId) this.#aliases.delete(name)
  }
}

function sizeOf({ record, names }: Entry): number {
  const baseBytes = record.fold?.base.body.byteLength ?? 0
  return record.body.byteLength + baseBytes + overheadBytes + names.length * nameBytes
}
