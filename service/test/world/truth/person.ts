import type { Written } from './name-pools.ts'

/** Days count from the first day of the run; what happened before has negative ones. */
export type Day = number

/** Something that holds from a day on, until the next entry of its list. */
export interface Since<T> {
  from: Day
  value: T
}

export interface Name {
  first: Written
  last: Written
}

export interface Role {
  /** An index of `titles`. */
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
  /** The page cannot be seen on these days. */
  hidden: { from: Day; to: Day }[]
  /** In the order in which they began. */
  stints: Stint[]
}

export interface Company {
  id: number
  number: number
  country: string
  names: Since<string>[]
  slugs: Since<string>[]
  site: string
  /** From that day on its page is the other company's. */
  merged: { from: Day; into: number } | null
}

/** Everything that is true in one seed. */
export interface Truth {
  people: Person[]
  companies: Company[]
  /** How many lives had what in them. */
  happened: Record<string, number>
}

/** The last day of a run. */
export const lastDay: Day = 730

/** A name as a page's address has it. */
export function slugOfName(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')
  return plain.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

/** What holds on a day. */
export function at<T>(list: readonly Since<T>[], day: Day): T {
  const held = list.findLast(({ from }) => from <= day) ?? list[0]
  if (!held) throw new Error('nothing holds on that day')
  return held.value
}

export function isHidden({ hidden }: Person, day: Day): boolean {
  return hidden.some(({ from, to }) => from <= day && day < to)
}

/** The employments that had begun by a day, as they stood then. */
export function stintsBy({ stints }: Person, day: Day): Stint[] {
  return stints
    .filter(({ from }) => from <= day)
    .map((stint) => ({
      ...stint,
      to: stint.to !== null && stint.to <= day ? stint.to : null,
      roles: stint.roles.filter(({ from }) => from <= day),
    }))
}

/** The platform's opaque id: it carries the member number. */
export function opaqueIdOf(member: number): string {
  const bytes = Buffer.alloc(29, member % 251)
  bytes.writeUInt16BE(0x002a, 0)
  bytes.writeUIntBE(member, 2, 6)
  bytes[8] = 1
  return bytes.toString('base64url')
}

/** The member number in such an id. */
export function memberIn(opaqueId: string): number {
  return Buffer.from(opaqueId, 'base64url').readUIntBE(2, 6)
}
