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

/** What a key is used for. */
export interface KeyUse {
  /** The endpoint; null where the use is about no kind. */
  kind: Kind | null
  /** Whether it asks for a part of a person; left out where it asks for none. */
  asks?: ((part: PersonPart) => boolean) | undefined
  /** True where it leads to spending: refused while billing is blocked. */
  spends: boolean
  /** Where the call comes from; left out where the service itself makes it. */
  address?: string | undefined
}

/** What an object that a call made holds: who may reach it depends on this, and not on who made it. */
export interface HeldObject {
  mode: Caller['mode']
  kind: Kind
  /** The parts of people that it holds. */
  parts: Partial<Record<PersonPart, boolean>>
}

const parts = Object.keys(personParts) as PersonPart[]

/**
 * Why a key may not be used so at this moment, by one rule for all that asks it; null where it may. The ledger asks again
 * inside the transaction that charges.
 */
export function refusalOf(caller: Caller, use: KeyUse, now: number): KeyRefusal | null {
  return endOf(caller, now) ?? lackOf(caller, use)
}

/** Why a key that was valid once is no longer. */
export function endOf({ revokedAt, expiresAt }: Caller, now: number): (typeof endedKey)[number] | null {
  if (now >= revokedAt) return 'revoked_api_key'
  return now >= expiresAt ? 'expired_api_key' : null
}

/** What a living key lacks for a use. */
export function lackOf(
  caller: Caller,
  { kind, asks, spends, address }: KeyUse,
): (typeof closedProject)[number] | (typeof lackedRight)[number] | null {
  if (caller.suspended) return 'project_suspended'
  if (spends && caller.billingBlocked) return 'billing_blocked'
  if (address !== undefined && caller.networks && !caller.networks.includes(address)) return 'address_not_allowed'
  return kind === null ? null : missingRight(caller, kind, asks)
}

/** The right that a key has not: to an endpoint, or to a part that is asked for there. */
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
 * The object, if this key may reach it, asked at every use of it. To a key of the other mode it is as if there were none; one
 * of its own mode is told which right it lacks.
 */
export function reachedBy<Found extends HeldObject>(caller: Caller, found: Found | null, absent: string): Found {
  if (!found || found.mode !== caller.mode) throw new Failure('not_found', { detail: absent })
  const missing = missingRight(caller, found.kind, (part) => found.parts[part] === true)
  if (missing) throw plainFailure(missing)
  return found
}

/**
 * Whether records of this price are closed to a key because one of its ceilings is 0. It could buy none, so it is given none
 * that another key of its environment has paid for. A ceiling that is spent closes nothing: what was bought stays bought.
 */
export function mayNotBuy({ mode, buysNothing }: Caller, price: number): boolean {
  return mode === 'live' && buysNothing && price > 0
}

/** The endpoints that a key may use, and the parts that it may not ask for: what it finds in lists depends on them. */
export function reachOf({ mode, endpoints, parts: allowed }: Caller) {
  return {
    mode,
    kinds: endpoints && [...endpoints],
    hiddenParts: allowed ? parts.filter((part) => !allowed.has(part)) : [],
  }
}
