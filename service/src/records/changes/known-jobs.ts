import type { ExperienceGroup } from '@vitae/contract'
import { type Change, positionName } from './diff-values.ts'
import { compareIso, type Employer, type Entry, entryOf, type Held, learn, newEmployer, proofs } from './employer.ts'

export interface JobDiff {
  changes: Change[]
  /** Whether these changes, or one known before, already cover a difference at this path. */
  covers: (path: string) => boolean
}

interface Moves {
  left: ExperienceGroup[]
  joined: ExperienceGroup[]
  promoted: Change[]
  /** The paths of changes that were known before. */
  known: string[]
}

/**
 * The jobs of one person as its versions show them, oldest first. A move is news if a provider shows it after its own
 * earlier list, and it goes beyond the moves already known.
 */
export class KnownJobs {
  readonly #employers: Employer[] = []
  readonly #lists = new Map<string, readonly ExperienceGroup[]>()

  /** Adds the list of the next version. A provider's first list changes nothing. */
  next(provider: string, list: readonly ExperienceGroup[]): JobDiff {
    const before = this.#lists.get(provider)
    const isFirst = this.#lists.size === 0
    this.#lists.set(provider, list)
    const late = this.#unseenBy(provider)
    const places = this.#places(provider, list)
    const moves: Moves = { left: [], joined: [], promoted: [], known: [] }
    for (const employer of this.#employers) {
      const entry = places.get(employer)
      const group = entry?.group
      const known = employer.states.get(provider)
      const was = before ? (known === undefined ? false : known) : null
      const state = stateOf(group, was)
      const old = employer.entries.get(provider)
      if (was === null) this.#see(employer, { provider, old, entry, late }, state, isFirst)
      else if (state !== null && state !== was) move(employer, { provider, old, entry, late }, moves)
      else if (state && old && entry) promote(employer, old, entry, moves)
      employer.states.set(provider, state)
      if (entry) employer.entries.set(provider, entry)
    }
    return diffOf(moves, before ?? [])
  }

  /** The employer of each entry; new employers are added. */
  #places(provider: string, list: readonly ExperienceGroup[]): Map<Employer, Entry> {
    const places = new Map<Employer, Entry>()
    const waiting = new Set(list.map(entryOf))
    for (const proof of proofs) {
      for (const entry of waiting) {
        const found = this.#employers.find((one) => proof(one, entry) && !places.has(one))
        if (!found) continue
        learn(found, entry)
        places.set(found, entry)
        waiting.delete(entry)
      }
    }
    for (const entry of waiting) {
      const added = newEmployer()
      learn(added, entry)
      this.#employers.push(added)
      places.set(added, entry)
    }
    for (const [{ starts }, { group }] of places)
      starts.set(provider, laterOf(starts.get(provider) ?? '', latestStart(group)))
    return places
  }

  /**
   * The latest employment start that others have shown and this provider has not: anything it shows from before that is
   * old news.
   */
  #unseenBy(provider: string): string {
    const unseen = this.#employers.flatMap(({ starts }) => {
      const own = starts.get(provider) ?? ''
      return [...starts.values()].filter((one) => own === '' || compareIso(one, own) > 0)
    })
    return unseen.reduce(laterOf, '')
  }

  /** A provider's first statement about an employer. The very first list defines what is known. */
  #see(employer: Employer, { provider, entry }: Shown, state: boolean | null, isFirst: boolean): void {
    if (isFirst && entry && state) {
      employer.moves = 1
      employer.positions.push(...entry.positions)
    }
    const { moves } = employer
    const isAgreed = (moves % 2 === 1) === (state === true)
    // A provider that shows the end of a job, or a return to it, is ahead of what is known. Any other is behind.
    const isAhead = state ? moves === 0 || hasReturned(employer, provider) : entry !== undefined
    employer.shown.set(provider, isAgreed ? moves : isAhead ? moves + 1 : moves - 1)
  }
}

interface Shown {
  provider: string
  old: Entry | undefined
  entry: Entry | undefined
  /** The latest employment start that others have shown and this provider has not. */
  late: string
}

/** Counts a move shown by a provider, and records it as news if it goes beyond what is known. */
function move(employer: Employer, { provider, old, entry, late }: Shown, moves: Moves): void {
  const group = entry?.group
  const shown = (employer.shown.get(provider) ?? 0) + 1
  employer.shown.set(provider, shown)
  const isJoin = shown % 2 === 1
  const isOld = isJoin ? beganBefore(group, late) : endedBefore(group, late)
  // The end of a job that no one knew is news only if it has a date.
  const isUnknown = !isJoin && employer.moves % 2 === 0 && !group?.date_range?.end
  const isNews = shown > employer.moves && !isOld && !isUnknown
  employer.moves = Math.max(employer.moves, shown)
  const moved = isJoin ? entry : old
  if (!moved || moved.group.company_id === null) return
  if (!isNews) moves.known.push(`experience[${moved.group.company_id}]`)
  else if (isJoin) employer.positions.push(...moved.positions)
  if (isNews) (isJoin ? moves.joined : moves.left).push(moved.group)
}

/** Whether a provider shows a later employment at a company than any other provider did. */
function hasReturned({ starts }: Employer, provider: string): boolean {
  const own = starts.get(provider) ?? ''
  return [...starts].every(([name, one]) => name === provider || one === '' || compareIso(own, one) > 0)
}

/** Whether a current job began before one that this provider has not shown: then it is older than what is known. */
function beganBefore(group: ExperienceGroup | undefined, late: string): boolean {
  return group !== undefined && compareIso(latestStart(group), late) < 0
}

/** Whether a job ended before one began that this provider has not shown: then its end is not news. */
function endedBefore(group: ExperienceGroup | undefined, late: string): boolean {
  const end = group?.date_range?.end?.iso
  return end !== undefined && late !== '' && compareIso(end, late) <= 0
}

/** The start of the last employment at a company: positions without a gap between them are one employment. */
function latestStart({ positions }: ExperienceGroup): string {
  const dated = positions.flatMap(({ date_range: range }) =>
    range?.start ? [{ ...range, start: range.start.iso }] : [],
  )
  let [start = ''] = dated
    .map((one) => one.start)
    .toSorted()
    .toReversed()
  for (const one of dated.toSorted((a, b) => compareIso(b.start, a.start)))
    if (one.start < start && (one.end === null || compareIso(one.end.iso, start) >= 0)) start = one.start
  return start
}

function laterOf(one: string, other: string): string {
  return compareIso(one, other) < 0 || one === '' ? other : one
}

/** A promotion is a new current position at a company where the person already worked. */
function promote(employer: Employer, before: Entry, { group, positions }: Entry, moves: Moves): void {
  const { company_id, company_name } = group
  if (company_id === null) return
  for (const held of positions) {
    const { position } = held
    const isOn = position.date_range === null ? positions[0] === held : goesOn(position.date_range)
    if (!isOn || !isNew(held, before.positions)) continue
    const path = `experience[${company_id}].positions[${positionName(position)}]`
    // A provider that rounds dates or translates titles shows a known position in its own words.
    const isOwn = (one: Held) => before.positions.some((own) => isSame(own, one))
    if (employer.positions.some((one) => isSame(one, held) && !isOwn(one))) moves.known.push(path)
    else {
      employer.positions.push(held)
      const to = { company_id, company_name, title: position.title }
      moves.promoted.push({ kind: 'promotion', path, before: jobOf(before.group), after: to })
    }
  }
}

function diffOf({ left, joined, promoted, known }: Moves, before: readonly ExperienceGroup[]): JobDiff {
  const past = (group: ExperienceGroup) =>
    before.find((one) => one.company_id === group.company_id && one.date_range !== null && one.date_range.end !== null)
  const fresh = joined.filter((group) => !past(group))
  const returned = joined.flatMap((group): Change[] => {
    const former = past(group)
    if (!former) return []
    return [{ kind: 'return', path: `experience[${group.company_id}]`, before: jobOf(former), after: jobOf(group) }]
  })
  const said = new Set([
    ...[...left, ...joined].map((group) => `experience[${group.company_id}]`),
    ...promoted.map(({ path }) => path),
  ])
  return {
    changes: [...pairs(left, fresh), ...returned, ...promoted],
    covers: (path) => said.has(path) || known.some((one) => path.startsWith(one)),
  }
}

/** Leaving one company and joining another is one change, not two. */
function pairs(left: readonly ExperienceGroup[], joined: readonly ExperienceGroup[]): Change[] {
  return Array.from({ length: Math.max(left.length, joined.length) }, (_, index) => ({
    kind: 'job_change' as const,
    path: 'experience',
    before: jobOf(left[index]),
    after: jobOf(joined[index]),
  }))
}

/** A job as a change describes it. */
function jobOf(group: ExperienceGroup | undefined): object | null {
  if (!group) return null
  return { company_id: group.company_id, company_name: group.company_name, title: group.positions[0]?.title ?? null }
}

/** A list without any date does not show which jobs are current. */
export function isUndated(list: readonly ExperienceGroup[]): boolean {
  return list.length > 0 && list.every(hasNoDates)
}

function hasNoDates({ date_range: range, positions }: ExperienceGroup): boolean {
  return range === null && positions.every((one) => one.date_range === null)
}

/** Whether a job is current. Without dates it is as before; null if that is unknown. */
function stateOf(group: ExperienceGroup | undefined, was: boolean | null): boolean | null {
  if (!group) return false
  if (hasNoDates(group)) return was
  return group.date_range === null ? group.positions.some((one) => goesOn(one.date_range)) : goesOn(group.date_range)
}

function goesOn(range: ExperienceGroup['date_range']): boolean {
  return range !== null && range.end === null
}

/** A new title with the start of a known position is that position with an edited title. */
function isNew(held: Held, known: readonly Held[]): boolean {
  if (known.length === 0 || held.position.title === null) return false
  return !known.some((one) => sameTitle(one, held) || (held.start !== '' && one.start === held.start))
}

/** The same position as two providers show it: the same title, or the same start as far as both state it. */
function isSame(a: Held, b: Held): boolean {
  return sameTitle(a, b) || (a.start !== '' && b.start !== '' && compareIso(a.start, b.start) === 0)
}

/** A position with the same title that ended before this one began is another position. */
function sameTitle(a: Held, b: Held): boolean {
  return a.title === b.title && !endsBefore(a, b) && !endsBefore(b, a)
}

function endsBefore({ end }: Held, { start }: Held): boolean {
  return end !== undefined && start !== '' && compareIso(end, start) <= 0
}
