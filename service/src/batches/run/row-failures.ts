import { type Failure, closedProject, endedKey, outOfMoney } from '../../foundation/failure.ts'
import { dayMs } from '../../foundation/clock.ts'

/** How a row has failed so far. */
export interface FailedBefore {
  attempts: number
  /** How many answers providers had given to other rows when it first failed. */
  answersBefore: number
}

/** What becomes of a row that has failed, and of its batch. */
export type Fate =
  | { is: 'failed' }
  /** The row is tried again later. `outage`: a provider may be out; `stopped`: the store cannot be used. */
  | { is: 'again' | 'outage' | 'stopped' | 'refused'; row: FailedBefore & { notBefore: number } }
  | { is: 'paused'; forMs: number; row: FailedBefore & { notBefore: number } }

const paused: ReadonlySet<string> = new Set([...outOfMoney, ...closedProject, 'upstream_allowance_exceeded'])
const refused: ReadonlySet<string> = new Set(endedKey)
const outage: ReadonlySet<string> = new Set(['upstream_unavailable', 'upstream_timeout', 'upstream_invalid'])
const stopped: ReadonlySet<string> = new Set(['store_unavailable', 'overloaded'])

const attemptsAtMost = 4
/** After a day without one answer of a provider its rows fail after all, or a batch would wait for ever. */
const outageAtMostMs = dayMs
const moneyMs = 5_000
const backoffMs = 1_000
const backoffAtMostMs = 300_000
/** The longest pause: whoever says to wait for longer is asked again after this. */
export const pauseAtMostMs = 3_600_000

/**
 * Decides on a row that has failed. A provider that is out fails no row: the batch waits. A row that fails again and again
 * while the provider answers others is at fault itself.
 */
export function rowFails(
  failure: Failure,
  { attempts: before, answersBefore }: FailedBefore,
  { answers, failingSince, now }: { answers: number; failingSince: number | null; now: number },
): Fate {
  const { code } = failure
  const again = (waitMs: number) => ({ attempts: before, answersBefore, notBefore: now + waitMs })
  if (paused.has(code)) return { is: 'paused', forMs: pauseOf(code, 0, failure), row: again(0) }
  if (refused.has(code)) return { is: 'refused', row: again(500) }
  if (stopped.has(code)) return { is: 'stopped', row: again(0) }
  if (code === 'request_in_progress') return { is: 'again', row: again(2_000) }
  const attempts = before + 1
  const isOutage = outage.has(code)
  const othersWereAnswered = !isOutage || answers > (before === 0 ? answers : answersBefore)
  const isOutForLong = isOutage && failingSince !== null && now - failingSince > outageAtMostMs
  if (isOutForLong || (attempts >= attemptsAtMost && othersWereAnswered)) return { is: 'failed' }
  const row = { attempts, answersBefore: before === 0 ? answers : answersBefore, notBefore: now + 1_000 * 2 ** before }
  return { is: isOutage ? 'outage' : 'again', row }
}

/** How long a pause lasts: as the failure says, else longer and longer while providers are out. */
export function pauseOf(code: string, backoffs: number, failure: Failure | null): number {
  const said = Math.min(pauseAtMostMs, (failure?.details.retryAfterSeconds ?? 0) * 1_000)
  if (code === 'upstream_allowance_exceeded') return said
  if (code !== 'upstream_unavailable') return moneyMs
  return Math.max(said, Math.min(backoffAtMostMs, backoffMs * 2 ** backoffs))
}
