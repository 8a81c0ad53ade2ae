import type { Static, TSchema } from 'typebox'
import { Company } from './company.ts'
import { ContactInfo, Person, Verifications } from './person.ts'

/** A person of whom nothing is known, in the contract's key order. */
export function emptyPerson(memberUrn = '', entityUrn = ''): Person {
  return { ...emptyOf(Person), member_urn: memberUrn, entity_urn: entityUrn }
}

/** A company of which nothing is supplied, in the contract's key order. */
export function emptyCompany(): Company {
  return emptyOf(Company)
}

/** The contact details of a person of whom none is known. */
export function emptyContact(): ContactInfo {
  return emptyOf(ContactInfo)
}

/** The verification details of a person of whom none is known. */
export function emptyVerifications(): Verifications {
  return emptyOf(Verifications)
}

/** The least that a schema allows: null where it may be, otherwise an empty list, text or object, and false. */
function emptyOf<Schema extends TSchema>(schema: Schema): Static<Schema> {
  return emptyValue(schema) as Static<Schema>
}

/** The parts of a schema that say what is empty. */
interface Parts {
  type?: string
  anyOf?: unknown
  properties?: Record<string, Parts>
}

const empties: Record<string, () => unknown> = { array: () => [], boolean: () => false, string: () => '' }

function emptyValue({ type = '', anyOf, properties }: Parts): unknown {
  if (anyOf) return null
  if (!properties) return (empties[type] ?? noEmptyValue)()
  return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, emptyValue(part)]))
}

function noEmptyValue(): never {
  throw new Error('a record has a field that is neither nullable nor a list, a text, a flag or an object')
}
