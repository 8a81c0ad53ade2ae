import { at, type Day, type Name, type Person } from '../truth/person.ts'

/** Whether nobody could say from the names alone that these are two people: a part of the last name and the first name are the same. */
export function isAlike(a: Name, b: Name): boolean {
  return a.first.latin === b.first.latin && sharesLast(a, b)
}

/** Whether the last names have a part in common. */
export function sharesLast(a: Name, b: Name): boolean {
  const parts = new Set(a.last.latin.split('-'))
  return b.last.latin.split('-').some((part) => parts.has(part))
}

export function nameOn(people: readonly Person[], id: number, day: Day): Name {
  const person = people[id]
  if (!person) throw new Error(`there is no person ${id}`)
  return at(person.names, day)
}
