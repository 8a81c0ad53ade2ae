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
import { heirOf, Names } from './names.ts'
import { namesakeOf, slugs } from './people.ts'
import { providerNames, saidUnits, suppliedBy, withUnits, type ProviderName, type SaidUnits } from './said-units.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'
import { projectContract } from '../../../src/providers/contract-shape/contract-projection.ts'

interface Asked {
  provider: ProviderName
  /** The node that asks. */
  by: Owner | undefined
  /** By an address: the answer says how sure it is. */
  isMatch: boolean
  /** The environment that it is asked for. */
  environmentId: number
  kind: Kind
  slug: string
  maxAgeDays: number
  resolve(answer: RawAnswer): void
  reject(error: unknown): void
}

/** What the provider said, for the oracle: which text of which record, and when. */
export interface Told {
  /** Of whom. */
  slug: string
  /** By what it was asked: a name, the number of a member, or an address. */
  name: string
  /** The name that the person went by. */
  called: string
  /** The address of the page, which is never filled: by it an answer is known. */
  text: string
  at: number
  provider: string
  /** It was little more than an identity. */
  thin: boolean
  says: SaidUnits
  /** Under the name of somebody else, by a mistake of the provider. */
  misnamed: boolean
}

type Denied = Pick<Told, 'name' | 'at' | 'provider'>

/** For the oracle. */
export interface Said {
  readonly told: readonly Told[]
  /** When it knew of no such record. */
  readonly denied: readonly Denied[]
}

/** What is asked, in a header of the request. */
interface Question {
  slug: string
  kind: Kind
  environmentId: number
  maxAgeDays: number
  /** Of the call: the same for every provider and every retry. */
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

/** A person's own id, by which histories are kept. */
export function urnOf(person: string): string {
  const urn = urns.get(person) ?? contractPerson(person).member_urn
  urns.set(person, urn)
  return urn
}
const urns = new Map<string, string>()

/** Every third answer to an address is too unlikely to be served, and every second is about somebody else, of a name nobody knew. */
const [unlikelyEach, namesakeEach] = [3, 2]
/** Every eleventh answer gives a person the name of somebody else. */
const misnamedEach = 11
const otherName = { first_name: 'Otto', last_name: 'Fremdling' }

/** A chain of two providers whose every answer waits for the scheduler. Each answer has texts of its own, so that it can be told from all others. */
export class SimulatedProvider implements Said {
  readonly told: Told[] = []
  readonly denied: Denied[] = []
  readonly names = new Names()
  /** Environments that not all providers may answer. */
  readonly routes = new Map<number, readonly string[]>()
  /** Who was asked for whom although it is excluded. */
  askedExcluded: string | null = null
  /** The call that sent more requests than its cap allows. */
  overCap: string | null = null
  readonly #cap: number
  readonly #requests = new Map<string, number>()
  /** Whom callers asked for with an expectation: such a call does not share the fetch of others. */
  readonly guarded = new Set<string>()
  /** Of whom no provider knows anything for the time being. */
  readonly gone = new Set<string>()
  /** For whom it was asked while it had not answered the same question. */
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

  /** How many questions may be answered: a node that is frozen reads no answer. */
  get waiting(): number {
    return this.#answerable.length
  }

  answer(index: number): void {
    if (this.gone.has(this.#subjectOf(this.#answerable[index]?.slug ?? ''))) return this.deny(index)
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
    const { slug, provider, by, resolve } = this.#take(index)
    this.denied.push({ name: slug, provider, at: this.#time.clock.now() })
    resolve(this.#raw(by, 404, {}))
  }

  fail(index: number, kind: FaultKind): void {
    const { reject, provider } = this.#take(index)
    reject(new ProviderFault(kind, `${provider}: ${kind}`))
  }

  /** The process is dead: nobody hears the answers any more. */
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

  /** Whom a question is about: by a name, by the number of a member, or by an address. */
  #subjectOf(value: string): string {
    return subjects.get(value) ?? this.names.holderOf(value)
  }

  #take(index: number): Asked {
    const asked = this.#answerable[index]
    if (!asked) throw new Error('nobody asked')
    this.#asked = this.#asked.filter((one) => one !== asked)
    return asked
  }

  /** As the node received it, by its own clock. */
  #raw(by: Owner | undefined, status: number, value: object, headers: Record<string, string> = {}) {
    const receivedAt = this.#time.clock.now() + (by?.skewMs ?? 0)
    return { status, headers, body: Buffer.from(JSON.stringify(value)), receivedAt }
  }
}
