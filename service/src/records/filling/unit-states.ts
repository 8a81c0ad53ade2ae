import { units, type Company, type Kind, type Person, type Unit } from '@vitae/contract'

/** `v`: it has a value. `e`: the provider said that it has no value. `u`: unknown. */
type UnitState = 'v' | 'e' | 'u'

/** Facts about the fetch besides its record. */
export interface Said {
  /** The fields that the provider supplies; null if no longer known. */
  supplies: ReadonlySet<string> | null
  /** Sections that the payload did not contain. A value in such a section came from elsewhere in the payload. */
  notSaid: readonly string[]
}

/** The state of each unit in a version, one character each, in the order of the contract's table. */
export function unitStates(kind: Kind, record: Person | Company, said: Said): string {
  return units[kind].map((unit) => stateOf(unit, unitValue(record, unit.name), said)).join('')
}

/**
 * The state of a unit in a stored version, by its position. A version from before the unit existed does not know it.
 */
export function stateAt(states: string, place: number): UnitState {
  const state = states[place]
  return state === 'v' || state === 'e' ? state : 'u'
}

function stateOf({ name, kind }: Unit, value: unknown, { supplies, notSaid }: Said): UnitState {
  if (notSaid.some((section) => section === name || name.startsWith(`${section}.`))) return 'u'
  if (!isEmpty(value)) return 'v'
  if (kind === 'weak') return 'u'
  // For a company, null means "not supplied". For a person, only the list of supplied fields distinguishes "none" from
  // "not supplied".
  if (supplies === null) return value === null && name !== 'verifications' ? 'u' : 'e'
  return isSupplied(supplies, name) ? 'e' : 'u'
}

function isSupplied(supplies: ReadonlySet<string>, name: string): boolean {
  if (supplies.has(name)) return true
  for (const path of supplies) if (path.startsWith(`${name}.`)) return true
  return false
}

/** The value of a unit in a record. */
export function unitValue(record: Person | Company, name: string): unknown {
  const [field = '', inner] = name.split('.')
  const value = (record as unknown as Record<string, unknown>)[field]
  if (inner === undefined) return value
  return (value as Record<string, unknown> | null | undefined)?.[inner] ?? null
}

/** Whether a record has a value in a unit. */
export function hasUnit(record: Person | Company, name: string): boolean {
  return !isEmpty(unitValue(record, name))
}

/** Numbers and top-level booleans are values. Objects are empty if all their members are false or empty. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (typeof value !== 'object') return false
  return Object.values(value).every((inner) => inner === false || isEmpty(inner))
}

/**
 * The units that a payload did not say, in stored form; null if none. Provider modules may return anything as a unit,
 * so it is filtered.
 */
export function unsaidText(units: readonly unknown[] | undefined): string | null {
  const known = Array.isArray(units) ? units.filter((unit) => /^[a-z_.]{1,60}$/.test(String(unit))) : []
  return [...new Set(known)].join(',') || null
}

/** Parses the text of `unsaidText`. */
export function readUnsaid(text: string | null): ReadonlySet<string> {
  return new Set(text?.split(','))
}
