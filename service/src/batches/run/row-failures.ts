import { type Failure, closedProject, endedKey, outOfMoney } from '../../foundation/failure.ts'
import { dayMs } from '../../foundation/clock.ts'

/** The previous failures of a row. */
export interface FailedBefore {
  attempts: number
  /** The number of provider answers to other rows when it first failed. */
  answersBefore: number
}

/** The fate of a failed row and its batch. */
export type Fate =
  | { is: 'failed' }
  /** The row is retried later. `outage`: a provider may be out; `stopped`: the store cannot be used. */
  | { is: 'again' | 'outage' | 'stopped' | 'refused'; row: FailedBefore & { notBefore: number } }
  | { is: 'paused'; forMs: number; row: FailedBefore & { notBefore: number } }

const paused: ReadonlySet<string> = new Set([...outOfMoney, ...closedProject, 'upstream_allowance_exceeded'])
const refused: ReadonlySet<string> = new Set(endedKey)
const outage: ReadonlySet<string> = new Set(['upstream_unavailable', 'upstream_timeout', 'upstream_invalid'])
const stopped: ReadonlySet<string> = new Set(['store_unavailable', 'overloaded'])

const attemptsAtMost = 4
/** After a day without any provider answer the rows fail, because otherwise a batch could wait forever. */
const outageAtMostMs = dayMs
const moneyMs = 5_000
const backoffMs = 1_000
const backoffAtMostMs = 300_000
/** The longest pause, even if a provider asks for a longer one. */
export const pauseAtMostMs = 3_600_000

/**
 * Decides about a failed row. An outage fails no row: the batch waits. A row that keeps failing while the provider
 * answers others is itself the cause.
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

/** The length of a pause: as the failure says, otherwise increasing while providers are out. */
export function pauseOf(code: string, backoffs: number, failure: Failure | null): number {
  const said = Math.min(pauseAtMostMs, (failure?.details.retryAfterSeconds ?? 0) * 1_000)
  if (code === 'upstream_allowance_exceeded') return said
  if (code !== 'upstream_unavailable') return moneyMs
  return Math.max(said, Math.min(backoffAtMostMs, backoffMs * 2 ** backoffs))
}
