import { unitValue } from '../../../src/records/filling/unit-states.ts'
import type { Person } from '@vitae/contract'
import { playedUnits, shownUnit, type PlayedUnit } from '../world/said-units.ts'
import type { Said, Told } from '../world/simulated-provider.ts'
import { law, type Answer, type Call } from './call.ts'
import { exercise } from './exercises.ts'
import { holdsFor, leads, type Heard } from './heard-names.ts'
import type { Law } from './law.ts'

const filling: Law = 'a record is filled with the newest facts of its providers'

/** The facts that an answer is judged by. */
interface Judged {
  call: Call
  answer: Answer
  /** The provider answer that it is based on. */
  base: Told
  route: readonly string[] | null
  maxAgeMs: number
}

/** A short version of the fill rule, computed from what providers said and callers got. */
export class Fillings {
  readonly #heard: (Heard & { told: Told })[] = []
  readonly #said: Said
  readonly #slackMs: number

  constructor(said: Said, slackMs: number) {
    this.#said = said
    this.#slackMs = slackMs
  }

  /** Provider answers that are certainly stored when a call begins, because callers were served them. */
  knownTo(call: Call): readonly Told[] {
    return this.#heard.filter(holdsFor(call)).map(({ told }) => told)
  }

  hear({ node }: Call, { at }: Answer, told: Told): void {
    this.#heard.push({ node, heardAt: at, told })
  }

  /**
   * Each unit must be the base's own, or that of the newest answer that may fill it. `known`: the state when the call
   * began.
   */
  check(judged: Judged, known: readonly Told[]): void {
    const { call, answer, base } = judged
    for (const unit of playedUnits) {
      const shown = shownUnit(answer.body, unit)
      const own = base.says[unit]
      exercise(filling, shown !== null && own === undefined)
      const isHidden = unit.startsWith('contact_info') && !(call.contact && call.by === 'slug')
      if (isHidden) law(filling, shown === null, call, `${unit} is shown to who did not ask for it`)
      else if (own !== undefined) law(filling, shown === own, call, `${unit} is ${shown}, but the base says ${own}`)
      else if (shown === null) this.#mayBeEmpty(judged, unit, known)
      else this.#mayFill(judged, unit, shown, known)
    }
    if (call.by === 'slug') this.#namesAll(judged)
  }

  /** A unit must not stay empty if an answer to fill it was known. */
  #mayBeEmpty(judged: Judged, unit: PlayedUnit, known: readonly Told[]): void {
    const { call, answer, base, maxAgeMs } = judged
    if (call.bypass) return
    const isWithdrawn = ({ at }: Told) =>
      this.#said.denied.some((one) => one.at + this.#slackMs >= at && leads(this.#said, one.name, base.slug)) ||
      this.#said.told.some(
        (one) => this.#mayBeAsked(judged, one) && one.says[unit] === null && one.at + this.#slackMs >= at,
      )
    const lost = known.find(
      (one) =>
        this.#mayBeAsked(judged, one) &&
        typeof one.says[unit] === 'string' &&
        answer.at - one.at + this.#slackMs <= maxAgeMs &&
        !isWithdrawn(one),
    )
    law(filling, !lost, call, `${unit} is empty, although ${lost?.text} says ${lost?.says[unit]}`)
  }

  #mayFill(judged: Judged, unit: PlayedUnit, shown: string, known: readonly Told[]): void {
    const { call, base, route, maxAgeMs } = judged
    const source = this.#said.told.find((one) => one.says[unit] === shown)
    if (!source || source.slug !== base.slug) return law(filling, false, call, `${shown} was said of somebody else`)
    const isOfRoute = !route || route.includes(source.provider)
    law('only the providers of its route answer an environment', isOfRoute, call, `${shown} is of another`)
    law('nobody gets a stranger', source.misnamed === base.misnamed, call, `${shown} was said under another name`)
    // A match with a too unlikely first answer asks the next provider, so both are fetches of the call.
    const isOwnFetch = call.by === 'address' && source.at + this.#slackMs >= call.startedAt
    const isFresh = !call.bypass || isOwnFetch
    law('age and source are true', isFresh, call, `${shown} is stored, and bypass_cache was answered with it`)
    const isYoung = call.startedAt - source.at <= maxAgeMs + this.#slackMs
    law('age and source are true', isYoung, call, `${shown} is too old to fill`)
    const isWithdrawn = ({ provider, at }: Told) =>
      this.#said.denied.some((one) => one.provider === provider && one.name === base.name && one.at >= at)
    const newer = known.find(
      (one) =>
        this.#mayBeAsked(judged, one) &&
        one.says[unit] !== undefined &&
        one.at - this.#slackMs > source.at &&
        !isWithdrawn(one),
    )
    law(filling, !newer, call, `it is filled with ${shown}, but ${newer?.text} said ${newer?.says[unit]} since`)
    const denied = this.#said.denied.find(
      (one) =>
        one.provider === source.provider &&
        one.at - this.#slackMs > source.at &&
        one.at + this.#slackMs <= base.at &&
        one.name === base.name &&
        this.#wasKnownAs(one.name, base.slug, one.at),
    )
    law(filling, !denied, call, `it is filled with ${shown}, but ${source.provider} knew nobody since`)
  }

  /** Whether a caller had been served the person under this name by then. A denial of any other name says nothing about them. */
  #wasKnownAs(name: string, person: string, by: number): boolean {
    return this.#heard.some(
      ({ heardAt, told }) => heardAt <= by && told.slug === person && [told.name, told.called].includes(name),
    )
  }

  /** Whether an answer is about the same person, under the same name, and from a provider of the route. */
  #mayBeAsked({ base, route }: Judged, { slug, misnamed, provider, text }: Told): boolean {
    const isOfRoute = !route || route.includes(provider)
    return slug === base.slug && misnamed === base.misnamed && isOfRoute && text !== base.text
  }

  /** `X-Filled-From` names every unit that is not the base's with its source, and nothing that the body lacks. */
  #namesAll({ call, answer, base }: Judged): void {
    const named = namedIn(answer.headers.get('x-filled-from') ?? '')
    const body = JSON.parse(answer.body) as Person
    const honest = (holds: boolean, what: string) => law('age and source are true', holds, call, what)
    for (const unit of named.keys())
      honest(unitValue(body, unit) !== null, `X-Filled-From names ${unit}, which is not in the body`)
    for (const unit of playedUnits) {
      const shown = shownUnit(answer.body, unit)
      const isFilled = shown !== null && base.says[unit] !== shown
      honest(isFilled === named.has(unit), `${unit} is ${shown}, and X-Filled-From says ${named.get(unit)?.provider}`)
      const source = this.#said.told.find((one) => isFilled && one.says[unit] === shown)
      const { provider, age } = named.get(unit) ?? {}
      if (!source || age === undefined) continue
      const differs = Math.abs(age - Math.floor((answer.at - source.at) / 1_000))
      const isHonest = provider === source.provider && differs <= Math.ceil(this.#slackMs / 1_000)
      honest(isHonest, `${unit} is of ${source.provider}, and X-Filled-From says ${provider}, ${age} s`)
    }
  }
}

function namedIn(header: string): Map<string, { provider: string; age: number }> {
  const elements = header.matchAll(/([a-z]+);fields="([^"]*)";age=(\d+)/g)
  return new Map(
    [...elements].flatMap(([, provider = '', fields = '', age]) =>
      fields.split(',').map((unit) => [unit, { provider, age: Number(age) }] as const),
    ),
  )
}
