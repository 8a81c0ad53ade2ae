import type { OpenDatabase } from '../../harness/engines.ts'
import type { CompanyView, PersonView } from '../lenses/view.ts'
import type { Shown, Vendors } from '../lenses/vendors.ts'
import type { LensName } from '../lenses/lens.ts'

/** A lens answer that the service has stored. */
export interface Kept<View = PersonView | CompanyView> {
  fetchId: number
  lens: LensName
  view: View
  /** The entity it was stored for, at the time of reading. */
  entity: number
  at: number
  /** The type and value of the identifier that the lens was asked for. */
  asked: string | null
  /** Entities that were merged into it in the same save. */
  absorbed: number[]
}

/** Reads the stored answers and their entities from the store. */
export class Journal {
  readonly #database: OpenDatabase
  readonly #vendors: Vendors
  readonly kept: Kept[] = []
  readonly #into = new Map<number, number>()
  #after = 0

  constructor(database: OpenDatabase, vendors: Vendors) {
    this.#database = database
    this.#vendors = vendors
  }

  /** The entity that this one was merged into, or itself. */
  root(entity: number): number {
    const into = this.#into.get(entity)
    return into === undefined ? entity : this.root(into)
  }

  /** The answers stored since the last reading, in order. */
  async read(): Promise<Kept[]> {
    const { db } = this.#database
    const merged = await db.selectFrom('merged_entities').select(['id', 'into_id', 'at']).execute()
    const fresh = merged.filter(({ id }) => !this.#into.has(id))
    for (const { id, into_id: into } of fresh) this.#into.set(id, into)
    const rows = await db
      .selectFrom('fetches')
      .select(['id', 'entity_id', 'payload_hash', 'at', 'identifier'])
      .where('id', '>', this.#after)
      .where('outcome', '=', 'found')
      .orderBy('id')
      .execute()
    const read = rows.flatMap((row): Kept[] => {
      const shown: Shown | undefined = this.#vendors.shown.get(row.payload_hash ?? '')
      if (!shown || row.entity_id === null) return []
      const absorbed = fresh.filter(({ into_id: into, at }) => into === row.entity_id && at === row.at)
      const { id: fetchId, entity_id: entity, at, identifier: asked } = row
      return [{ ...shown, fetchId, entity, at, asked, absorbed: absorbed.map(({ id }) => id) }]
    })
    this.#after = rows.at(-1)?.id ?? this.#after
    this.kept.push(...read)
    return read
  }

  /** Whether a company's record was stored. */
  hasCompany(company: number): boolean {
    return this.kept.some(({ view }) => 'company' in view && view.company === company)
  }

  async fetchOfVersion(version: number): Promise<number | null> {
    const row = await this.#database.db
      .selectFrom('versions')
      .select('fetch_id')
      .where('id', '=', version)
      .executeTakeFirst()
    return row?.fetch_id ?? null
  }

  /** The current keys of entities. */
  async keys(): Promise<Map<number, { key: string; kind: string }>> {
    const rows = await this.#database.db.selectFrom('entities').select(['id', 'key', 'kind']).execute()
    return new Map(rows.map(({ id, key, kind }) => [id, { key, kind }]))
  }

  /** The entities of the paid watches, by their identifiers. */
  async watched(): Promise<Map<string, number>> {
    const rows = await this.#database.db.selectFrom('watches').select(['value', 'entity_id']).execute()
    return new Map(rows.flatMap(({ value, entity_id: id }) => (id === null ? [] : [[value, id] as const])))
  }
}

export function isPerson(kept: Kept): kept is Kept<PersonView> {
  return 'person' in kept.view
}
