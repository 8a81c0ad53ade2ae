import { at, type Day, type Name, type Person } from '../truth/person.ts'

/**
 * Whether the names alone cannot prove two different people: the same first name, and a shared part of the last name.
 */
export function isAlike(a: Name, b: Name): boolean {
  return a.first.latin === b.first.latin && sharesLast(a, b)
}

/** Whether the last names share a part. */
export function sharesLast(a: Name, b: Name): boolean {
  const parts = new Set(a.last.latin.split('-'))
  return b.last.latin.split('-').some((part) => parts.has(part))
}

export function nameOn(people: readonly Person[], id: number, day: Day): Name {
  const person = people[id]
  if (!person) throw new Error(`there is no person ${id}`)
  return at(person.names, day)
}
