import { normalised } from '@vitae/provider'
import type { ExperienceGroup, Position } from '@vitae/contract'
import { type Change, positionName } from './diff-values.ts'
import { compareIso, type Employer, learn, newEmployer, proofs } from './employer.ts'

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
      const group = places.get(employer)
      const known = employer.states.get(provider)
      const was = before ? (known === undefined ? false : known) : null
      const state = stateOf(group, was)
      const old = employer.groups.get(provider)
      if (was === null) this.#see(employer, { provider, old, group, late }, state, isFirst)
      else if (state !== null && state !== was) move(employer, { provider, old, group, late }, moves)
      else if (state && old && group) promote(employer, old, group, moves)
      employer.states.set(provider, state)
      if (group) employer.groups.set(provider, group)
    }
    return diffOf(moves, before ?? [])
  }

  /** The employer of each entry; new employers are added. */
  #places(provider: string, list: readonly ExperienceGroup[]): Map<Employer, ExperienceGroup> {
    const places = new Map<Employer, ExperienceGroup>()
    const waiting = new Set(list)
    for (const proof of proofs) {
      for (const group of waiting) {
        const found = this.#employers.find((one) => !places.has(one) && proof(one, group))
        if (!found) continue
        learn(found, group)
        places.set(found, group)
        waiting.delete(group)
      }
    }
    for (const group of waiting) {
      const added = newEmployer()
      learn(added, group)
      this.#employers.push(added)
      places.set(added, group)
    }
    for (const [{ starts }, group] of places)
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
  #see(employer: Employer, { provider, group }: Shown, state: boolean | null, isFirst: boolean): void {
    if (isFirst && group && state) {
      employer.moves = 1
      employer.positions.push(...group.positions)
    }
    const { moves } = employer
    const isAgreed = (moves % 2 === 1) === (state === true)
    // A provider that shows the end of a job, or a return to it, is ahead of what is known. Any other is behind.
    const isAhead = state ? moves === 0 || hasReturned(employer, provider) : group !== undefined
    employer.shown.set(provider, isAgreed ? moves : isAhead ? moves + 1 : moves - 1)
  }
}

interface Shown {
  provider: string
  old: ExperienceGroup | undefined
  group: ExperienceGroup | undefined
  /** The latest employment start that others have shown and this provider has not. */
  late: string
}

/** Counts a move shown by a provider, and records it as news if it goes beyond what is known. */
function move(employer: Employer, { provider, old, group, late }: Shown, moves: Moves): void {
  const shown = (employer.shown.get(provider) ?? 0) + 1
  employer.shown.set(provider, shown)
  const isJoin = shown % 2 === 1
  const isOld = isJoin ? beganBefore(group, late) : endedBefore(group, late)
  // The end of a job that no one knew is news only if it has a date.
  const isUnknown = !isJoin && employer.moves % 2 === 0 && !group?.date_range?.end
  const isNews = shown > employer.moves && !isOld && !isUnknown
  employer.moves = Math.max(employer.moves, shown)
  const job = isJoin ? group : old
  if (!job || job.company_id === null) return
  if (!isNews) moves.known.push(`experience[${job.company_id}]`)
  else if (isJoin) employer.positions.push(...job.positions)
  if (isNews) (isJoin ? moves.joined : moves.left).push(job)
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
function promote(employer: Employer, before: ExperienceGroup, after: ExperienceGroup, moves: Moves): void {
  if (after.company_id === null) return
  for (const position of after.positions) {
    const isOn = position.date_range === null ? after.positions[0] === position : goesOn(position.date_range)
    if (!isOn || !isNew(position, before.positions)) continue
    const path = `experience[${after.company_id}].positions[${positionName(position)}]`
    // A provider that rounds dates or translates titles shows a known position in its own words.
    const others = employer.positions.filter((one) => !before.positions.some((own) => isSame(own, one)))
    if (others.some((one) => isSame(one, position))) moves.known.push(path)
    else {
      employer.positions.push(position)
      const to = { company_id: after.company_id, company_name: after.company_name, title: position.title }
      moves.promoted.push({ kind: 'promotion', path, before: jobOf(before), after: to })
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
function isNew(position: Position, known: readonly Position[]): boolean {
  if (known.length === 0 || position.title === null) return false
  const start = position.date_range?.start?.iso ?? null
  const isKnown = (one: Position) =>
    sameTitle(one, position) || (start !== null && one.date_range?.start?.iso === start)
  return !known.some(isKnown)
}

/** The same position as two providers show it: the same title, or the same start as far as both state it. */
function isSame(a: Position, b: Position): boolean {
  const [one, two] = [a.date_range?.start?.iso ?? '', b.date_range?.start?.iso ?? '']
  const precision = Math.min(one.length, two.length)
  return sameTitle(a, b) || (precision > 0 && one.slice(0, precision) === two.slice(0, precision))
}

/** A position with the same title that ended before this one began is another position. */
function sameTitle(a: Position, b: Position): boolean {
  return foldCase(a.title) === foldCase(b.title) && !endsBefore(a, b) && !endsBefore(b, a)
}

function endsBefore({ date_range: one }: Position, { date_range: other }: Position): boolean {
  const [end, start] = [one?.end?.iso, other?.start?.iso]
  return end !== undefined && start !== undefined && compareIso(end, start) <= 0
}

function foldCase(title: string | null): string {
  return normalised(title ?? '', 'NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
}
