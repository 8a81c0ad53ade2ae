import type { PersonView, ShownJob } from '../lenses/view.ts'
import type { Stint, Truth } from '../truth/person.ts'
import type { Watched } from './change-laws.ts'
import type { Kept } from './journal.ts'
import type { Tally } from './tally.ts'

/** The answer by which a change must have been reported at the latest. */
export interface Expectation {
  kept: Kept<PersonView>
}

interface Pair {
  /** The previous answer of the same lens that states jobs. */
  before: PersonView
  after: Kept<PersonView>
  /** All earlier answers. */
  earlier: readonly Kept<PersonView>[]
}

/** Each answer that states jobs, with the previous one of the same lens. */
function pairs({ kept }: Watched): Pair[] {
  const last = new Map<string, PersonView>()
  return kept.flatMap((after, index): Pair[] => {
    if (after.view.jobs === null) return []
    const before = last.get(after.lens)
    last.set(after.lens, after.view)
    return before ? [{ before, after, earlier: kept.slice(0, index) }] : []
  })
}

/** When a new job must be known; null if no answer shows it, or nobody watched yet. */
export function expectedJoin(truth: Truth, watched: Watched, stint: Stint, tally: Tally): Expectation | null {
  const pair = pairs(watched).find(({ before, after }) => before.day < stint.from && goesOn(after.view, stint))
  if (!pair || !isNews(watched, pair, stint.from)) return null
  const { before, after, earlier } = pair
  if (isEmployerMoved(truth, stint, earlier, after.view)) return null
  const employer = jobOf(after.view, stint)?.company.id
  if (before.jobs?.some((job) => job.stint.to === null && job.company.id === employer)) {
    tally.decide('left and back at one employer between two views', 'not reported')
    return null
  }
  return { kept: after }
}

/** When it must be known that a person has left and has no new job. */
export function expectedLeave(truth: Truth, watched: Watched, stint: Stint): Expectation | null {
  const { to } = stint
  if (to === null) return null
  const pair = pairs(watched).find(
    ({ before, after }) => before.day < to && goesOn(before, stint) && after.view.day >= to,
  )
  const isNowhere = pair?.after.view.jobs?.every((job) => job.stint.to !== null)
  if (!pair || !isNowhere || !isNews(watched, pair, to)) return null
  return isEmployerMoved(truth, stint, pair.earlier, pair.after.view) ? null : { kept: pair.after }
}

/** When each promotion must be known, by its title. */
export function expectedPromotions(
  truth: Truth,
  watched: Watched,
  stint: Stint,
  tally: Tally,
): [title: number, Expectation][] {
  return stint.roles.slice(1).flatMap(({ title, from }): [number, Expectation][] => {
    const pair = pairs(watched).find(
      ({ before, after }) =>
        before.day < from && goesOn(before, stint) && jobOf(after.view, stint)?.stint.roles.at(-1)?.title === title,
    )
    const later = pair?.earlier
      .flatMap(({ view }) => view.jobs ?? [])
      .some((job) => (job.stint.roles.at(-1)?.from ?? 0) > from)
    if (!pair || later || !goesOn(pair.after.view, stint) || !isNews(watched, pair, from)) return []
    if (isEmployerMoved(truth, stint, pair.earlier, pair.after.view)) return []
    const start = jobOf(pair.after.view, stint)?.roles[0]?.from
    const known = jobOf(pair.before, stint)?.roles.map((role) => role.from) ?? []
    if (known.some((one) => one.year === start?.year && one.month === start.month)) {
      tally.decide('a new title that began in the same year, without months', 'not a promotion')
      return []
    }
    return [[title, { kept: pair.after }]]
  })
}

/** Whether somebody watches, and no earlier answer has shown anything that began later. */
function isNews({ spans, knownAt }: Watched, { after, earlier }: Pair, since: number): boolean {
  const at = knownAt(after)
  if (!spans.some(({ from, to }) => from < at && at <= to)) return false
  return earlier.flatMap(({ view }) => view.jobs ?? []).every((job) => job.stint.from <= since)
}

function jobOf({ jobs }: PersonView, { company, from }: Stint): ShownJob | undefined {
  return jobs?.find((job) => job.stint.company === company && job.stint.from === from)
}

function goesOn(view: PersonView, stint: Stint): boolean {
  return jobOf(view, stint)?.stint.to === null
}

/** Whether another company absorbed the employer between these answers. */
export function isEmployerMoved(
  { companies }: Truth,
  { company }: Stint,
  earlier: readonly Kept<PersonView>[],
  { day }: PersonView,
): boolean {
  const merged = companies[company]?.merged
  return Boolean(merged && merged.from <= day && earlier.some(({ view }) => view.day < merged.from))
}
