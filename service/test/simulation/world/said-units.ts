import { emptyContact, type Person } from '@vitae/contract'
import { everyField } from '../../../src/providers/contract-shape/every-field.ts'

/** The units that providers state differently for one person. */
export const playedUnits = ['headline', 'summary', 'skills', 'contact_info.address'] as const
export type PlayedUnit = (typeof playedUnits)[number]

/** An answer's statement about each unit: a unique text, null for "none", undefined for "not stated". */
export type SaidUnits = Record<PlayedUnit, string | null | undefined>

/** The providers complete each other: each supplies everything except one unit. */
const lacking = { mirror: 'skills', reserve: 'summary' } as const
export type ProviderName = keyof typeof lacking
export const providerNames = ['mirror', 'reserve'] as const satisfies ProviderName[]

/** The fields that a provider supplies. */
export function suppliedBy(provider: ProviderName): ReadonlySet<string> {
  return new Set([...everyField.people].filter((path) => path !== lacking[provider]))
}

/** Every third record of a person has no contact details. */
const withoutContactEach = 3
/** Every fourth states "none" for the unit that only its provider supplies. */
const emptyEach = 4
/**
 * Every seventh answer to a name is thin. Half of these state "none" for the missing units, the other half omit them.
 */
const thinEach = 7

/** The statements of an answer, by its number. */
export function saidUnits(provider: ProviderName, number: number, isMatch: boolean): SaidUnits & { isThin: boolean } {
  const isThin = !isMatch && number % thinEach === 0
  const thinHeadline = number % (2 * thinEach) === 0 ? null : undefined
  const own = (unit: PlayedUnit) => {
    if (lacking[provider] === unit) return undefined
    return number % emptyEach === 0 ? null : `${unit} ${number}`
  }
  return {
    isThin,
    headline: isThin ? thinHeadline : `headline ${number}`,
    summary: own('summary'),
    skills: own('skills'),
    'contact_info.address': number % withoutContactEach === 0 ? undefined : `address ${number}`,
  }
}

/** A person record with the given statements. */
export function withUnits(person: Person, { isThin, ...said }: ReturnType<typeof saidUnits>): object {
  const { headline, summary, skills, 'contact_info.address': address } = said
  const { experience, education, ...rest } = person
  const jobs = isThin ? { experience: [], education: [] } : { experience, education }
  return {
    ...rest,
    ...(headline === undefined ? { headline } : { headline, ...jobs }),
    summary: summary ?? null,
    skills: skills ? [skills] : [],
    contact_info: address === undefined ? null : { ...(person.contact_info ?? emptyContact()), address },
  }
}

/** The value of a unit in a response body, or null. */
export function shownUnit(body: string, unit: PlayedUnit): string | null {
  const { contact_info, skills, ...texts } = JSON.parse(body) as Person
  if (unit === 'contact_info.address') return contact_info?.address ?? null
  return unit === 'skills' ? (skills[0] ?? null) : texts[unit]
}
