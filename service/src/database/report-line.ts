import { Failure } from '../foundation/failure.ts'

/** They wait for a second or two, and keep only their arguments in memory. */
const waitingAtMost = 256

/** Reports that run one after another. */
export class ReportLine {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** Runs a report after those before it; refuses it if too many wait. */
  run<Result>(make: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= waitingAtMost) {
      const detail = 'Too many reports are queued. Retry later.'
      return Promise.reject(new Failure('overloaded', { detail, retryAfterSeconds: 10 }))
    }
    this.#waiting += 1
    const made = this.#last.then(make).finally(() => (this.#waiting -= 1))
    this.#last = made.catch(() => undefined)
    return made
  }
}

/** The failure of a report that was stopped because its time was over. */
export function tookTooLong(name: string, reportMs: number): Failure {
  const detail = `The report took longer than ${reportMs / 1_000} s and was stopped. Ask for a shorter period, fewer groups or a smaller page.`
  return new Failure('store_unavailable', { detail, cause: new Error(`the report ${name} exceeded its time limit`) })
}
