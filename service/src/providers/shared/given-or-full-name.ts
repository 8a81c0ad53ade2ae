import { splitName } from '../mapping/person-name.ts'
import { text } from '../mapping/text.ts'

/** First and last name; a full name is split only where the provider gives neither. */
export function givenOrFullName(first: unknown, last: unknown, full: unknown): ReturnType<typeof splitName> {
  const given = { first: text(first), last: text(last) }
  return given.first === null && given.last === null ? splitName(full) : given
}
