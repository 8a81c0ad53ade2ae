import type { Company, Person } from '@vitae/contract'
import { companyNamesContradict, personNamesContradict, type CompanyName, type PersonName } from './contradict.ts'

/** The name of a record's subject. */
export type RecordName = PersonName | CompanyName

/** The name in a record; null if absent. */
export function nameIn(record: Person | Company): RecordName | null {
  if ('experience' in record) {
    const { first_name: first, last_name: last } = record
    return first || last ? { first, last } : null
  }
  const { company_name: name, company_url: site } = record
  return name || site ? { name, site } : null
}

/** True if two names of the same kind cannot belong to one subject. */
export function recordNamesContradict(one: RecordName, other: RecordName): boolean {
  if ('first' in one) return 'first' in other && personNamesContradict(one, other)
  return !('first' in other) && companyNamesContradict(one, other)
}

/**
 * True if no name of the first list can belong to the subject of the second. A subject without names contradicts
 * nothing.
 */
export function allNamesContradict(some: readonly RecordName[], others: readonly RecordName[]): boolean {
  if (some.length === 0 || others.length === 0) return false
  return some.every((one) => others.every((other) => recordNamesContradict(one, other)))
}
