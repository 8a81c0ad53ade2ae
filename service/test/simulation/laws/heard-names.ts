import type { Said, Told } from '../world/simulated-provider.ts'
import { law, type Call } from './call.ts'

/**
 * Nodes hear of each other's fetches within this time, or rely on nothing that they have cached: what callers of one node were told
 * holds for calls to it and to nodes that have heard everything at once, and for calls to others after it.
 */
const newsMs = 7_000

/** What callers of a node were told, and when. */
export interface Heard {
  node: number
  heardAt: number
}

/** Whether what was heard holds for a call. */
export function holdsFor({ node, isUpToDate, startedAt }: Call): (heard: Heard) => boolean {
  return (heard) => isUpToDate || heard.node === node || heard.heardAt <= startedAt - newsMs
}

interface HeardName extends Heard {
  name: string
  person: string
  /** When a provider said it. */
  at: number
}

/** Knows whom names lead to, by the newest that callers were told. A name follows the newest fetch that says whose it is. */
export class HeardNames {
  readonly #heard: HeardName[] = []
  readonly #said: Said
  readonly #slackMs: number

  constructor(said: Said, slackMs: number) {
    this.#said = said
    this.#slackMs = slackMs
  }

  /** What is known of the name of a call that begins now. */
  of(call: Call): HeardName | undefined {
    const known = this.#heard.filter(({ name }) => name === call.slug).filter(holdsFor(call))
    return known.reduce<HeardName | undefined>((last, one) => (last && last.at > one.at ? last : one), undefined)
  }

  hear({ name, called, slug: person, at }: Told, heard: Heard): void {
    for (const one of new Set([name, called])) this.#heard.push({ ...heard, name: one, person, at })
  }

  /** Nobody is served for a name that is known to be somebody else's since. */
  check(call: Call, { slug: person }: Told, known: HeardName | undefined): void {
    const since = (known?.at ?? 0) - this.#slackMs
    const isLater = (one: Told) => one.slug === person && namesIn(one).includes(call.slug) && one.at >= since
    const holds = !known || known.person === person || this.#said.told.some(isLater)
    law('a name leads to who has it', holds, call, `${person} was served, although it is ${known?.person}'s by now`)
  }
}

function namesIn({ name, called }: Told): string[] {
  return [name, called]
}

/** Whether a provider has ever said that a name leads to a person. */
export function leads({ told }: Pick<Said, 'told'>, name: string, person: string): boolean {
  return told.some((one) => one.slug === person && namesIn(one).includes(name))
}
