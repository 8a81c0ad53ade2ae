import { setTimeout as pause } from 'node:timers/promises'

interface Call {
  name: string
  value: string
}

/** Callers that never give up: each call goes to a random node, with one Idempotency-Key, until it gets a record. */
export class ChaosLoad {
  readonly #urls: readonly string[]
  readonly #key: string
  readonly #callers: number
  #running: Promise<void>[] = []
  #stopping = false
  #number = 0
  /** Calls that got a record, and failed attempts. */
  answered = 0
  failed = 0
  /** The charges that the answers reported; 0 for a replay. */
  charged = 0
  readonly ends = new Map<string, number>()

  constructor(urls: readonly string[], key: string, callers: number) {
    this.#urls = urls
    this.#key = key
    this.#callers = callers
  }

  start(): void {
    this.#running = Array.from({ length: this.#callers }, () => this.#caller())
  }

  /** Resolves when the given number of further calls are answered. */
  async answeredMore(count: number): Promise<void> {
    const goal = this.answered + count
    while (this.answered < goal) await pause(10)
  }

  /** Resolves when every started call is answered. */
  async finish(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#running)
  }

  async #caller(): Promise<void> {
    while (!this.#stopping) {
      const number = ++this.#number
      // Some names repeat and some are new, so that both ways to pay are always in use.
      const name = number % 2 === 0 ? `often-${number % 50}` : `once-${number}`
      const call = { name, value: `chaos-${number}` }
      while (!(await this.#attempt(call))) await pause(20 + Math.random() * 80)
      this.answered++
      // A starting node needs the CPU more than another call does.
      await pause(Math.random() * 60)
    }
  }

  async #attempt({ name, value }: Call): Promise<boolean> {
    const url = this.#urls[Math.floor(Math.random() * this.#urls.length)] ?? ''
    const end = await this.#end(`${url}/v1/people/profile?profile_id=${name}`, value)
    this.ends.set(end, (this.ends.get(end) ?? 0) + 1)
    if (end !== '200') this.failed++
    return end === '200'
  }

  async #end(address: string, value: string): Promise<string> {
    try {
      const response = await fetch(address, {
        headers: { ApiKey: this.#key, 'Idempotency-Key': value },
        signal: AbortSignal.timeout(30_000),
      })
      const text = await response.text()
      if (response.status !== 200) return `${response.status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 40)}`
      this.charged += Number(response.headers.get('x-credits-charged'))
      return '200'
    } catch {
      return 'cut off'
    }
  }
}
