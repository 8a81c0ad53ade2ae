import type { Kind } from '@vitae/contract'
import { LRUCache } from 'lru-cache'
import type { Alias, Identifier } from '../foundation/identifier.ts'
import { variantOf, type PartOffsets, type PartsAsked } from '../records/variants.ts'

/** The bytes of a record, per combination of its optional parts. */
export interface Variants {
  body: Buffer
  parts: PartOffsets
  /** Made when first asked for. */
  variants: Buffer[]
}

/** One stored version of a record, ready to be sent. */
export interface ReadyRecord extends Variants {
  kind: Kind
  entityId: number
  versionId: number
  fetchId: number | null
  provider: string
  fetchedAt: number
  sourceUpdatedAt: number | null
  thin: boolean
}

const overheadBytes = 600
const aliasesAtMost = 2_000_000
const aliasBytes = 200

/** The name of an identifier inside caches and flights. */
export function identifierName(identifier: Identifier): string {
  return `${identifier.kind}/${identifier.type}/${identifier.value}`
}

/**
 * Hot records as ready bytes, bounded by bytes. Two steps, alias to entity to record, so that all aliases of an
 * entity share one copy and see the newest version at once.
 */
export class RecordCache {
  readonly #entities: LRUCache<number, ReadyRecord>
  readonly #aliases: LRUCache<string, number>
  /** Counts withdrawals, so that a read can tell whether one happened since it began. */
  generation = 0
  /** Switched off where changes elsewhere cannot reach this process. */
  caching = true

  constructor(maxBytes: number) {
    this.#entities = new LRUCache({ maxSize: maxBytes, sizeCalculation: (record) => sizeOf(record) })
    // By size, because a cache by count reserves the room for all of them at the start.
    const aliases = Math.min(aliasesAtMost, Math.max(1_000, Math.floor(maxBytes / aliasBytes)))
    this.#aliases = new LRUCache({ maxSize: aliases, sizeCalculation: () => 1 })
  }

  get(name: string): ReadyRecord | undefined {
    if (!this.caching) return undefined
    const entityId = this.#aliases.get(name)
    return entityId === undefined ? undefined : this.#entities.get(entityId)
  }

  /**
   * Keeps what was read since `generation`. What was withdrawn or erased meanwhile must not come back through a read
   * that began before, and an older version never replaces a newer one.
   */
  set(name: string, record: ReadyRecord, generation: number): void {
    if (!this.caching || generation !== this.generation) return
    this.#aliases.set(name, record.entityId)
    const present = this.#entities.peek(record.entityId)
    if (!present || present.versionId <= record.versionId) this.#entities.set(record.entityId, record)
  }

  /** A fetch has brought a new version, and perhaps taken names from other entities: they are found anew. */
  moved(name: string, record: ReadyRecord, aliases: readonly Alias[], generation: number): void {
    for (const { type, value } of aliases) this.#aliases.delete(`${record.kind}/${type}/${value}`)
    this.set(name, record, generation)
  }

  /** The bytes to send for a choice of optional parts. */
  bytes(record: ReadyRecord, include: PartsAsked): Buffer {
    const before = record.variants[variantIndex(include)]
    const bytes = before ?? variantBytes(record, include)
    // The entry grew: put it again, so that its bytes are counted.
    const grew = !before && bytes !== record.body
    if (grew && this.#entities.peek(record.entityId) === record) this.#entities.set(record.entityId, record)
    return bytes
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
}

/** The bytes for a choice of optional parts; made once per combination, by slicing. */
export function variantBytes({ body, parts, variants }: Variants, include: PartsAsked): Buffer {
  return (variants[variantIndex(include)] ??= variantOf(body, parts, include))
}

function variantIndex({ contact, network, verifications }: PartsAsked): number {
  return (contact ? 4 : 0) + (network ? 2 : 0) + (verifications ? 1 : 0)
}

function sizeOf(record: ReadyRecord): number {
  const variants = record.variants.reduce(
    (sum, variant) => sum + (variant && variant !== record.body ? variant.byteLength : 0),
    0,
  )
  return record.body.byteLength + variants + overheadBytes
}
