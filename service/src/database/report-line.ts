import { Failure } from '../foundation/failure.ts'

/** They wait for a second or two, and hold nothing but their question. */
const waitingAtMost = 256

/** Reports that are made one after the other. */
export class ReportLine {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** Makes a report when those before it are made; refuses it where too many wait. */
  run<Result>(make: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= waitingAtMost) {
      const detail = 'Too many reports wait. Ask again later.'
      return Promise.reject(new Failure('overloaded', { detail, retryAfterSeconds: 10 }))
    }
    this.#waiting += 1
    const made = this.#last.then(make).finally(() => (this.#waiting -= 1))
    this.#last = made.catch(() => undefined)
    return made
  }
}

/** What is answered when a report was ended because its time was over. */
export function tookTooLong(name: string, reportMs: number): Failure {
  const detail = `The report took longer than ${reportMs / 1_000} s and was ended. Ask for a shorter period, fewer groups or a smaller page.`
  return new Failure('store_unavailable', { detail, cause: new Error(`the report ${name} passed its time`) })
}
