import { namesakeOf } from '../world/people.ts'
import type { Said, Told } from '../world/simulated-provider.ts'
import { isThin, law, type Answer, type Call } from './call.ts'

/** The environment that some seeds limit to some providers. */
export const routed = 'south/production'

const dayMs = 86_400_000
const defaultMaxAgeMs = 7 * dayMs
const staleMaxMs = 10 * dayMs
const missMs = 3_600_000

interface Newest {
  text: number
  denied: number
}

interface Texts {
  headline: string | null
  summary: string | null
}

/** What the provider said in a record: a thin one has no headline. */
export function textOf({ headline, summary }: Texts): string | null {
  return headline ?? summary
}

/** Knows what the providers said, and whether answers are about who was meant, from where they say and as old as they say. */
export class Honesty {
  /** Whose address has led callers to whom. */
  readonly ledTo: { owner: string; slug: string; at: number }[] = []
  /** When the newest text that any caller was given of a subject had been told. */
  readonly #newest = new Map<string, number>()
  /** When the provider had told that there is none, as callers know. */
  readonly #denied = new Map<string, number>()
  readonly #said: Said
  readonly #route: readonly string[] | null

  constructor(said: Said, route: readonly string[] | null) {
    this.#said = said
    this.#route = route
  }

  /** What callers of this view know: nothing older may be served. */
  newestFor(call: Call): Newest {
    const view = this.#view(call)
    return { text: this.#newest.get(view) ?? 0, denied: this.#denied.get(view) ?? 0 }
  }

  /** When the provider said what an answer says. */
  toldOf({ slug, by }: Call, { body }: Answer): Told | undefined {
    const said = textOf(JSON.parse(body) as Texts)
    const isAsked = (told: Told) => told.slug === slug || (by === 'address' && told.slug === namesakeOf(slug))
    return this.#said.told.find((told) => told.text === said && isAsked(told))
  }

  /** Nobody gets a stranger, or somebody who is too unlikely to be the one who is meant. */
  #meant(call: Call, { headers, at }: Answer, told: Told | undefined): void {
    const { by, slug } = call
    const likelihood = by === 'address' ? Number(headers.get('x-match-likelihood')) : 1
    law('nobody gets a stranger', by !== 'stranger' && likelihood >= 0.8, call, `by ${by}, likelihood ${likelihood}`)
    if (by === 'address' && told) this.ledTo.push({ owner: slug, slug: told.slug, at })
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
    const isNewest = toldAt >= newest.text && (toldAt >= newest.denied || this.#isBack(call, newest.denied))
    honest(isNewest || call.by !== 'slug', 'a newer text, or a 404, was answered before it began')
    const route = this.#routeOf(call)
    const isOfRoute = !route || route.includes(told?.provider ?? '')
    law('an environment is answered by the providers of its route alone', isOfRoute, call, `${told?.provider} gave it`)
    // A thin answer goes to those who wait for it; the fuller copy of before stays the one that is served.
    if (call.by === 'slug' && !isThin(answer)) learned(this.#newest, this.#view(call), toldAt)
    honest(Math.abs(fetchedAt - toldAt) < 1, `X-Fetched-At is ${fetchedAt}, the provider answered at ${toldAt}`)
    const age = Number(headers.get('x-data-age-seconds'))
    if (source === 'live') return honest(toldAt >= call.startedAt && age === 0, 'an old copy is called live')
    honest(age === Math.floor((at - toldAt) / 1_000), `an age of ${age} s is wrong`)
    honest(!call.bypass, 'bypass_cache was answered from the store')
    const limit = source === 'store' ? defaultMaxAgeMs : staleMaxMs
    honest(call.startedAt - toldAt <= limit, 'a copy that is too old was served')
  }

  /** What the provider told before it knew of no such record is not served any more. Which of its 404s this is, nobody knows. */
  missed(call: Call): void {
    const { slug, startedAt } = call
    const denied = this.#said.denied.find((one) => one.slug === slug && one.at > startedAt - missMs)
    if (denied) learned(this.#denied, this.#view(call), denied.at)
  }

  /** A thin answer says that somebody is there after all: then the fuller copy of before is served again. */
  #isBack({ slug }: Call, since: number): boolean {
    return this.#said.told.some((told) => told.thin && told.slug === slug && told.at >= since)
  }

  #routeOf({ environment }: Pick<Call, 'environment'>): readonly string[] | null {
    return environment === routed ? this.#route : null
  }

  /** A subject as one environment sees it: those with other routes are served other copies. */
  #view(call: Pick<Call, 'slug' | 'environment'>): string {
    return `${call.slug} ${this.#routeOf(call)?.join() ?? ''}`
  }
}

function learned(newest: Map<string, number>, view: string, at: number): void {
  newest.set(view, Math.max(newest.get(view) ?? 0, at))
}
