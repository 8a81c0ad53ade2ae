import type { Kind, PersonPart } from '@vitae/contract'
import { revokedFrom } from '../database/sql/working-keys.ts'
import type { Store } from '../database/engine/operation.ts'
import { plainFailure } from '../foundation/failure.ts'
import { networkSet, type Networks } from '../foundation/networks.ts'
import type { Rate } from '../foundation/rate.ts'
import { readRoute, type Route } from '../foundation/environments/route.ts'
import { hashApiKey, isWellFormedKey } from './api-key.ts'
import type { FoundKey } from './find-key.ts'
import { parseList } from './key.ts'
import type { AccountOperations } from './operations.ts'

/** The caller: a known key with everything that its calls depend on. */
export interface Caller {
  keyId: string
  environmentId: number
  project: string
  environment: string
  mode: 'live' | 'test'
  label: string | null
  rate: Rate
  hasDailyCeiling: boolean
  /** One of its ceilings is 0: it may see no paid record, not even one that another key has paid for. */
  buysNothing: boolean
  endpoints: ReadonlySet<Kind> | null
  parts: ReadonlySet<PersonPart> | null
  networks: (Networks & { list: readonly string[] }) | null
  expiresAt: number
  /** -Infinity once it is revoked; a future time during the overlap of a rotation. */
  revokedAt: number
  suspended: boolean
  billingBlocked: boolean
  /** The providers that may answer its environment. */
  route: Route
}

const cachedAtMost = 50_000

interface Deps {
  store: Pick<Store<AccountOperations>, 'findKey' | 'findKeyById'>
  defaultRate: Rate
}

/**
 * Finds the caller of a key. A known key is hashed and read once and then found by its text, until `forget` is called.
 * Every change of a key or a project calls it before the change is confirmed.
 */
export class KeyCache {
  readonly #deps: Deps
  readonly #callers = new Map<string, Caller>()
  #generation = 0
  /** False while changes in other processes cannot reach this one: then every call reads the store. */
  mayCache: () => boolean = () => true

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get caching(): boolean {
    return this.mayCache()
  }

  /** The caller of a cached key; undefined if the store must be read. */
  known(key: string): Caller | undefined {
    return this.caching ? this.#callers.get(key) : undefined
  }

  /** Finds the caller, or fails with the reason why the key is refused. */
  async find(key: string): Promise<Caller> {
    if (!isWellFormedKey(key)) throw plainFailure('invalid_api_key')
    const generation = this.#generation
    const row = await this.#deps.store.findKey({ hash: hashApiKey(key) })
    if (!row) throw plainFailure('invalid_api_key')
    const caller = toCaller(row, this.#deps.defaultRate)
    // A key that changed while it was being read must not be cached in its old state.
    if (this.caching && generation === this.#generation) this.#remember(key, caller)
    return caller
  }

  /** The caller of a key that the service itself makes calls for; read from the store each time. */
  async findById(id: string): Promise<Caller | null> {
    const row = await this.#deps.store.findKeyById({ id })
    return row && toCaller(row, this.#deps.defaultRate)
  }

  /** A plain map that is emptied when full: an LRU list would cost more per call than it saves. */
  #remember(key: string, caller: Caller): void {
    if (this.#callers.size >= cachedAtMost) this.#callers.clear()
    this.#callers.set(key, caller)
  }

  /**
   * Clears the cache, so that the next call of each key reads the store. Changes are rare, so this is simple and exact.
   */
  forget(): void {
    this.#generation++
    this.#callers.clear()
  }
}

/** Builds the caller of a stored key. */
export function toCaller(row: FoundKey, defaultRate: Rate): Caller {
  const endpoints = parseList<Kind>(row.endpoints)
  const parts = parseList<PersonPart>(row.parts)
  const networks = parseList(row.networks)
  const ownRate = row.rate_limit !== null && row.rate_window_ms !== null
  return {
    keyId: row.id,
    environmentId: row.environment_id,
    project: row.project,
    environment: row.environment,
    mode: row.mode,
    label: row.label,
    rate: ownRate ? { limit: row.rate_limit ?? 0, windowMs: row.rate_window_ms ?? 0 } : defaultRate,
    hasDailyCeiling: row.daily_ceiling !== null,
    buysNothing: row.ceiling === 0 || row.daily_ceiling === 0,
    endpoints: endpoints && new Set(endpoints),
    parts: parts && new Set(parts),
    networks: networks && { ...networkSet(networks), list: networks },
    expiresAt: row.expires_at ?? Infinity,
    revokedAt: revokedFrom(row) ?? Infinity,
    suspended: row.suspended === 1,
    billingBlocked: row.billing_blocked === 1,
    route: readRoute(row.route),
  }
}
