import { setTimeout as pause } from 'node:timers/promises'
import { askAdmin } from '../../harness/ask-admin.ts'
import type { Random } from '../../simulation/world/random.ts'
import type { AnsweredCalls, Call } from './answered-calls.ts'

export const environment = { project: 'acme', environment: 'production' }
const atFirst = 1_000_000
/** Statuses that ask for a retry. */
const notYet = new Set([409, 429, 503])

export interface Reached {
  url: string
  token: string
}

/** Callers and an operator at work, whose answers are recorded. */
export class Load {
  readonly #service: Reached
  readonly #answered: AnsweredCalls
  readonly #random: Random
  readonly #callers: number
  #running: Promise<void>[] = []
  #stopping = false
  #number = 0

  constructor(service: Reached, answered: AnsweredCalls, random: Random, callers = 8) {
    this.#service = service
    this.#answered = answered
    this.#random = random
    this.#callers = callers
  }

  /** The first key and credits for everything that follows. */
  async prepare(): Promise<void> {
    await this.#makeKey()
    await this.#grant(atFirst)
  }

  start(): void {
    this.#stopping = false
    this.#running = [...Array.from({ length: this.#callers }, () => this.#caller()), this.#operator()]
    // Errors are reported by `stop`; until then they must not be unhandled.
    for (const one of this.#running) one.catch(() => undefined)
  }

  /** Starts nothing more, and resolves when everything in progress is answered. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#running)
  }

  async #caller(): Promise<void> {
    while (!this.#stopping) await this.lookUp(this.#someTarget())
  }

  async #operator(): Promise<void> {
    while (!this.#stopping) {
      const deeds = { makeKey: 3, revoke: 2, grant: 2, erase: 3 }
      switch (this.#random.weighted(deeds)) {
        case 'makeKey':
          await this.#makeKey()
          break
        case 'revoke':
          await this.#revoke()
          break
        case 'grant':
          await this.#grant(1 + this.#random.below(50))
          break
        case 'erase':
          await this.#erase()
          break
      }
      await pause(this.#random.below(40))
    }
  }

  /** Some are stored after their first fetch, some are new, some are fetched again. */
  #someTarget(): Pick<Call, 'path' | 'slug'> {
    const number = ++this.#number
    const slug = this.#random.chance(0.6) ? `often-${this.#random.below(40)}` : `once-${number}`
    const bypass = this.#random.chance(0.1) ? '&bypass_cache=true' : ''
    return this.#random.chance(0.2)
      ? { path: `/v1/companies/details?company_id=${slug}${bypass}`, slug }
      : { path: `/v1/people/profile?profile_id=${slug}${bypass}`, slug }
  }

  /** One paid call with the first key, which is never revoked. */
  async lookUp(target: Pick<Call, 'path' | 'slug'>, key = this.#answered.keys[0]?.key ?? ''): Promise<void> {
    const value = `call-${this.#answered.calls.length}`
    await this.#answered.note(this.#answered.calls, { ...target, value, key, requestId: '' }, async (call) => {
      call.requestId = (await payFor(this.#service.url, call)).requestId
    })
  }

  async #makeKey(): Promise<void> {
    const made = await this.#answered.note(this.#answered.keys, { id: '', key: '' }, async (entry) => {
      Object.assign(entry, await this.#admin('POST', '/keys', { ...environment, mode: 'live' }))
    })
    if (this.#answered.keys.length > 1) await this.lookUp(this.#someTarget(), made.key)
  }

  /** Revokes a key that is no longer used. */
  async #revoke(): Promise<void> {
    const next = this.#answered.keys[1 + this.#answered.revocations.length]
    if (!next || next.answered === null) return
    await this.#answered.note(this.#answered.revocations, { id: next.id }, async ({ id }) => {
      await this.#admin('POST', `/keys/${id}/revoke`, {})
    })
  }

  async #grant(amount: number): Promise<void> {
    const reason = `grant-${this.#answered.grants.length}`
    await this.#answered.note(this.#answered.grants, { amount, reason }, async () => {
      await this.#admin('POST', '/credits/grants', { ...environment, amount, reason })
    })
  }

  /** Erases a person with a record that no other call requests. */
  async #erase(): Promise<void> {
    const slug = erasedSlug(this.#answered.erasures.length)
    await this.lookUp({ path: `/v1/people/profile?profile_id=${slug}`, slug })
    await this.#answered.note(this.#answered.erasures, { slug }, async () => {
      await this.#admin('POST', `/records/people/${slug}/erase`, { reason: 'asked for' })
    })
  }

  #admin(method: string, path: string, body: unknown): Promise<Record<string, unknown>> {
    return askAdmin(this.#service, method, path, body)
  }
}

/** Finds all of them at once. */
export const erasedPattern = /quillon-\d{5}-vexworth/gi
const erasedSlug = (number: number) => `quillon-${String(number).padStart(5, '0')}-vexworth`

/** Retries until there is a record. */
export async function payFor(url: string, call: Call): Promise<{ requestId: string; charged: number }> {
  for (;;) {
    const response = await fetch(`${url}${call.path}`, { headers: { ApiKey: call.key, 'Idempotency-Key': call.value } })
    const text = await response.text()
    const requestId = response.headers.get('x-request-id') ?? ''
    if (response.ok) return { requestId, charged: Number(response.headers.get('x-credits-charged')) }
    if (!notYet.has(response.status)) throw new Error(`${call.path}: ${response.status} ${text}`)
    await pause(20)
  }
}
