/** The laws that hold for every order of events. */
export type Law =
  | 'what was answered is billed'
  | 'nothing is billed twice'
  | 'no limit is passed'
  | 'what was ended stays ended'
  | 'a replay is the same answer, for nothing'
  | 'nothing is held at rest'
  | 'age and source are honest'
  | 'the ledger verifies'
  | 'callers who miss at the same time cost one fetch'
  | 'spending at a ceiling is notified, once'
  | 'an environment is answered by the providers of its route alone'
  | 'no call costs more than its cap'
  | 'while repeats are free a record is paid for once'
  | 'a call is held and paid by one price book'
  | 'a month is granted once'
  | 'nobody gets a stranger'
  | 'a record is filled with the newest that its providers say'
  | 'a name leads to who has it'
  | 'a history is of one person'
  | 'a test key costs nothing and gets samples alone'
  | 'every call ends'
  | 'a row of a batch is billed at most once and answered once'
  | 'a watch pays for one look in an interval'
  | 'every event is delivered, or parked'
  | 'ordered events come in order'
  | 'an endpoint gets one event after the other'
  | 'an endpoint is told of its own environment alone'
  | 'nothing fails that was not made to fail'

/** A broken law. */
export class Violation extends Error {
  readonly law: Law

  constructor(law: Law, what: string) {
    super(what)
    this.law = law
  }
}
