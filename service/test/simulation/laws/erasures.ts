import type { Answer, Call } from './call.ts'
import type { Honesty } from './honesty.ts'
import { Violation } from './law.ts'
import type { Ledger } from './read-ledger.ts'

/** Knows who was erased, from what operators and callers were told. */
export class Erasures {
  readonly #names = new Set<string>()
  /** Those whom an erased name had led callers to. */
  readonly #people = new Set<string>()
  /** Whose address leads nowhere any more. */
  readonly #addresses = new Set<string>()
  readonly #honesty: Honesty

  constructor(honesty: Honesty) {
    this.#honesty = honesty
  }

  /** It began at this moment: whom the name had led to until then is erased under all names, and kept out with the addresses that led there. */
  erased(name: string, began: number): void {
    this.#names.add(name)
    const until = this.#honesty.ledTo.filter(({ at }) => at <= began)
    for (const { by, asked, told } of until)
      if ((by === 'slug' && asked === name) || told.name === name || told.called === name) this.#people.add(told.slug)
    for (const { by, asked, told } of until)
      if (by === 'address' && this.#people.has(told.slug)) this.#addresses.add(asked)
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** Whether what a call asks for was ended by what is known now. */
  isEnded({ by, slug }: Pick<Call, 'by' | 'slug'>): boolean {
    return by === 'address' ? this.#addresses.has(slug) : this.#names.has(slug)
  }

  /** Whether a call asked for, or got, somebody who was erased: its receipt may be gone. */
  concern(call: Call, answer: Answer): boolean {
    return this.#names.has(call.slug) || this.#people.has(this.#honesty.toldOf(call, answer)?.slug ?? '')
  }

  atRest({ names, staleFolds }: Pick<Ledger, 'names' | 'staleFolds'>): void {
    for (const { id } of staleFolds)
      throw new Violation('what was ended stays ended', `fold ${id} names a version that was erased`)
    for (const { value } of names)
      if (this.#names.has(value))
        throw new Violation('what was ended stays ended', `${value} was erased, and is stored`)
  }

  get people(): ReadonlySet<string> {
    return this.#people
  }
}
