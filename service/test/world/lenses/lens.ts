import type { Day } from '../truth/person.ts'

export const lensNames = ['brightdata', 'peopledatalabs', 'coresignal', 'harvestapi', 'enrichlayer'] as const
export type LensName = (typeof lensNames)[number]

/** How a vendor sees the world. Shares are of all people, or of all answers if stated. */
export interface Lens {
  /** Days between two visits to a page; 0 if it reads the page at each call. */
  everyDays: number
  /** Days from a visit to the first answer with it. */
  lagDays: number
  /** It shows names and titles in their local spelling. */
  isLocal: boolean
  /** Share of people without a platform id. */
  withoutId: number
  /** Share of people with years but no months. */
  yearsOnly: number
  /** Share of people with lower-case names. */
  lowerCase: number
  /** Share of people that it does not know. */
  unknown: number
  /** Share of answers without a job list, with the current job elsewhere. */
  withoutJobs: number
  /** Share of answers without any section. */
  bare: number
}

export const lenses: Record<LensName, Lens> = {
  brightdata: {
    everyDays: 0,
    lagDays: 0,
    isLocal: true,
    withoutId: 0.15,
    yearsOnly: 0.1,
    lowerCase: 0,
    unknown: 0.05,
    withoutJobs: 0.12,
    bare: 0.02,
  },
  peopledatalabs: {
    everyDays: 30,
    lagDays: 25,
    isLocal: false,
    withoutId: 0.3,
    yearsOnly: 0.3,
    lowerCase: 0,
    unknown: 0.2,
    withoutJobs: 0.05,
    bare: 0.01,
  },
  coresignal: {
    everyDays: 45,
    lagDays: 10,
    isLocal: false,
    withoutId: 0.25,
    yearsOnly: 0.15,
    lowerCase: 0.15,
    unknown: 0.15,
    withoutJobs: 0.05,
    bare: 0.01,
  },
  harvestapi: {
    everyDays: 0,
    lagDays: 0,
    isLocal: true,
    withoutId: 0.1,
    yearsOnly: 0.1,
    lowerCase: 0,
    unknown: 0.05,
    withoutJobs: 0.06,
    bare: 0.02,
  },
  enrichlayer: {
    everyDays: 12,
    lagDays: 2,
    isLocal: false,
    withoutId: 1,
    yearsOnly: 0.15,
    lowerCase: 0,
    unknown: 0.1,
    withoutJobs: 0.06,
    bare: 0.01,
  },
}

/** A number from 0 to below 1, always the same for the same words. */
export function shareOf(...words: (string | number)[]): number {
  let mixed = 0x811c9dc5
  for (const char of words.join('/')) mixed = Math.imul(mixed ^ (char.codePointAt(0) ?? 0), 0x01000193)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
}

/** The visit day behind the answer that a lens returns on a day. */
export function visitDay(name: LensName, page: string, day: Day): Day {
  const { everyDays, lagDays } = lenses[name]
  if (everyDays === 0) return day
  const offset = Math.floor(shareOf('visit', name, page) * everyDays)
  const lag = lagDays + Math.floor(shareOf('lag', name, page) * lagDays)
  return Math.floor((day - lag - offset) / everyDays) * everyDays + offset
}
