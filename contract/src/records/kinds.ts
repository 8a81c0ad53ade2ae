import type { Company } from './company.ts'
import type { Person } from './person.ts'

/** The two kinds of record, named like their endpoints. */
export const kinds = ['people', 'companies'] as const
export type Kind = (typeof kinds)[number]

export type RecordOf<K extends Kind> = { people: Person; companies: Company }[K]
