import { randomBytes } from 'node:crypto'
import { contractPerson } from '../../fake-provider/contract-person.ts'

/** A unique random word. */
export function marker(): string {
  return `zq${randomBytes(9).toString('hex')}`
}

/** A fictional person with the given fields. */
export function personOf(slug: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { ...contractPerson(slug), ...fields }
}
