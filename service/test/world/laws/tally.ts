/** The laws that hold if the evidence decides. */
export type Law =
  | 'no strangers are merged'
  | 'no person with a proven id is split'
  | 'a person who keeps page and name keeps their key'
  | 'a key does not change'
  | 'every reported job change happened'
  | 'a change that one lens shows before and after is reported'
  | 'a change is reported once'
  | 'a change is reported at the first refresh'
  | 'a late view of an older job is not reported'
  | 'every reported promotion happened'
  | 'a promotion that one lens shows before and after is reported'
  | 'no other person is served past expect.*'
  | 'no expected person is refused'
  | 'no other company is served by a match'
  | 'no expected company is refused'
  | 'a match serves no other person'
  | 'a member id serves no other person'
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
