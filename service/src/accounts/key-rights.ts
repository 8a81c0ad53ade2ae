import type { Kind, PersonPart } from '@vitae/contract'
import { personParts } from '@vitae/contract'
import {
  Failure,
  plainFailure,
  type closedProject,
  type endedKey,
  type KeyRefusal,
  type lackedRight,
} from '../foundation/failure.ts'
import type { Caller } from './key-cache.ts'

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
export interface HeldObject {
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
