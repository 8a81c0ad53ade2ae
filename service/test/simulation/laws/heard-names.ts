import type { Said, Told } from '../world/simulated-provider.ts'
import { law, type Call } from './call.ts'

/** Knows whom names lead to, by the newest that callers were told. A name follows the newest fetch that says whose it is. */
export class HeardNames {
  readonly #heard = new Map<string, { person: string; at: number }>()
  readonly #said: Said

  constructor(said: Said) {
    this.#said = said
  }

  /** What is known of a name now: for calls that begin now. */
  of(name: string): { person: string; at: number } | undefined {
    return this.#heard.get(name)
  }

  hear({ name, called, slug: person, at }: Told): void {
    for (const one of [name, called]) if (at >= (this.#heard.get(one)?.at ?? 0)) this.#heard.set(one, { person, at })
  }

  /** Nobody is served for a name that is known to be somebody else's since. */
  check(call: Call, { slug: person }: Told, known: { person: string; at: number } | undefined): void {
    const isLater = (one: Told) => one.slug === person && namesIn(one).includes(call.slug) && one.at >= (known?.at ?? 0)
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
