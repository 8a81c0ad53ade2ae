import type { KeyStore } from './key-operations.ts'
import { type Kind, type PersonPart, personParts } from '@vitae/contract'
import { revokedFrom } from '../database/sql/prepared.ts'
import {
  plainFailure,
  Failure,
  type closedProject,
  type endedKey,
  type KeyRefusal,
  type lackedRight,
} from '../foundation/failure.ts'
import { networkSet, type Networks } from '../foundation/networks.ts'
import type { Rate } from '../foundation/rate.ts'
import { readRoute, type Route } from '../foundation/environments/route.ts'
import { hashApiKey, isWellFormedKey } from './api-key.ts'
import type { FoundKey } from './find-key.ts'
import { parseList } from './key.ts'

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
  /** A ceiling of the key is 0: it may not read any paid record, not even one that another key has paid for. */
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
  store: { keys: Pick<KeyStore, 'findKey'> }
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
    const row = await this.#deps.store.keys.findKey({ hash: hashApiKey(key) })
    if (!row) throw plainFailure('invalid_api_key')
    const caller = toCaller(row, this.#deps.defaultRate)
    // A key that changed while it was being read must not be cached in its old state.
    if (this.caching && generation === this.#generation) this.#remember(key, caller)
    return caller
  }

  /** The caller of a key that the service itself makes calls for; read from the store each time. */
  async findById(id: string): Promise<Caller | null> {
    const row = await this.#deps.store.keys.findKey({ id })
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

/** A use of a key. */
export interface KeyUse {
  /** The endpoint; null if the use is not about one kind. */
  kind: Kind | null
  /** Whether it asks for a part of a person; omitted if it asks for none. */
  asks?: ((part: PersonPart) => boolean) | undefined
  /** True if it may spend credits: then it is refused while billing is blocked. */
  spends: boolean
  /** The address of the caller; omitted if the service itself makes the call. */
  address?: string | undefined
}

/** The contents of an object that a call created. They decide who may access it, not who created it. */
interface HeldObject {
  mode: Caller['mode']
  kind: Kind
  /** The parts of people that it contains. */
  parts: Partial<Record<PersonPart, boolean>>
}

const parts = Object.keys(personParts) as PersonPart[]

/**
 * Why a key may not be used this way now; null if it may. One rule for all callers. The ledger checks again inside the
 * transaction that charges.
 */
export function refusalOf(caller: Caller, use: KeyUse, now: number): KeyRefusal | null {
  return endOf(caller, now) ?? lackOf(caller, use)
}

/** Why a formerly valid key is no longer valid. */
export function endOf({ revokedAt, expiresAt }: Caller, now: number): (typeof endedKey)[number] | null {
  if (now >= revokedAt) return 'revoked_api_key'
  return now >= expiresAt ? 'expired_api_key' : null
}

/** The right that an active key lacks for a use. */
export function lackOf(
  caller: Caller,
  { kind, asks, spends, address }: KeyUse,
): (typeof closedProject)[number] | (typeof lackedRight)[number] | null {
  if (caller.suspended) return 'project_suspended'
  if (spends && caller.billingBlocked) return 'billing_blocked'
  if (address !== undefined && caller.networks && !caller.networks.includes(address)) return 'address_not_allowed'
  return kind === null ? null : missingRight(caller, kind, asks)
}

/** The missing right: to an endpoint, or to a part that is requested there. */
export function missingRight(
  { endpoints, parts: allowed }: Caller,
  kind: Kind,
  asks?: KeyUse['asks'],
): Exclude<(typeof lackedRight)[number], 'address_not_allowed'> | null {
  if (endpoints && !endpoints.has(kind)) return 'endpoint_not_allowed'
  if (!allowed || !asks || kind !== 'people') return null
  return parts.some((part) => !allowed.has(part) && asks(part)) ? 'part_not_allowed' : null
}

/**
 * The object, if this key may access it; checked at every use. For a key of the other mode it does not exist; a key of
 * the same mode gets the missing right.
 */
export function reachedBy<Found extends HeldObject>(caller: Caller, found: Found | null, absent: string): Found {
  if (!found || found.mode !== caller.mode) throw new Failure('not_found', { detail: absent })
  const missing = missingRight(caller, found.kind, (part) => found.parts[part] === true)
  if (missing) throw plainFailure(missing)
  return found
}

/**
 * Whether records of this price are closed to a key because one of its ceilings is 0. Such a key could not buy them, so
 * it may not see those that other keys paid for. A ceiling that is used up closes nothing: paid records stay
 * accessible.
 */
export function mayNotBuy({ mode, buysNothing }: Caller, price: number): boolean {
  return mode === 'live' && buysNothing && price > 0
}

/** The endpoints that a key may use and the parts that it may not request: lists are filtered by them. */
export function reachOf({ mode, endpoints, parts: allowed }: Caller) {
  return {
    mode,
    kinds: endpoints && [...endpoints],
    hiddenParts: allowed ? parts.filter((part) => !allowed.has(part)) : [],
  }
}
