import { namesakeOf } from '../world/people.ts'
import type { Said, Told } from '../world/simulated-provider.ts'
import { law, type Answer, type Call } from './call.ts'
import { Fillings } from './fillings.ts'
import { HeardNames, holdsFor, leads, type Heard } from './heard-names.ts'

/** The environment that some seeds limit to some providers. */
export const routed = 'south/production'

const dayMs = 86_400_000
const defaultMaxAgeMs = 7 * dayMs
const staleMaxMs = 10 * dayMs
const missMs = 3_600_000

/** What is known when a call begins: of its name, and of whom it may be about. */
interface Newest {
  /** When the newest text of a person had been told that callers of this view were given. */
  textOf(person: string): number
  denied: number
  holder: ReturnType<HeardNames['of']>
  /** What callers were served before. */
  known: readonly Told[]
}

export interface Page {
  profile_url: string | null
}

/** Knows what the providers said, and whether answers are about who was meant, from where they say and as old as they say. */
export class Honesty {
  /** Which names and addresses have led callers to whom. */
  readonly ledTo: (Pick<Call, 'by'> & { asked: string; told: Told; at: number })[] = []
  /** Which texts of whom callers of a view were given, and when they had been told. */
  readonly #texts: (Heard & { view: string; person: string; at: number })[] = []
  readonly #names: HeardNames
  readonly #fillings: Fillings
  /** When the provider had told that there is none, as callers know. */
  readonly #denied: (Heard & { view: string; at: number })[] = []
  readonly #said: Said
  readonly #route: readonly string[] | null
  readonly #slackMs: number

  /** `slackMs`: so far the clocks of nodes differ at most. */
  constructor(said: Said, route: readonly string[] | null, slackMs: number) {
    this.#said = said
    this.#names = new HeardNames(said, slackMs)
    this.#fillings = new Fillings(said, slackMs)
    this.#route = route
    this.#slackMs = slackMs
  }

  /** What callers of this view know: nothing older may be served. */
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

  /** When the provider said what an answer says. */
  toldOf({ slug, by }: Call, { body }: Answer): Told | undefined {
    const { profile_url: said } = JSON.parse(body) as Page
    const isAsked = (told: Told) =>
      by === 'address' ? [slug, namesakeOf(slug)].includes(told.slug) : leads(this.#said, slug, told.slug)
    return this.#said.told.find((told) => told.text === said && isAsked(told))
  }

  /** Nobody gets a stranger, or somebody who is too unlikely to be the one who is meant. */
  #meant(call: Call, { headers, at }: Answer, told: Told | undefined): void {
    const { by, slug } = call
    const likelihood = by === 'address' ? Number(headers.get('x-match-likelihood')) : 1
    law('nobody gets a stranger', by !== 'stranger' && likelihood >= 0.8, call, `by ${by}, likelihood ${likelihood}`)
    if (told) this.ledTo.push({ by, asked: slug, told, at })
  }

  /** Source and age say where the text came from and when. `newest`: what was known when the call began. */
  check(call: Call, answer: Answer, newest: Newest): void {
    const { headers, at } = answer
    const honest = (holds: boolean, what: string) => law('age and source are honest', holds, call, what)
    const told = this.toldOf(call, answer)
    honest(told !== undefined, `no provider ever said this of ${call.slug}`)
    this.#meant(call, answer, told)
    const source = headers.get('x-data-source')
    const fetchedAt = Date.parse(headers.get('x-fetched-at') ?? '')
    const toldAt = told?.at ?? 0
    const slackMs = this.#slackMs
    const isNewest =
      toldAt + slackMs >= newest.textOf(told?.slug ?? '') &&
      (toldAt + slackMs >= newest.denied || this.#isBack(call, newest.denied))
    honest(isNewest || call.by !== 'slug', 'a newer text, or a 404, was answered before it began')
    const route = this.#routeOf(call)
    const isOfRoute = !route || route.includes(told?.provider ?? '')
    law('an environment is answered by the providers of its route alone', isOfRoute, call, `${told?.provider} gave it`)
    // A thin answer goes to those who wait for it; the fuller copy of before stays the one that is served.
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
    // Who joins a fetch that is just being stored is told what the provider said a moment before.
    if (source === 'live') return honest(toldAt + slackMs >= call.startedAt && age === 0, 'an old copy is called live')
    const isAge = Math.abs(age - Math.floor((at - toldAt) / 1_000)) <= Math.ceil(slackMs / 1_000)
    honest(isAge, `an age of ${age} s is wrong`)
    honest(!call.bypass, 'bypass_cache was answered from the store')
    honest(call.startedAt - toldAt <= maxAgeMs + slackMs, 'a copy that is too old was served')
  }

  /** What the provider told before it knew of no such record is not served any more. Which of its 404s this is, nobody knows. */
  missed(call: Call, heardAt: number): void {
    const { slug, startedAt, node } = call
    const denied = this.#said.denied.find((one) => one.name === slug && one.at > startedAt - missMs)
    if (denied) this.#denied.push({ node, heardAt, view: this.#view(call), at: denied.at })
  }

  /** A thin answer says that somebody is there after all: then the fuller copy of before is served again. */
  #isBack({ slug }: Call, since: number): boolean {
    return this.#said.told.some(
      ({ thin, name, called, at }) => thin && (name === slug || called === slug) && at >= since,
    )
  }

  #routeOf({ environment }: Pick<Call, 'environment'>): readonly string[] | null {
    return environment === routed ? this.#route : null
  }

  /** A name as one environment sees it: those with other routes are served other copies. */
  #view(call: Pick<Call, 'slug' | 'environment'>): string {
    return `${call.slug} ${this.#viewOf(call)}`
  }

  #viewOf(call: Pick<Call, 'environment'>): string {
    return this.#routeOf(call)?.join() ?? ''
  }
}
