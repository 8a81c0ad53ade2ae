import { setTimeout as pause } from 'node:timers/promises'

interface Call {
  path: string
  value: string
}

/** Statuses that ask for a retry: the first attempt still runs, or the nodes still agree on limits. */
export const notYet: ReadonlySet<number> = new Set([409, 429, 503])
const fromDirectory = ['amara-okafor', 'tidewater-robotics']

/** Callers that never give up: a call that a crash cuts off is retried with the same Idempotency-Key. */
export class CrashLoad {
  /** Answers that no crash explains. */
  readonly wrong: string[] = []
  /** The request ids of all responses with status 500 and above. */
  readonly failures: string[] = []
  calls = 0
  /** Calls that ended without a record, of those whose provider may fail. */
  failed = 0
  cutOff = 0
  readonly #callers: number
  readonly #mayFail: boolean
  #unanswered: Call[] = []
  #nextAnswer = Promise.withResolvers<void>()

  /** `mayFail`: the faulty provider has no fallback, so a call may fail for free. */
  constructor(callers: number, { mayFail = false } = {}) {
    this.#callers = callers
    this.#mayFail = mayFail
  }

  get unanswered(): number {
    return this.#unanswered.length
  }

  /** Resolves with the next answer: from then on the service is working. */
  answered(): Promise<void> {
    this.#nextAnswer = Promise.withResolvers()
    return this.#nextAnswer.promise
  }

  /** Each caller uses one node, so that callers of a frozen node wait for it. */
  async run(urls: readonly string[], key: string, crashed: AbortSignal): Promise<void> {
    const one = async (url: string) => {
      while (!crashed.aborted) await this.#try(url, key, this.#unanswered.shift() ?? this.#next())
    }
    await Promise.all(Array.from({ length: this.#callers }, (_, index) => one(urls[index % urls.length] ?? '')))
  }

  /** Retries the rest until everything is answered. */
  async finish(url: string, key: string): Promise<void> {
    while (this.#unanswered.length > 0 && this.wrong.length === 0) {
      const left = this.#unanswered.splice(0, this.#callers)
      await Promise.all(left.map((call) => this.#try(url, key, call)))
    }
  }

  /** Store answers, fetches and companies, from the directory and from the mirror. */
  #next(): Call {
    const number = (this.calls += 1)
    if (this.#mayFail) return { path: `/v1/people/profile?profile_id=alone-${number % 200}`, value: `alone-${number}` }
    const person = number % 7 === 0 ? fromDirectory[0] : `person-${number % 40}`
    const company = number % 11 === 0 ? fromDirectory[1] : `company-${number % 9}`
    const path = number % 5 === 0 ? `companies/details?company_id=${company}` : `people/profile?profile_id=${person}`
    return { path: `/v1/${path}${number % 3 === 0 ? '&bypass_cache=true' : ''}`, value: `call-${number}` }
  }

  async #try(url: string, key: string, call: Call): Promise<void> {
    const { status, id } = await answerOf(`${url}${call.path}`, { ApiKey: key, 'Idempotency-Key': call.value })
    if (status !== null && status >= 500) this.failures.push(id)
    if (status === 200) return this.#nextAnswer.resolve()
    if (this.#mayFail && (status === 404 || status === 502 || status === 504)) return void this.failed++
    if (status === null) this.cutOff++
    else if (!notYet.has(status)) this.wrong.push(`${call.path} was answered with ${status}`)
    this.#unanswered.push(call)
    // An immediate retry would slow down the busy service. A node with a wrong clock refuses every call.
    if (status !== null) await pause(status === 503 ? 200 : 20)
  }
}

/** The status of a complete response and its request id; null if the service died before its last byte. */
async function answerOf(url: string, headers: Record<string, string>): Promise<{ status: number | null; id: string }> {
  try {
    const answer = await fetch(url, { headers })
    await answer.text()
    return { status: answer.status, id: answer.headers.get('x-request-id') ?? '' }
  } catch {
    return { status: null, id: '' }
  }
}
