import { fictionalPerson } from '../../../fake-provider/fiction.ts'

/** Whom callers ask for. */
export const slugs = ['ada', 'grace', 'linus', 'margaret', 'edsger'] as const

/** Somebody else, whom a provider may give for the address of a person. */
export function namesakeOf(slug: string): string {
  return `${slug}-too`
}

/** The address of a person. */
export function addressOf(slug: string): string {
  return fictionalPerson(slug).email
}
