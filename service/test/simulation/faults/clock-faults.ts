import type { Fault } from './fault.ts'

/** Mistakes about nodes whose machines' clocks are wrong. */
export const clockFaults: readonly Fault[] = [
  {
    name: 'a node goes by the clock of its machine',
    file: 'cluster/database-clock.ts',
    in: 'now',
    find: 'return Math.floor(performance.now() + (this.#low + this.#high) / 2)',
    replace: 'return this.#machine.now()',
  },
  {
    name: 'months are granted by the clock of the machine',
    file: 'app/jobs/grant-recurring.ts',
    in: 'grantRecurringJob',
    find: 'const now = { at: clock.now(), elapsed: clock.elapsed() }',
    replace: 'const now = { at: Date.now(), elapsed: clock.elapsed() }',
  },
  {
    name: 'expired holds are released by the clock of the machine',
    file: 'app/jobs/background-jobs.ts',
    in: 'releaseExpired',
    find: 'clock.now()',
    replace: 'Date.now()',
  },
  {
    name: 'the end of a key is compared with the clock of the machine',
    file: 'accounts/caller.ts',
    in: 'endOf',
    find: 'if (now >= revokedAt) $then',
    replace: 'if (Date.now() >= revokedAt) $then',
  },
  {
    name: 'a node whose clock is off takes paid calls',
    file: 'lookup/payment/pay.ts',
    in: 'callOf',
    find: 'if (deps.isClockOff()) throw clockOff',
    replace: 'void clockOff',
  },
  {
    name: 'a clock that is ten seconds off is not reported',
    file: 'cluster/database-clock.ts',
    in: 'reportedFromMs',
    find: '2_000',
    replace: '60_000',
  },
]
