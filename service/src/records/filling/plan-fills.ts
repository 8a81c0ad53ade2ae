import { emptyContact, units, type Company, type FilledUnit, type Kind, type Person } from '@vitae/contract'
import { isoTime } from '../../foundation/clock.ts'
import { stateAt, unitValue } from './unit-states.ts'

/** The fold id of an entity without fills. */
export const noFold = 0

/** The facts of a version that the rule needs. */
export interface SaidVersion {
  id: number
  provider: string
  fetchedAt: number
  /** See `unitStates`. */
  states: string
}

/** One unit of a base and the version that fills it. */
export interface Fill {
  unit: string
  versionId: number
  provider: string
  fetchedAt: number
}

/** A filled unit as shown in answers. */
export function filledUnit({ unit, provider, fetchedAt }: Omit<Fill, 'versionId'>): FilledUnit {
  return { unit, provider, fetched_at: isoTime(fetchedAt) }
}

/**
 * Plans which versions fill the unknown units of the base: for each unit, the newest version that says it. If that
 * version says "none", the unit stays empty. The order of `others` does not matter.
 */
export function planFills(kind: Kind, base: SaidVersion, others: readonly SaidVersion[]): Fill[] {
  const newestFirst = others.filter(({ id }) => id !== base.id).toSorted(byAge)
  return units[kind].flatMap(({ name }, place) => {
    if (stateAt(base.states, place) !== 'u') return []
    const source = newestFirst.find(({ states }) => stateAt(states, place) !== 'u')
    if (!source || stateAt(source.states, place) === 'e') return []
    const { id, provider, fetchedAt } = source
    return [{ unit: name, versionId: id, provider, fetchedAt }]
  })
}

/** Fetches of the same time are ordered by provider name, whichever was stored first. */
function byAge(one: SaidVersion, other: SaidVersion): number {
  if (one.fetchedAt !== other.fetchedAt) return other.fetchedAt - one.fetchedAt
  if (one.provider !== other.provider) return one.provider < other.provider ? -1 : 1
  return other.id - one.id
}

/** The enclosing objects of units, for a base that lacks them. */
const emptyAround: Record<string, () => object> = {
  contact_info: emptyContact,
  staff_info: () => ({ staff_count: null, staff_range: null }),
}

/** The base with units from other records. It changes neither record. */
export function fillRecord<Base extends Person | Company>(
  base: Base,
  fills: readonly { unit: string; from: Person | Company }[],
): Base {
  const filled = { ...base } as unknown as Record<string, unknown>
  for (const { unit, from } of fills) {
    const [field = '', inner] = unit.split('.')
    const value = unitValue(from, unit)
    filled[field] = inner === undefined ? value : { ...(filled[field] ?? emptyAround[field]?.()), [inner]: value }
  }
  return filled as unknown as Base
}
