import type { Random } from '../../simulation/world/random.ts'
import { namePools, titles } from './name-pools.ts'
import { at, lastDay, slugOfName, type Day, type Person, type Truth } from './person.ts'

/** The events in a person's life, with their relative frequencies. */
const weights = {
  move: 34,
  promote: 22,
  leave: 8,
  comeBack: 10,
  marry: 8,
  doubleName: 4,
  renamePage: 8,
  takeOver: 12,
  hide: 8,
} as const
type Happening = keyof typeof weights

/** Employments that start this far apart are in different months for every vendor. */
const apartDays = 45

/** Adds the events of two years to every person's life, in order of their days. */
export function liveThrough(random: Random, truth: Truth): void {
  const days = truth.people.flatMap(({ id }) =>
    Array.from({ length: random.below(5) }, () => ({ id, day: 20 + random.below(lastDay - 60) })),
  )
  for (const { id, day } of days.toSorted((a, b) => a.day - b.day)) {
    const person = truth.people[id]
    const what = random.weighted<Happening>(weights)
    if (person && happenings[what](person, day, random, truth)) truth.happened[what] = (truth.happened[what] ?? 0) + 1
  }
}

/** Each returns whether the event was possible. */
const happenings: Record<Happening, (person: Person, day: Day, random: Random, truth: Truth) => boolean> = {
  move(person, day, random, truth) {
    const known = new Set(person.stints.map(({ company }) => company))
    const others = truth.companies.filter(({ id, merged }) => !known.has(id) && merged === null)
    return others.length > 0 && join(person, day, random.pick(others).id, random)
  },
  comeBack(person, day, random, { companies }) {
    const now = person.stints.at(-1)
    const former = person.stints.filter(({ company }) => company !== now?.company && !companies[company]?.merged)
    return former.length > 0 && join(person, day, random.pick(former).company, random)
  },
  promote(person, day, random) {
    const now = person.stints.at(-1)
    const last = now?.roles.at(-1)
    if (!now || now.to !== null || !last || day - last.from < apartDays) return false
    const held = new Set(now.roles.map(({ title }) => title))
    const free = titles.map((_, index) => index).filter((index) => !held.has(index))
    if (free.length === 0) return false
    now.roles.push({ title: random.pick(free), from: day })
    return true
  },
  leave(person, day) {
    const now = person.stints.at(-1)
    if (!now || now.to !== null || day - latest(person) < apartDays) return false
    now.to = day
    return true
  },
  marry(person, day, random) {
    const pool = namePools.find(({ country }) => country === person.country)
    const name = at(person.names, day)
    const others = (pool?.last ?? []).filter(({ latin }) => latin !== name.last.latin)
    if (!isQuiet(person, day)) return false
    const married = { first: name.first, last: random.pick(others) }
    person.names.push({ from: day, value: married })
    if (random.chance(0.4))
      rename(person, day + 1, slugOfName(`${married.first.latin} ${married.last.latin} ${person.id}`))
    return true
  },
  doubleName(person, day, random) {
    const pool = namePools.find(({ country }) => country === person.country)
    const { first, last } = at(person.names, day)
    const other = random.pick((pool?.last ?? []).filter(({ latin }) => latin !== last.latin))
    if (!isQuiet(person, day)) return false
    const doubled = { latin: `${last.latin}-${other.latin}`, local: `${last.local}-${other.local}` }
    person.names.push({ from: day, value: { first, last: doubled } })
    return true
  },
  renamePage(person, day, random) {
    if (!isQuiet(person, day)) return false
    rename(person, day, `${slugOfName(at(person.names, day).last.latin)}-${person.id}-${random.below(90) + 10}`)
    return true
  },
  takeOver(person, day, random, truth) {
    const held = new Set(truth.people.flatMap((one) => at(one.slugs, lastDay)))
    const free = truth.people.flatMap((one) =>
      one.slugs.slice(0, -1).flatMap(({ value }, index) => {
        const until = one.slugs[index + 1]?.from ?? Infinity
        return until + 10 < day && !held.has(value) && one !== person ? [value] : []
      }),
    )
    if (free.length === 0 || !isQuiet(person, day)) return false
    rename(person, day, random.pick(free))
    return true
  },
  hide(person, day, random) {
    if (person.hidden.some(({ to }) => to > day - 10)) return false
    person.hidden.push({ from: day, to: day + 20 + random.below(120) })
    return true
  },
}

/** A page gets few new names, and only one at a time. */
function isQuiet({ slugs, names }: Person, day: Day): boolean {
  return [slugs, names].every((list) => list.length < 3 && (list.at(-1)?.from ?? 0) + 30 < day)
}

function rename(person: Person, day: Day, slug: string): void {
  person.slugs.push({ from: day, value: slug })
}

/** The day of the last change in a person's work. */
function latest({ stints }: Person): Day {
  const now = stints.at(-1)
  return Math.max(now?.to ?? -9_000, now?.roles.at(-1)?.from ?? -9_000)
}

/** The old employment ends on that day, and the new one starts then or after a pause. */
function join(person: Person, day: Day, company: number, random: Random): boolean {
  if (day - latest(person) < apartDays) return false
  const now = person.stints.at(-1)
  if (now?.to === null) now.to = day
  const from = random.chance(0.75) ? day : day + 15 + random.below(60)
  person.stints.push({ company, from, to: null, roles: [{ title: random.below(titles.length), from }] })
  return true
}
