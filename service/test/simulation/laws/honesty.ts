import { namesakeOf } from '../world/people.ts'
import type { Said, Told } from '../world/simulated-provider.ts'
import { isThin, law, type Answer, type Call } from './call.ts'
import { HeardNames, leads } from './heard-names.ts'

/** The environment that some seeds limit to some providers. */
export const routed = 'south/production'

const dayMs = 86_400_000
const defaultMaxAgeMs = 7 * dayMs
const staleMaxMs = 10 * dayMs
const missMs = 3_600_000

/** What is known when a call begins: of its name, and of whom it may be about. */
interface Newest {
  texts: ReadonlyMap<string, number>
  denied: number
  holder: ReturnType<HeardNames['of']>
}

export interface Texts {
  headline: string | null
  summary: string | null
}

/** What the provider said in a record: a thin one has no headline. */
export function textOf({ headline, summary }: Texts): string | null {
  return headline ?? summary
}

/** Knows what the providers said, and whether answers are about who was meant, from where they say and as old as they say. */
export class Honesty {
  /** Which names and addresses have led callers to whom. */
  readonly ledTo: (Pick<Call, 'by'> & { asked: string; told: Told; at: number })[] = []
  /** For each view, when the newest text that any caller was given of a person had been told. */
  readonly #newest = new Map<string, Map<string, number>>()
  readonly #names: HeardNames
  /** When the provider had told that there is none, as callers know. */
  readonly #denied = new Map<string, number>()
  readonly #said: Said
  readonly #route: readonly string[] | null

  constructor(said: Said, route: readonly string[] | null) {
    this.#said = said
    this.#names = new HeardNames(said)
    this.#route = route
  }

  /** What callers of this view know: nothing older may be served. */
  newestFor(call: Call): Newest {
    const texts = new Map(this.#newest.get(this.#viewOf(call)))
    return { texts, denied: this.#denied.get(this.#view(call)) ?? 0, holder: this.#names.of(call.slug) }
  }

  /** When the provider said what an answer says. */
  toldOf({ slug, by }: Call, { body }: Answer): Told | undefined {
    const said = textOf(JSON.parse(body) as Texts)
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
    const isNewest =
      toldAt >= (newest.texts.get(told?.slug ?? '') ?? 0) &&
      (toldAt >= newest.denied || this.#isBack(call, newest.denied))
    honest(isNewest || call.by !== 'slug', 'a newer text, or a 404, was answered before it began')
    const route = this.#routeOf(call)
    const isOfRoute = !route || route.includes(told?.provider ?? '')
    law('an environment is answered by the providers of its route alone', isOfRoute, call, `${told?.provider} gave it`)
    // A thin answer goes to those who wait for it; the fuller copy of before stays the one that is served.
    if (call.by === 'slug' && told) {
      this.#names.check(call, told, newest.holder)
      this.#names.hear(told)
      if (!isThin(answer)) this.#heard(call, told)
    }
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
    const denied = this.#said.denied.find((one) => one.name === slug && one.at > startedAt - missMs)
    const view = this.#view(call)
    if (denied) this.#denied.set(view, Math.max(this.#denied.get(view) ?? 0, denied.at))
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

  #heard(call: Call, { slug, at }: Told): void {
    const view = this.#viewOf(call)
    const texts = this.#newest.get(view) ?? new Map<string, number>()
    this.#newest.set(view, texts.set(slug, Math.max(texts.get(slug) ?? 0, at)))
  }

  /** A name as one environment sees it: those with other routes are served other copies. */
  #view(call: Pick<Call, 'slug' | 'environment'>): string {
    return `${call.slug} ${this.#viewOf(call)}`
  }

  #viewOf(call: Pick<Call, 'environment'>): string {
    return this.#routeOf(call)?.join() ?? ''
  }
}
