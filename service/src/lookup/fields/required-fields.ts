import { LRUCache } from 'lru-cache'
import type { Clock } from '../../foundation/clock.ts'
import { Failure } from '../../foundation/failure.ts'

/** The paths under which a record has no value. A list has a value as soon as one of its items has one. */
export function missingFields(body: Uint8Array, require: readonly string[]): string[] {
  const record: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString())
  return require.filter((path) => !hasPath(record, path.split('.')))
}

function hasPath(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return hasValue(value)
  if (Array.isArray(value)) return value.some((item) => hasPath(item, [step, ...rest]))
  return isObject(value) && hasPath(value[step], rest)
}

/** Null, empty strings, empty lists and objects without values do not count as values; numbers and booleans do. */
function hasValue(value: unknown): boolean {
  if (value === null || value === undefined) return false
  if (typeof value === 'string') return value.trim() !== ''
  if (Array.isArray(value)) return value.some(hasValue)
  return isObject(value) ? Object.values(value).some(hasValue) : true
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The failure of a call that no provider could satisfy. It lists the missing paths and costs nothing. */
export function requiredFieldsMissing(missing: readonly string[]): Failure {
  return new Failure('required_fields_missing', {
    detail: `No provider has ${missing.join(', ')} for this record.`,
    errors: missing.map((path) => ({ parameter: 'require', detail: path })),
  })
}

interface Lack {
  provider: string
  paths: readonly string[]
  at: number
}

/** Remembers which fields providers lack, so that a repeated call does not ask them again for a while. */
export class FieldLacks {
  /** Per record: each entry states that a provider has no record with all of these paths. */
  readonly #known = new LRUCache<string, Lack[]>({ maxSize: 20_000, sizeCalculation: () => 1 })
  readonly #clock: Clock
  readonly #lengthMs: number

  constructor(clock: Clock, lengthMs: number) {
    this.#clock = clock
    this.#lengthMs = lengthMs
  }

  /** Records that a provider has no record with all of these paths; without paths, that it has no record at all. */
  note(name: string, provider: string, paths: readonly string[]): void {
    this.#known.set(name, [...this.#recent(name), { provider, paths, at: this.#clock.elapsed() }])
  }

  /**
   * The providers that cannot satisfy the paths, and the shortest list of missing paths among them. A repeated call
   * fails with the same list.
   */
  lacking(name: string, require: readonly string[]): { providers: Set<string>; paths: string[] } {
    const lacks = this.#recent(name).filter(({ paths }) => paths.every((path) => require.includes(path)))
    const byProvider = Map.groupBy(lacks, ({ provider }) => provider)
    const each = [...byProvider.values()].map((all) => [...new Set(all.flatMap(({ paths }) => paths))])
    const [fewest = []] = each.toSorted((a, b) => a.length - b.length)
    return { providers: new Set(byProvider.keys()), paths: fewest }
  }

  #recent(name: string) {
    const since = this.#clock.elapsed() - this.#lengthMs
    return (this.#known.get(name) ?? []).filter(({ at }) => at > since).slice(-100)
  }
}
