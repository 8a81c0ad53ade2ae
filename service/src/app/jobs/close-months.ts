import { closeMonths, type CloseDeps } from '../../credits/statements/read-statement.ts'
import { certainTime } from './certain-time.ts'

type Deps = CloseDeps & Parameters<typeof certainTime>[0]

/** Closes months that are over by the last certain time: a clock that is ahead closes nothing. */
export function closeMonthsJob(deps: Deps) {
  const run = async (stop?: AbortSignal) => closeMonths(deps, await certainTime(deps), stop)
  return { name: 'close months', everyMs: 10 * 60_000, run }
}
