import type { PersonView } from '../lenses/view.ts'
import type { Person } from '../truth/person.ts'
import { isPerson, type Journal, type Kept } from './journal.ts'
import { isAlike, nameOn } from './likeness.ts'
import type { Tally } from './tally.ts'

type View = Pick<PersonView, 'person' | 'day' | 'member' | 'slug'>

/** Compares the service's entities with the real people. */
export class IdentityLaws {
  readonly #people: readonly Person[]
  readonly #journal: Journal
  readonly #tally: Tally
  /** The stored views of each entity, by its root. */
  readonly #views = new Map<number, View[]>()
  readonly #byMember = new Map<number, number>()
  readonly #onPage = new Map<string, { view: View; entity: number }>()
  readonly #companies = new Map<number, Set<number>>()
  readonly #keys = new Map<number, string>()

  constructor(people: readonly Person[], journal: Journal, tally: Tally) {
    this.#people = people
    this.#journal = journal
    this.#tally = tally
  }

  judge(kept: readonly Kept[]): void {
    for (const one of kept) {
      if (isPerson(one)) this.#judgePerson(one)
      else this.#judgeCompany(one)
    }
  }

  #judgePerson({ view, entity, absorbed, lens, asked }: Kept<PersonView>): void {
    for (const id of absorbed) this.#absorb(id, entity)
    const root = this.#journal.root(entity)
    const before = this.#views.get(root) ?? []
    const where = `${lens} shows ${this.#named(view)} on ${view.slug}, entity ${root}`
    this.#join(before, [view], where)
    this.#views.set(root, [...before, view])
    this.#checkMember(view, root, where)
    // A person asked for by an id is that person, even if the answer lacks facts.
    const isById = asked !== null && !asked.startsWith('slug:')
    const names = before.map((one) => this.#name(one))
    this.#checkPage(view, root, where, isById || names.some((one) => isAlike(one, this.#name(view))))
  }

  /** Two entities were merged. */
  #absorb(from: number, into: number): void {
    const [moved, stays] = [this.#views.get(from) ?? [], this.#views.get(into) ?? []]
    if (moved.length > 0 && stays.length > 0) this.#join(stays, moved, `entities ${from} and ${into} became one`)
    this.#views.set(into, [...stays, ...moved])
    this.#views.delete(from)
  }

  /** Checks once, when different people are merged, so that consequences of a mistake do not count again. */
  #join(before: readonly View[], added: readonly View[], where: string): void {
    if (before.length === 0) return
    const known = new Set(before.map(({ person }) => person))
    if (added.some(({ person }) => known.has(person))) return this.#tally.check('no strangers are merged', null)
    const pairs = before.flatMap((one) => added.map((other) => [one, other] as const))
    const isProved = pairs.some(([one, other]) => one.member !== null && other.member !== null)
    const isLike = pairs.some(([one, other]) => isAlike(this.#name(one), this.#name(other)))
    if (isLike && !isProved)
      return this.#tally.decide('a namesake takes over a page, without ids', 'taken for one person')
    const others = [...new Set(before.map((one) => this.#named(one)))].join(', ')
    this.#tally.check('no strangers are merged', `${where}, with ${others}`)
  }

  #checkMember({ member }: View, root: number, where: string): void {
    if (member === null) return
    const known = this.#byMember.get(member)
    const other = known !== undefined && this.#journal.root(known) !== root ? this.#journal.root(known) : null
    if (known !== undefined)
      this.#tally.check(
        'no person with a proven id is split',
        other === null ? null : `${where}, and member ${member} is entity ${other} too`,
      )
    this.#byMember.set(member, root)
  }

  /** A page must keep its person between two answers. */
  #checkPage(view: View, root: number, where: string, isShown: boolean): void {
    const last = this.#onPage.get(view.slug)
    this.#onPage.set(view.slug, { view, entity: root })
    if (!last || last.view.person !== view.person) return
    const isSame = this.#journal.root(last.entity) === root
    const isProved = last.view.member !== null && view.member !== null
    // The new name agrees if an id or another page has already shown it for this entity.
    if ((isSame && isShown) || isAlike(this.#name(last.view), this.#name(view)))
      this.#tally.check(
        'a person who keeps page and name keeps their key',
        isSame ? null : `${where}, before entity ${last.entity}`,
      )
    else if (!isProved)
      this.#tally.decide('a new last name on the same page, without ids', isSame ? 'the same key' : 'a new key')
  }

  #judgeCompany({ view, entity, absorbed }: Kept): void {
    if ('person' in view) return
    const root = this.#journal.root(entity)
    const known = this.#companies.get(root) ?? new Set()
    for (const id of absorbed) for (const company of this.#companies.get(id) ?? []) known.add(company)
    const isStranger = known.size > 0 && !known.has(view.company)
    known.add(view.company)
    this.#companies.set(root, known)
    this.#tally.check(
      'no strangers are merged',
      isStranger
        ? `${view.lens} shows company ${view.company} ${view.name}, entity ${root} of ${[...known].join()}`
        : null,
    )
  }

  /** A person's key never changes; a company's derived key becomes the platform's number once. */
  async checkKeys(): Promise<void> {
    for (const [id, { key, kind }] of await this.#journal.keys()) {
      const before = this.#keys.get(id)
      this.#keys.set(id, key)
      if (before === undefined) continue
      const mayBecomeNumber = kind === 'companies' && before.startsWith('vitae-') && /^\d+$/.test(key)
      const isKept = key === before || mayBecomeNumber
      this.#tally.check('a key does not change', isKept ? null : `${kind} ${before} is ${key}`)
    }
  }

  /** The person of an entity, if it contains only one. */
  onlyPerson(root: number): number | null {
    const people = new Set((this.#views.get(root) ?? []).map(({ person }) => person))
    return people.size === 1 ? ([...people][0] ?? null) : null
  }

  #name({ person, day }: View) {
    return nameOn(this.#people, person, day)
  }

  #named(view: View): string {
    const { first, last } = this.#name(view)
    return `${view.person} ${first.latin} ${last.latin}${view.member === null ? '' : ` (${view.member})`}`
  }
}
