import type { Kind } from '@vitae/contract'
import { contractCompany } from '../../../fake-provider/contract-company.ts'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import {
  type FaultKind,
  type Provider,
  ProviderFault,
  type RawAnswer,
  type Send,
  type Verdict,
  type WireRequest,
} from '@vitae/provider'
import type { ChainAsk } from '../../../src/providers/chain/ask-one-provider.ts'
import { exercise } from '../laws/exercises.ts'
import { heirOf, Names } from './names.ts'
import { namesakeOf, slugs } from './people.ts'
import { providerNames, saidUnits, suppliedBy, withUnits, type ProviderName, type SaidUnits } from './said-units.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'
import { projectContract } from '../../../src/providers/contract-shape/contract-projection.ts'

interface Asked {
  provider: ProviderName
  /** The asking node. */
  by: Owner | undefined
  /** A match by an address: the answer has a likelihood. */
  isMatch: boolean
  /** The environment of the call. */
  environmentId: number
  kind: Kind
  slug: string
  maxAgeDays: number
  resolve(answer: RawAnswer): void
  reject(error: unknown): void
}

/** An answer of the provider, for the oracle: the text, the record and the time. */
export interface Told {
  /** The person. */
  slug: string
  /** The identifier that was asked for: a name, a member number, or an address. */
  name: string
  /** The person's name at that time. */
  called: string
  /** The page URL. It is unique and never filled from another answer, so it identifies the answer. */
  text: string
  at: number
  provider: string
  /** The answer was thin. */
  thin: boolean
  says: SaidUnits
  /** The provider answered under another person's name by mistake. */
  misnamed: boolean
}

type Denied = Pick<Told, 'name' | 'at' | 'provider'>

/** The provider's history, for the oracle. */
export interface Said {
  readonly told: readonly Told[]
  /** When it reported that a record does not exist. */
  readonly denied: readonly Denied[]
}

/** The question, in a header of the request. */
interface Question {
  slug: string
  kind: Kind
  environmentId: number
  maxAgeDays: number
  /** The id of the call, the same for every provider and every retry. */
  id: string
}

async function verdictOf(
  { identifier: { kind, value, match: by }, environmentId = 0, maxAgeDays, idempotencyKey: id, signal }: ChainAsk,
  send: Send,
): Promise<Verdict> {
  const question: Question = { slug: by?.email ?? value, kind, environmentId, maxAgeDays, id }
  const headers = { question: JSON.stringify(question) }
  const answer = await send({ method: 'GET', url: new URL('http://simulated.example'), headers }, signal)
  const likelihood = Number(answer.headers['likelihood'])
  const match = by ? { match: { likelihood, matchedOn: ['email'] as const } } : {}
  return { outcome: answer.status === 404 ? 'not_found' : 'found', cost: null, answer, ...match }
}

const subjects = new Map(
  slugs.flatMap((slug) =>
    [slug, namesakeOf(slug), heirOf(slug)].flatMap((one) => {
      const { member_urn, contact_info } = contractPerson(one)
      const known: [string, string][] = [[member_urn, one]]
      return one === slug ? [...known, [contact_info?.email_address ?? '', slug]] : known
    }),
  ),
)

/** The member URN of a person, which identifies their history. */
export function urnOf(person: string): string {
  const urn = urns.get(person) ?? contractPerson(person).member_urn
  urns.set(person, urn)
  return urn
}
const urns = new Map<string, string>()

/**
 * Every third answer to an address is too unlikely to be served. Every second is about somebody else with an unknown
 * name.
 */
const [unlikelyEach, namesakeEach] = [3, 2]
/** Every eleventh answer has another person's name. */
const misnamedEach = 11
const otherName = { first_name: 'Otto', last_name: 'Fremdling' }

/**
 * A chain of two providers whose answers wait for the scheduler. Each answer has unique texts, so that it can be
 * identified.
 */
export class SimulatedProvider implements Said {
  readonly told: Told[] = []
  readonly denied: Denied[] = []
  readonly names = new Names()
  /** The environments that are restricted to certain providers. */
  readonly routes = new Map<number, readonly string[]>()
  /** A provider that was asked although the route excludes it, with the person, if any. */
  askedExcluded: string | null = null
  /** The call that sent more requests than its cost cap allows, if any. */
  overCap: string | null = null
  readonly #cap: number
  readonly #requests = new Map<string, number>()
  /** People requested with an expectation: such a call does not share the fetch of others. */
  readonly guarded = new Set<string>()
  /** People whom no provider knows at the moment. */
  readonly gone = new Set<string>()
  /** Providers that have no answer at the moment: each is invalid, or says that there is no such record. */
  readonly withoutAnswer = new Map<ProviderName, 'invalid' | 'denies'>()
  /** The person who was asked for again while the same question was open, if any. */
  askedTwice: string | null = null
  readonly #time: Pick<VirtualTime, 'clock' | 'owner'>
  #asked: Asked[] = []
  #answers = 0

  constructor(time: Pick<VirtualTime, 'clock' | 'owner'>, cap: number | null) {
    this.#time = time
    this.#cap = cap ?? Infinity
  }

  readonly providers = providerNames.map((name) => ({
    provider: {
      name,
      supplies: { people: suppliedBy(name), companies: new Set<string>() },
      projectionVersion: 1,
      asksByKey: true,
      matchesBy: { people: [['email']] },
      ask: verdictOf,
      project: (kind, payload) => projectContract(name, kind, payload),
    } satisfies Provider,
    exchange: (request: WireRequest, signal: AbortSignal) => this.#receive(name, request, signal),
  }))

  /** The number of questions that can be answered. A frozen node reads no answer. */
  get waiting(): number {
    return this.#answerable.length
  }

  answer(index: number): void {
    const next = this.#answerable[index]
    const instead = next && this.withoutAnswer.get(next.provider)
    if (instead === 'invalid') return this.fail(index, instead)
    if (instead === 'denies' || this.gone.has(this.#subjectOf(next?.slug ?? ''))) return this.deny(index)
    const { kind, slug: asked, provider, isMatch, by, resolve } = this.#take(index)
    const number = ++this.#answers
    const text = `https://answers.example/${number}`
    const subject = this.#subjectOf(asked)
    const slug = isMatch && number % namesakeEach === 0 ? namesakeOf(subject) : subject
    const called = this.names.calledOf(slug)
    const { isThin, ...says } = saidUnits(provider, number, isMatch)
    const misnamed = number % misnamedEach === 0
    const person = { ...contractPerson(slug, { slug: called }), profile_url: text, ...(misnamed ? otherName : {}) }
    const record = kind === 'people' ? withUnits(person, { isThin, ...says }) : contractCompany(slug)
    const at = this.#time.clock.now()
    this.told.push({ slug, name: asked, called, text, at, provider, thin: isThin, says, misnamed })
    const likelihood = number % unlikelyEach === 0 ? '0.5' : '0.95'
    resolve(this.#raw(by, 200, record, isMatch ? { likelihood } : {}))
  }

  deny(index: number): void {
    const { slug, provider, isMatch, by, resolve } = this.#take(index)
    // No match for an address says nothing about a record that is known by its slug.
    if (!isMatch) this.denied.push({ name: slug, provider, at: this.#time.clock.now() })
    resolve(this.#raw(by, 404, {}))
  }

  fail(index: number, kind: FaultKind): void {
    const { reject, provider } = this.#take(index)
    reject(new ProviderFault(kind, `${provider}: ${kind}`))
  }

  /** Whether a node waits for a provider's answer about this. */
  isAsked(by: Owner, slug: string): boolean {
    return this.#asked.some((one) => one.by === by && one.slug === slug)
  }

  /** The process died: no one receives its answers any more. */
  forget(owner: Owner): void {
    this.#asked = this.#asked.filter(({ by }) => by !== owner)
  }

  get #answerable(): Asked[] {
    return this.#asked.filter(({ by }) => !by?.isFrozen)
  }

  #receive(provider: ProviderName, { headers }: WireRequest, signal: AbortSignal): Promise<RawAnswer> {
    const { slug, kind, environmentId, maxAgeDays, id } = JSON.parse(headers['question'] ?? '') as Question
    const route = this.routes.get(environmentId)
    if (route && !route.includes(provider)) this.askedExcluded ??= `${provider} for environment ${environmentId}`
    const requests = (this.#requests.get(id) ?? 0) + 1
    this.#requests.set(id, requests)
    exercise('no call costs more than its cap', requests === this.#cap)
    if (requests > this.#cap) this.overCap ??= `${requests} requests for ${slug}`
    const by = this.#time.owner
    const isSame = (one: Asked) =>
      one.by === by &&
      one.provider === provider &&
      one.kind === kind &&
      one.slug === slug &&
      one.maxAgeDays === maxAgeDays &&
      this.routes.get(one.environmentId) === route
    if (this.#asked.some(isSame) && !this.guarded.has(slug) && !this.guarded.has(this.#subjectOf(slug)))
      this.askedTwice ??= slug
    return new Promise((resolve, reject) => {
      const question = { environmentId, kind, slug, maxAgeDays }
      const asked = { provider, by, isMatch: slug.includes('@'), ...question, resolve, reject }
      this.#asked.push(asked)
      signal.addEventListener('abort', () => {
        this.#asked = this.#asked.filter((one) => one !== asked)
        reject(signal.reason as Error)
      })
    })
  }

  /** The person of a question: by name, member number, or address. */
  #subjectOf(value: string): string {
    return subjects.get(value) ?? this.names.holderOf(value)
  }

  #take(index: number): Asked {
    const asked = this.#answerable[index]
    if (!asked) throw new Error('nobody asked')
    this.#asked = this.#asked.filter((one) => one !== asked)
    return asked
  }

  /** A response as the node receives it, by its own clock. */
  #raw(by: Owner | undefined, status: number, value: object, headers: Record<string, string> = {}) {
    const receivedAt = this.#time.clock.now() + (by?.skewMs ?? 0)
    return { status, headers, body: Buffer.from(JSON.stringify(value)), receivedAt }
  }
}
