import { slugs } from './people.ts'

/** Somebody who is given the name of another. */
export function heirOf(slug: string): string {
  return `${slug}-heir`
}

function laterNameOf(slug: string): string {
  return `${slug}-new`
}

/** What happens to a name, one after the other: see `move`. */
const stages = ['renamed', 'given away', 'given back'] as const

/** Who holds which name at the providers. Nobody loses a name that nobody else is given: it leads to them still. */
export class Names {
  readonly #moves = new Map<string, number>()

  /** Whom a name leads to. */
  holderOf(name: string): string {
    const slug = slugs.find((one) => name === laterNameOf(one)) ?? name
    return this.#stageOf(name) === 'given away' ? heirOf(name) : slug
  }

  /** The name that a person goes by. */
  calledOf(person: string): string {
    const slug = slugs.find((one) => person === one || person === heirOf(one)) ?? person
    const stage = this.#stageOf(slug)
    if (person !== slug) return stage === 'given away' ? slug : person
    return stage === 'renamed' || stage === 'given away' ? laterNameOf(slug) : slug
  }

  /** The names that lead to whoever has, or had, this one. */
  around(slug: string): readonly string[] {
    return this.#moves.has(slug) ? [slug, laterNameOf(slug), heirOf(slug)] : [slug]
  }

  get moved(): readonly string[] {
    return [...this.#moves.keys()]
  }

  /** A person takes another name; then somebody else is given the old one; then they change back. */
  move(slug: string): void {
    this.#moves.set(slug, Math.min((this.#moves.get(slug) ?? 0) + 1, stages.length))
  }

  #stageOf(slug: string): (typeof stages)[number] | undefined {
    return stages[(this.#moves.get(slug) ?? 0) - 1]
  }
}
