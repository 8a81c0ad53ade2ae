import type { Identifier } from '../foundation/identifier.ts'
import { slugOf } from './vocabulary/addresses.ts'
import { chanceOf, numberOf } from './vocabulary/chance.ts'
import { type Name, type Place, places } from './vocabulary/places.ts'
import { type Trade, trades } from './vocabulary/trades.ts'

/** A person, derived from a number, so that every identifier of one person returns the same record. */
export interface PersonCore {
  memberUrn: string
  entityUrn: string
  slug: string
  first: Name
  last: Name
  place: Place
  trade: Trade
}

const firstMember = 800_000_000
const members = 100_000_000
const opaqueMark = 'sample-member-'

/** The person of an identifier; the given slug, member id or URN is kept, the others are made up. */
export function personCore(identifier: Identifier): PersonCore {
  const core = coreOfNumber(memberNumber(identifier))
  if (identifier.type === 'opaque') return { ...core, entityUrn: entityUrn(identifier.value) }
  if (identifier.type === 'urn') return { ...core, memberUrn: identifier.value }
  return { ...core, slug: identifier.value }
}

function memberNumber({ type, value }: Identifier): number {
  const own = type === 'opaque' ? numberInOpaque(value) : type === 'urn' ? numberInUrn(value) : numberInSlug(value)
  return own ?? firstMember + numberOf(`person ${type} ${value}`, members)
}

function numberInOpaque(value: string): number | null {
  const text = Buffer.from(value.slice('ACoAA'.length), 'base64url').toString('latin1')
  const number = text.startsWith(opaqueMark) ? text.slice(opaqueMark.length) : ''
  return /^8\d{8}$/.test(number) ? Number(number) : null
}

function numberInUrn(urn: string): number | null {
  return Number(/^urn:li:member:(8\d{8})$/.exec(urn)?.[1]) || null
}

function numberInSlug(slug: string): number | null {
  const number = Number(/-(8\d{8})$/.exec(slug)?.[1])
  return number && coreOfNumber(number).slug === slug ? number : null
}

function coreOfNumber(number: number): PersonCore {
  const chance = chanceOf(`person ${number}`)
  const place = chance.pick(places)
  const first = chance.pick(place.firstNames)
  const last = chance.pick(place.lastNames)
  return {
    memberUrn: `urn:li:member:${number}`,
    entityUrn: entityUrn(`ACoAA${Buffer.from(`${opaqueMark}${number}`).toString('base64url')}`),
    slug: slugOf(first.latin, last.latin, String(number)),
    first,
    last,
    place,
    trade: chance.pick(trades),
  }
}

function entityUrn(memberId: string): string {
  return `urn:li:fsd_profile:${memberId}`
}
