import type { Written } from './name-pools.ts'

/** Days count from the first day of the run. Earlier events have negative days. */
export type Day = number

/** A value that is valid from a day on, until the next entry of its list. */
export interface Since<T> {
  from: Day
  value: T
}

export interface Name {
  first: Written
  last: Written
}

export interface Role {
  /** An index into `titles`. */
  title: number
  from: Day
}

/** One employment, from the first day to the last. */
export interface Stint {
  company: number
  from: Day
  to: Day | null
  roles: Role[]
}

export interface Person {
  id: number
  /** The platform's number. */
  member: number
  country: string
  email: string
  names: Since<Name>[]
  slugs: Since<string>[]
  /** Days on which the page is hidden. */
  hidden: { from: Day; to: Day }[]
  /** In order of their start. */
  stints: Stint[]
}

export interface Company {
  id: number
  number: number
  country: string
  names: Since<string>[]
  slugs: Since<string>[]
  site: string
  /** From that day on its page belongs to the other company. */
  merged: { from: Day; into: number } | null
}

/** All facts of one seed. */
export interface Truth {
  people: Person[]
  companies: Company[]
  /** The number of lives with each event. */
  happened: Record<string, number>
}

/** The last day of a run. */
export const lastDay: Day = 730

/** A name in the form of a page URL. */
export function slugOfName(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')
  return plain.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

/** The value on a day. */
export function at<T>(list: readonly Since<T>[], day: Day): T {
  const held = list.findLast(({ from }) => from <= day) ?? list[0]
  if (!held) throw new Error('nothing holds on that day')
  return held.value
}

export function isHidden({ hidden }: Person, day: Day): boolean {
  return hidden.some(({ from, to }) => from <= day && day < to)
}

/** The employments that had started by a day, as of that day. */
export function stintsBy({ stints }: Person, day: Day): Stint[] {
  return stints
    .filter(({ from }) => from <= day)
    .map((stint) => ({
      ...stint,
      to: stint.to !== null && stint.to <= day ? stint.to : null,
      roles: stint.roles.filter(({ from }) => from <= day),
    }))
}

/** The platform's opaque id, which contains the member number. */
export function opaqueIdOf(member: number): string {
  const bytes = Buffer.alloc(29, member % 251)
  bytes.writeUInt16BE(0x002a, 0)
  bytes.writeUIntBE(member, 2, 6)
  bytes[8] = 1
  return bytes.toString('base64url')
}

/** The member number in an opaque id. */
export function memberIn(opaqueId: string): number {
  return Buffer.from(opaqueId, 'base64url').readUIntBE(2, 6)
}
