import type { Said, Told } from '../world/simulated-provider.ts'
import { law, type Call } from './call.ts'
import { exercise } from './exercises.ts'

/**
 * The time within which a node receives news of other nodes' fetches, or stops relying on its cache. An answer of one
 * node applies at once to calls to that node and to up-to-date nodes. For calls to other nodes it applies after this
 * time.
 */
const newsMs = 7_000

/** Facts that callers of a node got, and when. */
export interface Heard {
  node: number
  heardAt: number
}

/** Whether a fact applies to a call. */
export function holdsFor({ node, isUpToDate, startedAt }: Call): (heard: Heard) => boolean {
  return (heard) => isUpToDate || heard.node === node || heard.heardAt <= startedAt - newsMs
}

interface HeardName extends Heard {
  name: string
  person: string
  /** When the provider stated it. */
  at: number
}

/**
 * The current holder of each name, by the newest answers that callers got. A name belongs to the person of the newest
 * fetch.
 */
export class HeardNames {
  readonly #heard: HeardName[] = []
  readonly #said: Said
  readonly #slackMs: number

  constructor(said: Said, slackMs: number) {
    this.#said = said
    this.#slackMs = slackMs
  }

  /** The newest answer about a call's name that its caller could know when the call began. */
  of(call: Call): HeardName | undefined {
    const known = this.#heard.filter(({ name }) => name === call.slug).filter(holdsFor(call))
    return known.reduce<HeardName | undefined>((last, one) => (last && last.at > one.at ? last : one), undefined)
  }

  hear({ name, called, slug: person, at }: Told, heard: Heard): void {
    for (const one of new Set([name, called])) this.#heard.push({ ...heard, name: one, person, at })
  }

  /** A call must not return a person whose name is known to have moved to another one since. */
  check(call: Call, { slug: person }: Told, known: HeardName | undefined): void {
    const since = (known?.at ?? 0) - this.#slackMs
    const isLater = (one: Told) => one.slug === person && namesIn(one).includes(call.slug) && one.at >= since
    const holds = !known || known.person === person || this.#said.told.some(isLater)
    const hasMoved = this.#heard.some((one) => one.name === call.slug && one.person !== known?.person)
    exercise('a name returns its current holder', known !== undefined && hasMoved)
    law(
      'a name returns its current holder',
      holds,
      call,
      `${person} was served, although it is ${known?.person}'s by now`,
    )
  }
}

function namesIn({ name, called }: Told): string[] {
  return [name, called]
}

/** Whether a provider has ever returned a person for a name. */
export function leads({ told }: Pick<Said, 'told'>, name: string, person: string): boolean {
  return told.some((one) => one.slug === person && namesIn(one).includes(name))
}
