import { type DataSource, Company, type Kind, Person, type PersonPart, personParts } from '@vitae/contract'
import type { CompiledBook } from '../../credits/prices/compiled-book.ts'
import type { PricedBy } from '../../credits/prices/price-book.ts'
import type { RemainingCredits } from '../../credits/decision/settlement-requests.ts'
import { identifierKey, type CompanyPage, type Identifier } from '../../foundation/identifier.ts'
import type { Body, PartsAsked } from '../../records/body/record-bytes.ts'
import type { CallTrace } from './call-trace.ts'
import type { Fill } from '../../records/filling/plan-fills.ts'
import type { MatchFacts } from '@vitae/provider'
import type { FreshnessAsk } from './freshness.ts'
import type { Expected } from './expectations.ts'
import type { Lease } from '../../work/leases.ts'
import { nearestName } from '../../foundation/text/nearest-name.ts'

/** One lookup, parsed. */
export interface Lookup {
  requestId: string
  identifier: Identifier
  /** The identifier as one string for caches; computed once per question. */
  name: string
  include: PartsAsked
  /** The kind of page whose URL the caller sent for a company. Only test keys need it: a real page states its kind. */
  page?: CompanyPage
  freshness: FreshnessAsk
  /** The fields that the body contains, in the contract's order; null = all. */
  fields?: readonly string[] | null
  /** Dotted paths that the record must have, sorted alphabetically; null = none. */
  require?: readonly string[] | null
  /** The person or company that the caller means; a record that contradicts it is not an answer. */
  expect?: Expected | null
  /**
   * The question of a match. It replaces the identifier in the fingerprint, so that a retry stays a retry even if it
   * resolves to another record.
   */
  matched?: Pick<Identifier, 'type' | 'value'>
  /**
   * Of a batch row: the question that it asks. All rows with the same question share one answer and one charge under
   * one idempotency key. The expectations of each row are compared with that answer.
   */
  sharedAs?: string
  /** The caller's Idempotency-Key, unquoted; null when none was sent. */
  idempotencyKey: string | null
  /**
   * The caller's label for the purpose of the call. It is stored with the call and is not part of the idempotency
   * fingerprint.
   */
  spendTag?: string | null
  /** The price category, if it is not a plain lookup, and the price book, if it was fixed before. */
  pricedAs?: { kind?: 'resolve'; by?: PricedBy; book?: CompiledBook }
  /** Of work in the background: each step in the ledger is refused once there is a newer lease. */
  lease?: Lease
  startedAt: number
  /** The number of fetches that had ended when the call began. Later fetches of the same question are shared. */
  since?: number
  /** Whether the caller has disconnected; unset for calls that the service makes itself. */
  isGone?: (() => boolean) | undefined
  /** Of a batch row: nobody reads the record, so a stored one is recalled without its body. */
  onlyFacts?: boolean
  /** Of a batch row: resolves when it may fetch. */
  fetchTurn?: (() => Promise<void>) | undefined
  /** Set only if the cache could not answer the call; see `traceOf`. */
  trace?: CallTrace
}

const noParts: PartsAsked = { contact: false, network: false, verifications: false }
const usualFreshness: FreshnessAsk = { maxAgeDays: null, bypassCache: false, onlyStored: false, refuseStale: false }

/** The required facts of a lookup, and those that differ from the defaults. */
type NewLookup = Pick<Lookup, 'requestId' | 'startedAt' | 'identifier'> &
  Partial<Omit<Lookup, 'freshness'>> & { freshness?: Partial<FreshnessAsk> }

/** Builds a lookup. Defaults: the whole record without optional parts, with the default maximum age. */
export function newLookup({ identifier, name = identifierKey(identifier), freshness, ...asked }: NewLookup): Lookup {
  return {
    identifier,
    name,
    include: noParts,
    idempotencyKey: null,
    ...asked,
    freshness: { ...usualFreshness, ...freshness },
  }
}

/** The paid call whose answer another call repeats; the receipt of the repeat shows it too. */
export interface Replayed {
  requestId: string
  entityId: number
  versionId: number
  foldId: number | null
  fetchId: number | null
}

/** A unit of an answer that comes from another version. */
export type Filled = Pick<Fill, 'unit' | 'provider' | 'fetchedAt'>

/** A record with its provenance and its price. */
export interface LookupAnswer {
  body: Body
  source: DataSource
  fetchedAt: number
  sourceUpdatedAt: number | null
  thin: boolean
  /** The entity that was served; null for a sample. */
  entityId: number | null
  /** The version of the record that was served; null for a sample. */
  versionId: number | null
  /** The fills of the record; null if absent. */
  foldId: number | null
  /** The units of the body that come from other versions; unset if all units are its own. */
  filled?: readonly Filled[]
  /** The likelihood that the record is the one meant, if providers were asked by a match. */
  match?: MatchFacts
  /** The paid call that this one repeats. */
  replay: Replayed | null
  /** Null for test keys. */
  credits: ({ charged: number } & RemainingCredits) | null
}

/** `rule` describes the problem without the names that the caller sent, so that it may be logged. */
type Complain = (detail: string, rule?: string) => void

/** The parts of a schema that are needed to follow a path. */
interface Shape {
  anyOf?: Shape[]
  properties?: Record<string, Shape>
  items?: Shape
}

const shapes: Record<Kind, Shape> = { people: Person as Shape, companies: Company as Shape }
const fieldNames: Record<Kind, readonly string[]> = {
  people: Object.keys(Person.properties),
  companies: Object.keys(Company.properties),
}
const identityKeys: Record<Kind, string> = { people: 'member_urn', companies: 'company_id' }
const includeFlags: Record<PersonPart, string> = {
  network: 'include_network_info',
  contact: 'include_contact_info',
  verifications: 'get_verification_details',
}
const paths: Partial<Record<Kind, ReadonlySet<string>>> = {}
const namesAtMost = 100
const textAtMost = 2_000
const shownAtMost = 40
/** Finding the nearest name costs more than parsing the rest of a query. */
const complaintsAtMost = 3

/** The requested top-level fields in the contract's order, always with the identity key; null = all. */
export function parseFields(kind: Kind, text: string | undefined, complain: Complain): readonly string[] | null {
  const names = namesIn(text, complain)
  if (!names) return null
  const strange = [...names].filter((name) => !fieldNames[kind].includes(name))
  for (const name of strange.slice(0, complaintsAtMost))
    complain(unknown('field', name, fieldNames[kind]), strangeName('field'))
  return fieldNames[kind].filter((name) => names.has(name) || name === identityKeys[kind])
}

/**
 * The optional parts that the body will contain: requested parts that `fields` does not exclude. Only these are priced
 * and enter the idempotency fingerprint.
 */
export function partsLeft(include: PartsAsked, fields: readonly string[] | null): PartsAsked {
  if (!fields) return include
  const shown = new Set(fields.map((field) => field.split('.', 1)[0]))
  const isLeft = (part: PersonPart) => include[part] && shown.has(personParts[part])
  return { contact: isLeft('contact'), network: isLeft('network'), verifications: isLeft('verifications') }
}

/**
 * The dotted paths that a record must have; null = none. They are sorted, so that their order does not change the
 * request. A path inside an optional part needs the parameter and the permission for that part.
 */
export function parseRequire(
  kind: Kind,
  text: string | undefined,
  include: PartsAsked,
  complain: Complain,
): readonly string[] | null {
  const names = namesIn(text, complain)
  if (!names) return null
  const all = pathsOf(kind)
  const strange = [...names].filter((name) => !all.has(name))
  for (const name of strange.slice(0, complaintsAtMost)) complain(unknown('path', name, all), strangeName('path'))
  for (const part of Object.keys(personParts) as PersonPart[]) {
    const name = [...names].find((one) => one.split('.', 1)[0] === personParts[part])
    const needed = `needs ${includeFlags[part]}=true`
    if (kind === 'people' && name && !include[part]) complain(`${name} ${needed}`, `has a path that ${needed}`)
  }
  return [...names].toSorted()
}

function namesIn(text: string | undefined, complain: Complain): ReadonlySet<string> | null {
  if (text === undefined) return null
  const names = text.length > textAtMost ? [] : text.split(',').map((name) => name.trim())
  if (names.length === 0 || names.length > namesAtMost) complain(`must be at most ${namesAtMost} names`)
  else if (names.includes('')) complain('must be names with commas between them')
  else return new Set(names)
  return null
}

const strangeName = (what: string) => `has a ${what} that no record has`

/** Repeats the caller's text only if it looks like a field name: it could be anything, even an API key. */
function unknown(what: string, name: string, names: Iterable<string>): string {
  if (!/^[a-z][a-z0-9_.]*$/i.test(name) || name.length > shownAtMost || name.startsWith('vt_')) return strangeName(what)
  const near = nearestName(name, names)
  return `has the ${what} ${name}, which no record has${near === null ? '' : `: did you mean ${near}?`}`
}

/** Every path of a record. A list is skipped in favour of its items: `experience.positions.title`. */
function pathsOf(kind: Kind): ReadonlySet<string> {
  return (paths[kind] ??= new Set(walk(shapes[kind], '')))
}

function* walk(shape: Shape, prefix: string): Generator<string> {
  if (prefix !== '') yield prefix
  const { properties = {}, items } = shape.anyOf?.find((one) => one.properties ?? one.items) ?? shape
  for (const [name, inner] of Object.entries(properties)) yield* walk(inner, prefix === '' ? name : `${prefix}.${name}`)
  if (items) for (const inner of walk(items, prefix)) if (inner !== prefix) yield inner
}
