import { slugs } from './people.ts'

/** A person who takes over another person's name. */
export function heirOf(slug: string): string {
  return `${slug}-heir`
}

function laterNameOf(slug: string): string {
  return `${slug}-new`
}

/** The stages of a name, in order: see `move`. */
const stages = ['renamed', 'given away', 'given back'] as const

/** The holders of names at the providers. A person keeps an old name until someone else gets it. */
export class Names {
  readonly #moves = new Map<string, number>()

  /** The person whom a name returns. */
  holderOf(name: string): string {
    const slug = slugs.find((one) => name === laterNameOf(one)) ?? name
    return this.#stageOf(name) === 'given away' ? heirOf(name) : slug
  }

  /** The current name of a person. */
  calledOf(person: string): string {
    const slug = slugs.find((one) => person === one || person === heirOf(one)) ?? person
    const stage = this.#stageOf(slug)
    if (person !== slug) return stage === 'given away' ? slug : person
    return stage === 'renamed' || stage === 'given away' ? laterNameOf(slug) : slug
  }

  /** The names to request for a person: several if their name has moved. */
  around(slug: string): readonly string[] {
    return this.#moves.has(slug) ? [slug, laterNameOf(slug), heirOf(slug)] : [slug]
  }

  get moved(): readonly string[] {
    return [...this.#moves.keys()]
  }

  /** A person changes their name; then somebody else gets the old one; then they swap back. */
  move(slug: string): void {
    this.#moves.set(slug, Math.min((this.#moves.get(slug) ?? 0) + 1, stages.length))
  }

  #stageOf(slug: string): (typeof stages)[number] | undefined {
    return stages[(this.#moves.get(slug) ?? 0) - 1]
  }
}
