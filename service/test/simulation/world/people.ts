import { fictionalPerson } from '../../../fake-provider/fiction.ts'

/** The people whom callers request. */
export const slugs = ['ada', 'grace', 'linus', 'margaret', 'edsger'] as const

/** A different person whom a provider may return for a person's address. */
export function namesakeOf(slug: string): string {
  return `${slug}-too`
}

/** The address of a person. */
export function addressOf(slug: string): string {
  return fictionalPerson(slug).email
}
