import type { Kind, PersonPart } from '@vitae/contract'
import { expect, test } from 'vitest'
import {
  type Caller,
  endOf,
  lackOf,
  mayNotBuy,
  missingRight,
  reachedBy,
  reachOf,
  refusalOf,
  type KeyUse,
} from '../../src/accounts/caller.ts'
import type { Failure } from '../../src/foundation/failure.ts'

const free: Caller = {
  keyId: 'key_1',
  environmentId: 1,
  project: 'acme',
  environment: 'production',
  mode: 'live',
  label: null,
  rate: { limit: 1, windowMs: 1_000 },
  hasDailyCeiling: false,
  buysNothing: false,
  endpoints: null,
  parts: null,
  networks: null,
  expiresAt: Infinity,
  revokedAt: Infinity,
  suspended: false,
  billingBlocked: false,
  route: null,
}
const people: KeyUse = { kind: 'people', spends: true, address: '10.0.0.1' }
const asksFor =
  (...wanted: PersonPart[]) =>
  (part: PersonPart) =>
    wanted.includes(part)
const only = (...kinds: Kind[]) => new Set(kinds)
const networks = { list: ['10.0.0.1'], includes: (address: string) => address === '10.0.0.1' }

test('a key ends at its revocation or its expiry, and a revocation is reported first', () => {
  expect(endOf({ ...free, revokedAt: 10, expiresAt: 10 }, 9)).toBeNull()
  expect(endOf({ ...free, expiresAt: 10 }, 9)).toBeNull()
  expect(endOf({ ...free, expiresAt: 10 }, 10)).toBe('expired_api_key')
  expect(endOf({ ...free, revokedAt: 10 }, 10)).toBe('revoked_api_key')
  expect(endOf({ ...free, revokedAt: 10, expiresAt: 5 }, 10)).toBe('revoked_api_key')
})

test('missing rights of a valid key are reported in one order: project, billing, address, endpoint, part', () => {
  const worst: Caller = {
    ...free,
    suspended: true,
    billingBlocked: true,
    networks: { list: [], includes: () => false },
    endpoints: only('companies'),
    parts: new Set(),
  }
  const use: KeyUse = { ...people, asks: asksFor('contact') }
  expect(lackOf(worst, use)).toBe('project_suspended')
  expect(lackOf({ ...worst, suspended: false }, use)).toBe('billing_blocked')
  expect(lackOf({ ...worst, suspended: false }, { ...use, spends: false })).toBe('address_not_allowed')
  expect(lackOf({ ...worst, suspended: false, billingBlocked: false }, use)).toBe('address_not_allowed')
  expect(lackOf({ ...worst, suspended: false, billingBlocked: false, networks }, use)).toBe('endpoint_not_allowed')
  const known = { ...worst, suspended: false, billingBlocked: false, networks, endpoints: only('people') }
  expect(lackOf(known, use)).toBe('part_not_allowed')
  expect(lackOf(known, people)).toBeNull()
  expect(lackOf(free, use)).toBeNull()
})

test('a use without an address or a kind is not refused for lack of one', () => {
  const closed: Caller = { ...free, networks: { list: [], includes: () => false }, endpoints: new Set() }
  expect(lackOf(closed, { kind: null, spends: true })).toBeNull()
  expect(lackOf(closed, { kind: 'people', spends: true })).toBe('endpoint_not_allowed')
  expect(lackOf({ ...free, networks }, { ...people, address: '10.0.0.2' })).toBe('address_not_allowed')
  expect(lackOf({ ...free, networks }, people)).toBeNull()
})

test('an ended key is reported as ended before any missing right', () => {
  expect(refusalOf({ ...free, revokedAt: 1, suspended: true }, people, 1)).toBe('revoked_api_key')
  expect(refusalOf({ ...free, revokedAt: 2, suspended: true }, people, 1)).toBe('project_suspended')
  expect(refusalOf(free, people, 1)).toBeNull()
})

test('part rights apply to people only, and only to requested parts', () => {
  const key: Caller = { ...free, parts: new Set<PersonPart>(['contact']) }
  expect(missingRight(key, 'people', asksFor('contact'))).toBeNull()
  expect(missingRight(key, 'people', asksFor('contact', 'network'))).toBe('part_not_allowed')
  expect(missingRight(key, 'people', asksFor('verifications'))).toBe('part_not_allowed')
  expect(missingRight(key, 'people')).toBeNull()
  expect(missingRight(key, 'companies', asksFor('network'))).toBeNull()
  expect(missingRight(free, 'people', asksFor('network'))).toBeNull()
})

test('an object is accessible to keys of its mode that have its endpoint and all its parts', () => {
  const object = { mode: 'live' as const, kind: 'people' as const, parts: { contact: true, network: false } }
  const absent = 'There is no such batch.'
  const code = (work: () => unknown) => {
    try {
      return work()
    } catch (error) {
      const { code: name, message } = error as Failure
      return name === 'not_found' ? `${name} ${message}` : name
    }
  }
  expect(reachedBy(free, object, absent)).toBe(object)
  expect(code(() => reachedBy(free, null, absent))).toBe(`not_found ${absent}`)
  expect(code(() => reachedBy({ ...free, mode: 'test' }, object, absent))).toBe(`not_found ${absent}`)
  expect(code(() => reachedBy({ ...free, endpoints: only('companies') }, object, absent))).toBe('endpoint_not_allowed')
  expect(code(() => reachedBy({ ...free, parts: new Set<PersonPart>(['network']) }, object, absent))).toBe(
    'part_not_allowed',
  )
  expect(reachedBy({ ...free, parts: new Set<PersonPart>(['contact']) }, object, absent)).toBe(object)
})

test('a live key with a ceiling of 0 cannot be assigned paid work', () => {
  const none: Caller = { ...free, buysNothing: true }
  expect(mayNotBuy(none, 1)).toBe(true)
  expect(mayNotBuy(none, 0)).toBe(false)
  expect(mayNotBuy({ ...none, mode: 'test' }, 1)).toBe(false)
  expect(mayNotBuy(free, 1)).toBe(false)
})

test('lists are cut to the endpoints of a key, and to the parts that it may request', () => {
  expect(reachOf(free)).toEqual({ mode: 'live', kinds: null, hiddenParts: [] })
  const key: Caller = { ...free, mode: 'test', endpoints: only('people'), parts: new Set<PersonPart>(['contact']) }
  expect(reachOf(key)).toEqual({ mode: 'test', kinds: ['people'], hiddenParts: ['network', 'verifications'] })
})
