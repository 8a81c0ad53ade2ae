import type { Answer, Call } from './call.ts'
import type { Honesty } from './honesty.ts'
import { Violation } from './law.ts'
import type { Ledger } from './read-ledger.ts'

/** Tracks who was erased, from the answers that operators and callers got. */
export class Erasures {
  readonly #names = new Set<string>()
  /** People whom an erased name had returned. */
  readonly #people = new Set<string>()
  /** People whose address must return nothing. */
  readonly #addresses = new Set<string>()
  readonly #honesty: Honesty

  constructor(honesty: Honesty) {
    this.#honesty = honesty
  }

  /**
   * The erasure began at this time. People whom the name had returned until then are erased under all names, and
   * blocked with the addresses that returned them.
   */
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

  /** Whether the requested person is known to be erased. */
  isEnded({ by, slug }: Pick<Call, 'by' | 'slug'>): boolean {
    return by === 'address' ? this.#addresses.has(slug) : this.#names.has(slug)
  }

  /** Whether a call requested or returned an erased person, so that its receipt may be gone. */
  concern(call: Call, answer: Answer): boolean {
    return this.#names.has(call.slug) || this.#people.has(this.#honesty.toldOf(call, answer)?.slug ?? '')
  }

  atRest({ names, staleFolds }: Pick<Ledger, 'names' | 'staleFolds'>): void {
    for (const { id } of staleFolds)
      throw new Violation('an ended key, project or person stays ended', `fold ${id} names a version that was erased`)
    for (const { value } of names)
      if (this.#names.has(value))
        throw new Violation('an ended key, project or person stays ended', `${value} was erased, and is stored`)
  }

  get people(): ReadonlySet<string> {
    return this.#people
  }
}
