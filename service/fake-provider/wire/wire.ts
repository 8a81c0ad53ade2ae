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
  /** A string is sent unchanged, anything else as JSON. */
  body: unknown
}

/** The records and behaviour of a fake provider. Tests change them while it runs. */
export interface World {
  key: string
  /**
   * By slug; null means "not found", a `ToldPerson` is converted to the provider's format. Other slugs are generated,
   * unless `generate` is off.
   */
  people: Map<string, unknown>
  companies: Map<string, unknown>
  generate: boolean
  /** The age of the provider's own copy, for providers that report it. */
  sourceAgeDays: number
  /** Bright Data: the number of polls before a snapshot is ready; 0 answers at once. */
  pollsUntilReady: number
  snapshots: Map<string, { polls: number; rows: unknown[] }>
}

/** A person with a few facts from a test; the rest of the record is generated. */
export class ToldPerson {
  readonly slug: string
  readonly facts: Partial<FictionalPerson>

  constructor(slug: string, facts: Partial<FictionalPerson>) {
    this.slug = slug
    this.facts = facts
  }
}

/** The API of one provider. */
export interface Wire {
  isAuthorized(request: FakeRequest, key: string): boolean
  /** An error in the provider's own format. */
  error(status: number): FakeReply
  answer(request: FakeRequest, world: World): FakeReply
}

/** The record of a slug: a test's record, else a generated one; null if neither exists. */
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

/** The last path segment of a page URL, `https://www.linkedin.com/in/ada/` or `linkedin.com/company/42`. */
export function slugIn(url: string | null): string | null {
  const name = /\/(?:in|company|school|showcase)\/([^/?#]+)/.exec(url ?? '')?.[1]
  return name === undefined ? null : slugOf(decodeURIComponent(name))
}

/** The slug of the fictional company with a site at a domain, `acme.example`. */
export function slugOfDomain(domain: string | null): string | null {
  return domain === null ? null : (domain.split('.')[0] ?? null)
}

/** A number means the fictional company with that number. */
export function slugOf(name: string): string {
  return /^\d+$/.test(name) ? `company-${name}` : name
}

/** Whether the key is in the header that the provider reads. */
export function hasHeader(request: FakeRequest, name: string, value: string): boolean {
  return request.headers[name] === value
}

/**
 * The slug of the fictional person that a match means: the local part of an e-mail address, the digits of a number, or
 * the name. Null if none was sent.
 */
export function slugOfMatch(query: URLSearchParams): string | null {
  const phone = query.get('phone') ?? query.get('phone_number')
  const name = query.get('name') ?? [query.get('first_name'), query.get('last_name')].filter(Boolean).join(' ')
  const given = query.get('email')?.split('@')[0] ?? (phone && `phone-${phone.replace(/\D/g, '')}`) ?? name
  return given ? given.toLowerCase().replace(/[^\p{L}\p{N}-]+/gu, '-') : null
}
