import type { Static, TSchema } from 'typebox'
import { Company } from './company.ts'
import { ContactInfo, Person, Verifications } from './person.ts'

/** Creates an empty person, in the contract's key order. */
export function emptyPerson(memberUrn = '', entityUrn = ''): Person {
  return { ...emptyOf(Person), member_urn: memberUrn, entity_urn: entityUrn }
}

/** Creates an empty company, in the contract's key order. */
export function emptyCompany(): Company {
  return emptyOf(Company)
}

/** Creates empty contact details. */
export function emptyContact(): ContactInfo {
  return emptyOf(ContactInfo)
}

/** Creates empty verification details. */
export function emptyVerifications(): Verifications {
  return emptyOf(Verifications)
}

/** The emptiest value of a schema: null if allowed, otherwise an empty list, text or object, or false. */
function emptyOf<Schema extends TSchema>(schema: Schema): Static<Schema> {
  return emptyValue(schema) as Static<Schema>
}

/** The schema keywords that determine the empty value. */
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
