import type { FictionalPerson } from '../fiction.ts'

export interface FakeRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: Record<string, string | string[] | undefined>
  body: string
}

export interface FakeReply {
  status: number
  headers?: Record<string, string>
  /** Text goes out as it is, anything else as JSON. */
  body: unknown
}

/** What a fake provider knows and how it behaves; tests change it while it runs. */
export interface World {
  key: string
  /** By slug; null is "not found", a `ToldPerson` takes the form of the wire. A slug that is not here is made up, unless `generate` is off. */
  people: Map<string, unknown>
  companies: Map<string, unknown>
  generate: boolean
  /** How old the provider's own copy is, where it says so. */
  sourceAgeDays: number
  /** Bright Data: how often a snapshot is asked for before it is ready; 0 answers at once. */
  pollsUntilReady: number
  snapshots: Map<string, { polls: number; rows: unknown[] }>
}

/** Someone of whom a test says a few facts; the rest of the record is invented. */
export class ToldPerson {
  readonly slug: string
  readonly facts: Partial<FictionalPerson>

  constructor(slug: string, facts: Partial<FictionalPerson>) {
    this.slug = slug
    this.facts = facts
  }
}

/** How one provider speaks. */
export interface Wire {
  isAuthorized(request: FakeRequest, key: string): boolean
  /** An error in the provider's own form. */
  error(status: number): FakeReply
  answer(request: FakeRequest, world: World): FakeReply
}

/** What there is for a slug: what a test put there, else an invention; null when nobody is there. */
export function recordFor(
  world: World,
  kind: 'people' | 'companies',
  slug: string | null,
  invent: (slug: string, told?: Partial<FictionalPerson>) => unknown,
): unknown {
  if (slug === null) return null
  const known = world[kind]
  const told = known.get(slug)
  if (told instanceof ToldPerson) return invent(told.slug, told.facts)
  if (known.has(slug)) return told ?? null
  return world.generate && !slug.startsWith('missing-') ? invent(slug) : null
}

/** The last name in a page's address, `https://www.linkedin.com/in/ada/` or `linkedin.com/company/42`. */
export function slugIn(url: string | null): string | null {
  const name = /\/(?:in|company|school|showcase)\/([^/?#]+)/.exec(url ?? '')?.[1]
  return name === undefined ? null : slugOf(decodeURIComponent(name))
}

/** The slug of the invented company that has its site at a domain, `acme.example`. */
export function slugOfDomain(domain: string | null): string | null {
  return domain === null ? null : (domain.split('.')[0] ?? null)
}

/** Numbers name the invented company that has that number. */
export function slugOf(name: string): string {
  return /^\d+$/.test(name) ? `company-${name}` : name
}

/** Says whether the key stands in the header that the provider reads. */
export function hasHeader(request: FakeRequest, name: string, value: string): boolean {
  return request.headers[name] === value
}

/**
 * The slug of the invented person that a match means: the first part of an e-mail address, the digits of a number, or the
 * name. Null where nothing of it was sent.
 */
export function slugOfMatch(query: URLSearchParams): string | null {
  const phone = query.get('phone') ?? query.get('phone_number')
  const name = query.get('name') ?? [query.get('first_name'), query.get('last_name')].filter(Boolean).join(' ')
  const given = query.get('email')?.split('@')[0] ?? (phone && `phone-${phone.replace(/\D/g, '')}`) ?? name
  return given ? given.toLowerCase().replace(/[^\p{L}\p{N}-]+/gu, '-') : null
}
