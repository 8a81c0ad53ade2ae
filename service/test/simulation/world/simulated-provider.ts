import type { Kind } from '@vitae/contract'
import { contractCompany } from '../../../fake-provider/contract-company.ts'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import type { Clock } from '../../../src/foundation/clock.ts'
import { type FaultKind, type Provider, type ProviderAsk, ProviderFault, type Verdict } from '@vitae/provider'
import { projectContract } from '../../../src/providers/contract-shape/contract-projection.ts'

interface Asked {
  kind: Kind
  slug: string
  maxAgeDays: number
  resolve(verdict: Verdict): void
  reject(error: unknown): void
}

/** What the provider said, for the oracle: which text of which record, and when. */
export interface Told {
  slug: string
  text: string
  at: number
}

/** For the oracle. */
export interface Said {
  readonly told: readonly Told[]
  /** When it knew of no such record. */
  readonly denied: readonly Omit<Told, 'text'>[]
}

const field = { people: 'headline', companies: 'tagline' } as const

/** A provider whose every answer waits for the scheduler. Each answer has a text of its own, so that it can be told from all others. */
export class SimulatedProvider implements Said {
  readonly told: Told[] = []
  readonly denied: Omit<Told, 'text'>[] = []
  /** For whom it was asked while it had not answered the same question. */
  askedTwice: string | null = null
  readonly #clock: Clock
  #asked: Asked[] = []
  #answers = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  readonly provider: Provider = {
    name: 'mirror',
    supplies: { people: new Set(), companies: new Set() },
    projectionVersion: 1,
    asksByKey: true,
    ask: (ask) => this.#ask(ask),
    project: (kind, payload) => projectContract('mirror', kind, payload),
  }

  get waiting(): number {
    return this.#asked.length
  }

  answer(index: number): void {
    const asked = this.#take(index)
    const text = `answer ${++this.#answers}`
    const record = asked.kind === 'people' ? contractPerson(asked.slug) : contractCompany(asked.slug)
    this.told.push({ slug: asked.slug, text, at: this.#clock.now() })
    asked.resolve({ outcome: 'found', cost: null, answer: this.#raw(200, { ...record, [field[asked.kind]]: text }) })
  }

  deny(index: number): void {
    const { slug, resolve } = this.#take(index)
    this.denied.push({ slug, at: this.#clock.now() })
    resolve({ outcome: 'not_found', cost: null, answer: this.#raw(404, {}) })
  }

  fail(index: number, kind: FaultKind): void {
    this.#take(index).reject(new ProviderFault(kind, `mirror: ${kind}`))
  }

  /** The process is dead: nobody hears the answers any more. */
  forget(): void {
    this.#asked = []
  }

  #ask({ identifier: { kind, value: slug }, maxAgeDays, signal }: ProviderAsk): Promise<Verdict> {
    const isSame = (one: Asked) => one.kind === kind && one.slug === slug && one.maxAgeDays === maxAgeDays
    if (this.#asked.some(isSame)) this.askedTwice ??= slug
    return new Promise((resolve, reject) => {
      const asked = { kind, slug, maxAgeDays, resolve, reject }
      this.#asked.push(asked)
      signal.addEventListener('abort', () => {
        this.#asked = this.#asked.filter((one) => one !== asked)
      })
    })
  }

  #take(index: number): Asked {
    const [asked] = this.#asked.splice(index, 1)
    if (!asked) throw new Error('nobody asked')
    return asked
  }

  #raw(status: number, value: object) {
    return { status, headers: {}, body: Buffer.from(JSON.stringify(value)), receivedAt: this.#clock.now() }
  }
}
