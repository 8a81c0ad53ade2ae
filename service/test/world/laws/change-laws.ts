import type { PersonView, ShownJob } from '../lenses/view.ts'
import type { Stint, Truth } from '../truth/person.ts'
import {
  expectedJoin,
  expectedLeave,
  expectedPromotions,
  isEmployerMoved,
  type Expectation,
} from './expected-changes.ts'
import type { Kept } from './journal.ts'
import type { Tally } from './tally.ts'

/** One side of a change in an event. */
interface Side {
  company_name: string | null
  title: string | null
}

export interface Change {
  kind: string
  before: Side | null
  after: Side | null
}

/** An event about a person, with the lens answer that caused it. */
export interface ChangeEvent {
  type: string
  at: number
  changes: Change[]
  fetchId: number | null
}

/** The stored answers and reported events of one watched person. */
export interface Watched {
  person: number
  /** The periods of the watch: after the first payment, until it followed its page to another person. */
  spans: readonly Span[]
  kept: readonly Kept<PersonView>[]
  events: readonly ChangeEvent[]
  /**
   * When the watched record got an answer. If the answer was stored for another unwatched record, that is the time of
   * the merge.
   */
  knownAt(kept: Kept<PersonView>): number
}

export interface Span {
  from: number
  to: number
}

/** The times of reported events, by their subject. */
type Reported = Map<string, number[]>

/** Compares the events of one watched person with their life. */
export class ChangeLaws {
  readonly #truth: Truth
  readonly #tally: Tally

  constructor(truth: Truth, tally: Tally) {
    this.#truth = truth
    this.#tally = tally
  }

  judge(watched: Watched): void {
    const reported: Reported = new Map()
    for (const event of watched.events) {
      const to = watched.kept.findIndex(({ fetchId }) => fetchId === event.fetchId)
      const kept = watched.kept[to]
      if (kept) for (const change of event.changes) this.#judgeChange(watched, event, change, kept, to, reported)
    }
    const stints = this.#truth.people[watched.person]?.stints ?? []
    for (const stint of stints) {
      this.#expect(watched, joined(stint), expectedJoin(this.#truth, watched, stint, this.#tally), reported)
      this.#expect(watched, left(stint), expectedLeave(this.#truth, watched, stint), reported)
      for (const [title, expected] of expectedPromotions(this.#truth, watched, stint, this.#tally))
        this.#expect(watched, promoted(stint, title), expected, reported)
    }
    for (const [what, times] of reported)
      this.#tally.check(
        'a change is reported once',
        times.length > 1 ? `${watched.person}: ${what} ${times.length} times` : null,
      )
  }

  #judgeChange(
    watched: Watched,
    event: ChangeEvent,
    change: Change,
    { view, lens }: Kept<PersonView>,
    to: number,
    reported: Reported,
  ): void {
    const say = `${watched.person}: ${lens} day ${view.day} fetch ${event.fetchId}: ${JSON.stringify(change)}`
    const note = (what: string) => reported.set(what, [...(reported.get(what) ?? []), event.at])
    if (change.kind === 'promotion') return this.#judgePromotion(view, change, say, note)
    if (change.kind !== 'job_change' && change.kind !== 'return') return
    const law = 'every reported job change happened'
    const now = change.after && this.#jobNamed(view, change.after)
    const former = change.before && this.#jobNamed(view, change.before)
    const earlier = watched.kept.slice(0, to)
    if (now && former && isSameStint(now.stint, former.stint) && isEmployerMoved(this.#truth, now.stint, earlier, view))
      return this.#tally.decide('a company took in the employer', 'reported as a job change')
    const stint = now?.stint ?? former?.stint
    if (view.jobs === null || !stint || (change.after !== null && !now))
      return this.#tally.check(law, `${say}: not shown`)
    if (now && now.stint.to !== null) return this.#tally.check(law, `${say}: that job has ended`)
    if (former && former.stint !== now?.stint && former.stint.to === null && !isSameStint(former.stint, now?.stint))
      return this.#tally.check(law, `${say}: the job before goes on`)
    const since = now ? now.stint.from : (former?.stint.to ?? 0)
    const sides = earlier.some((one) => one.lens === lens && one.view.jobs !== null && one.view.day < since)
    if (!sides) return this.#tally.check(law, `${say}: ${lens} has shown one side only`)
    this.#tally.check(law, null)
    const newest = Math.max(...earlier.flatMap((one) => one.view.jobs?.map((job) => job.stint.from) ?? []))
    this.#tally.check(
      'a late view of an older job is not reported',
      newest > since ? `${say}: ${newest} was shown` : null,
    )
    note(now ? joined(now.stint) : left(stint))
  }

  #judgePromotion(view: PersonView, { after }: Change, say: string, note: (what: string) => unknown): void {
    const job = after && this.#jobNamed(view, after)
    const role = job?.roles.findIndex(({ title }) => title === after?.title) ?? -1
    const real = job?.stint.roles[job.roles.length - 1 - role]
    const isReal = role >= 0 && real !== undefined && real.from > (job?.stint.from ?? 0)
    this.#tally.check('every reported promotion happened', isReal ? null : say)
    if (job && isReal) note(promoted(job.stint, real.title))
  }

  /** The job at an employer in a view, under any of the employer's names. Current jobs take precedence. */
  #jobNamed({ jobs }: PersonView, { company_name: name }: Side): ShownJob | null {
    const isNamed = (id: number) =>
      this.#truth.companies[id]?.names.some(({ value }) => value.toLowerCase() === name?.toLowerCase())
    const some = (jobs ?? []).filter(({ company, stint }) => isNamed(company.id) || isNamed(stint.company))
    return some.find(({ stint }) => stint.to === null) ?? some[0] ?? null
  }

  #expect({ person, knownAt }: Watched, what: string, expected: Expectation | null, reported: Reported): void {
    if (!expected) return
    const [first] = reported.get(what) ?? []
    const { kept } = expected
    const say = `${person}: ${what}, shown by ${kept.lens} in fetch ${kept.fetchId} of day ${kept.view.day}`
    const law = what.startsWith('promoted')
      ? 'a promotion that one lens shows before and after is reported'
      : 'a change that one lens shows before and after is reported'
    this.#tally.check(law, first === undefined ? say : null)
    if (first === undefined) return
    this.#tally.check('a change is reported at the first refresh', first > knownAt(kept) ? say : null)
  }
}

function joined({ company, from }: Stint): string {
  return `joined ${company} on day ${from}`
}

function left({ company, from }: Stint): string {
  return `left ${company}, joined on day ${from}`
}

function promoted({ company, from }: Stint, title: number): string {
  return `promoted to ${title} at ${company}, joined on day ${from}`
}

function isSameStint(a: Stint, b: Stint | undefined): boolean {
  return a.from === b?.from && a.company === b.company
}
