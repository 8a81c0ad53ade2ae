/** The laws that hold if the evidence decides. */
export type Law =
  | 'no strangers are merged'
  | 'nobody is split whom an id proves to be one'
  | 'who stays on a page under one name keeps one key'
  | 'a key does not change'
  | 'no job change is reported that did not happen'
  | 'a change that one lens has shown on both sides is reported'
  | 'a change is reported once'
  | 'a change is reported at the first refresh'
  | 'a late view of an older job is not reported'
  | 'no promotion is reported that did not happen'
  | 'a promotion that one lens has shown on both sides is reported'
  | 'nobody else is served past expect.*'
  | 'nobody is refused who is as expected'
  | 'no other company is served by a match'
  | 'no company is refused that is as expected'
  | 'nobody else is served past a match'
  | 'nobody else is served to a member id'
  | 'no call fails'

/** Cases that the evidence does not decide. */
export type Undecided =
  | 'a new last name on the same page, without ids'
  | 'a namesake takes over a page, without ids'
  | 'a namesake is served to an expected name'
  | 'an address is taken for that of somebody else, and nothing else is expected'
  | 'the site of an employer is not known, and its domain is expected'
  | 'a namesake at one employer is served to a name and a company'
  | 'a company took in the employer'
  | 'left and back at one employer between two views'
  | 'a new title that began in the same year, without months'

export interface Broken {
  law: Law
  what: string
}

/** Counts checked cases, broken laws and undecidable cases. */
export class Tally {
  readonly checked: Partial<Record<Law, number>> = {}
  readonly undecided: Record<string, number> = {}
  readonly facts: Record<string, number> = {}
  readonly broken: Broken[] = []

  /** Records one case of a law. A text describes how it is broken. */
  check(law: Law, broken: string | null): void {
    this.checked[law] = (this.checked[law] ?? 0) + 1
    if (broken !== null) this.broken.push({ law, what: broken })
  }

  /** Records one undecidable case and its outcome. */
  decide(what: Undecided, came: string): void {
    const name = `${what}: ${came}`
    this.undecided[name] = (this.undecided[name] ?? 0) + 1
  }

  count(fact: string): void {
    this.facts[fact] = (this.facts[fact] ?? 0) + 1
  }
}
