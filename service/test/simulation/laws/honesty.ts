import { namesakeOf } from '../world/people.ts'
import type { Said, Told } from '../world/simulated-provider.ts'
import { law, type Answer, type Call } from './call.ts'
import { exercise } from './exercises.ts'
import { Fillings } from './fillings.ts'
import { HeardNames, holdsFor, leads, type Heard } from './heard-names.ts'

/** The environment that some seeds restrict to certain providers. */
export const routed = 'south/production'

const dayMs = 86_400_000
const defaultMaxAgeMs = 7 * dayMs
const staleMaxMs = 10 * dayMs
const missMs = 3_600_000
/** A call may share an answer that waits to be stored: its provider gave it a moment before the call began. */
const savingMs = 1_000

/** The knowledge when a call begins, about its name and the possible people. */
interface Newest {
  /** When the provider stated the newest text of a person that callers of this view got. */
  textOf(person: string): number
  denied: number
  holder: ReturnType<HeardNames['of']>
  /** Provider answers that callers were served before. */
  known: readonly Told[]
}

export interface Page {
  profile_url: string | null
}

/** Compares answers with what the providers said: the right person, the true source and the true age. */
export class Honesty {
  /** The names and addresses that returned people to callers. */
  readonly ledTo: (Pick<Call, 'by'> & { asked: string; told: Told; at: number })[] = []
  /** The texts of people that callers of a view got, and when the provider stated them. */
  readonly #texts: (Heard & { view: string; person: string; at: number })[] = []
  readonly #names: HeardNames
  readonly #fillings: Fillings
  /** When the provider reported that a record does not exist, as callers know. */
  readonly #denied: (Heard & { view: string; at: number })[] = []
  readonly #said: Said
  readonly #route: readonly string[] | null
  readonly #slackMs: number

  /** `slackMs`: the maximum difference between the nodes' clocks. */
  constructor(said: Said, route: readonly string[] | null, slackMs: number) {
    this.#said = said
    this.#names = new HeardNames(said, slackMs)
    this.#fillings = new Fillings(said, slackMs)
    this.#route = route
    this.#slackMs = slackMs
  }

  /** The newest facts that callers of this view know. Nothing older may be served. */
  newestFor(call: Call): Newest {
    const [view, ofName] = [this.#viewOf(call), this.#view(call)]
    const texts = this.#texts.filter((one) => one.view === view).filter(holdsFor(call))
    const denied = this.#denied.filter((one) => one.view === ofName).filter(holdsFor(call))
    return {
      textOf: (person) => Math.max(0, ...texts.filter((one) => one.person === person).map(({ at }) => at)),
      denied: Math.max(0, ...denied.map(({ at }) => at)),
      holder: this.#names.of(call),
      known: this.#fillings.knownTo(call),
    }
  }

  /** The provider answer behind an answer. */
  toldOf({ slug, by }: Call, { body }: Answer): Told | undefined {
    const { profile_url: said } = JSON.parse(body) as Page
    const isAsked = (told: Told) =>
      by === 'address' ? [slug, namesakeOf(slug)].includes(told.slug) : leads(this.#said, slug, told.slug)
    return this.#said.told.find((told) => told.text === said && isAsked(told))
  }

  /** An answer must not be a stranger, or a match below the likelihood limit. */
  #meant(call: Call, { headers, at }: Answer, told: Told | undefined): void {
    const { by, slug } = call
    const likelihood = by === 'address' ? Number(headers.get('x-match-likelihood')) : 1
    law('nobody gets a stranger', by !== 'stranger' && likelihood >= 0.8, call, `by ${by}, likelihood ${likelihood}`)
    if (told) this.ledTo.push({ by, asked: slug, told, at })
  }

  /** Source and age must be true for the text. `newest`: the knowledge when the call began. */
  check(call: Call, answer: Answer, newest: Newest): void {
    const { headers, at } = answer
    const honest = (holds: boolean, what: string) => law('age and source are true', holds, call, what)
    const told = this.toldOf(call, answer)
    honest(told !== undefined, `no provider ever said this of ${call.slug}`)
    this.#meant(call, answer, told)
    const source = headers.get('x-data-source')
    const fetchedAt = Date.parse(headers.get('x-fetched-at') ?? '')
    const toldAt = told?.at ?? 0
    const slackMs = this.#slackMs
    const momentMs = source === 'live' ? slackMs + savingMs : slackMs
    const isNewest =
      toldAt + momentMs >= newest.textOf(told?.slug ?? '') &&
      (toldAt + momentMs >= newest.denied || this.#isBack(call, newest.denied))
    honest(isNewest || call.by !== 'slug', 'a newer text, or a 404, was answered before it began')
    const route = this.#routeOf(call)
    const isOfRoute = !route || route.includes(told?.provider ?? '')
    exercise('only the providers of its route answer an environment', route !== null)
    law('only the providers of its route answer an environment', isOfRoute, call, `${told?.provider} gave it`)
    // A thin answer goes only to its waiting callers. Later calls still get the fuller earlier copy.
    if (call.by === 'slug' && told) {
      this.#names.check(call, told, newest.holder)
      const heard = { node: call.node, heardAt: at }
      this.#names.hear(told, heard)
      if (!told.thin) this.#texts.push({ ...heard, view: this.#viewOf(call), person: told.slug, at: toldAt })
    }
    honest(
      Math.abs(fetchedAt - toldAt) < 1 + slackMs,
      `X-Fetched-At is ${fetchedAt}, the provider answered at ${toldAt}`,
    )
    const maxAgeMs = source === 'stale_fallback' ? staleMaxMs : defaultMaxAgeMs
    if (told) {
      this.#fillings.check({ call, answer, base: told, route, maxAgeMs }, newest.known)
      this.#fillings.hear(call, answer, told)
    }
    const age = Number(headers.get('x-data-age-seconds'))
    exercise('age and source are true', source !== 'live')
    if (source === 'live') {
      const isLive = toldAt + slackMs + savingMs >= call.startedAt
      return honest(isLive && age === 0, 'an old copy is called live')
    }
    const isAge = Math.abs(age - Math.floor((at - toldAt) / 1_000)) <= Math.ceil(slackMs / 1_000)
    honest(isAge, `an age of ${age} s is wrong`)
    honest(!call.bypass, 'bypass_cache was answered from the store')
    honest(call.startedAt - toldAt <= maxAgeMs + slackMs, 'a copy that is too old was served')
  }

  /**
   * Answers from before the provider reported a missing record are not served any more. It is unknown which of its 404s
   * this is.
   */
  missed(call: Call, heardAt: number): void {
    const { slug, startedAt, node } = call
    const denied = this.#said.denied.find((one) => one.name === slug && one.at > startedAt - missMs)
    if (denied) this.#denied.push({ node, heardAt, view: this.#view(call), at: denied.at })
  }

  /** A later thin answer means that the person exists again, so the fuller earlier copy may be served. */
  #isBack({ slug }: Call, since: number): boolean {
    return this.#said.told.some(
      ({ thin, name, called, at }) => thin && (name === slug || called === slug) && at >= since,
    )
  }

  #routeOf({ environment }: Pick<Call, 'environment'>): readonly string[] | null {
    return environment === routed ? this.#route : null
  }

  /** A name in one environment's view, because environments with other routes are served other copies. */
  #view(call: Pick<Call, 'slug' | 'environment'>): string {
    return `${call.slug} ${this.#viewOf(call)}`
  }

  #viewOf(call: Pick<Call, 'environment'>): string {
    return this.#routeOf(call)?.join() ?? ''
  }
}
