import { randomBytes } from 'node:crypto'
import { contractPerson } from '../../fake-provider/contract-person.ts'

/** A word that stands nowhere else in the world. */
export function marker(): string {
  return `zq${randomBytes(9).toString('hex')}`
}

/** A fictional person with some fields of a test's own. */
export function personOf(slug: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { ...contractPerson(slug), ...fields }
}
