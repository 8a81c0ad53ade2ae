/** The laws that hold for every order of events. */
export const laws = [
  'charges match the answers',
  'nothing is billed twice',
  'no limit is exceeded',
  'an ended key, project or person stays ended',
  'a replay is the same answer, for free',
  'nothing is held at rest',
  'age and source are true',
  'the ledger verifies',
  'concurrent misses cost one fetch',
  'spending at a ceiling is notified, once',
  'only the providers of its route answer an environment',
  'no call costs more than its cap',
  'while repeats are free a record is paid for once',
  'a call is held and paid by one price book',
  'a month is granted once',
  'nobody gets a stranger',
  'a record is filled with the newest facts of its providers',
  'a name returns its current holder',
  'a history covers one person',
  'a test key costs nothing and gets only samples',
  'every call ends',
  'a row of a batch is billed at most once and answered once',
  'a watch pays for one refresh per interval',
  'every event is delivered, or parked',
  'an endpoint gets one event at a time',
  'an endpoint gets only events of its own environment',
  'only injected failures occur',
  'nothing is dated in the future',
  'a month is granted when it begins',
  'a node with a wrong clock says so, and takes no paid calls',
  'both engines reach the same state',
] as const
export type Law = (typeof laws)[number]

/** A broken law. */
export class Violation extends Error {
  readonly law: Law

  constructor(law: Law, what: string) {
    super(what)
    this.law = law
  }
}
