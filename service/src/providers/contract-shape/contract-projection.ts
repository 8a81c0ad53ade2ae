import type { Company, Kind, Person, CompanyLocation, CompanySummary, ExperienceGroup } from '@vitae/contract'
import { opaqueIdsIn } from '../../foundation/identifier.ts'
import {
  companyIdentity,
  foldSlug,
  type Identity,
  memberNumberOf,
  parseObject,
  personIdentity,
  type Projection,
  withDerivedIds,
  canonicalPageUrl,
  companyLocations,
  countryCode,
  currencyCode,
  joinedKeys,
  regroup,
  type Sections,
  unsaidUnits,
} from '@vitae/provider'
import { compileReader, type OnUnread } from './record-reader.ts'
import { recordShapes } from './schema-shape.ts'

const readers = { people: compileReader(recordShapes.people), companies: compileReader(recordShapes.companies) }

/**
 * Maps a payload in the contract's own shape to our record, by the rules for every mapped record. Missing keys are
 * filled, unknown keys dropped, and the order is ours. A field that cannot be read is unknown and listed in `unread`.
 */
export function projectContract(provider: string, kind: Kind, payload: Uint8Array): Projection {
  const value = parseObject(provider, payload)
  const unread = new Set<string>()
  const note = (path: string) => void unread.add(path)
  if (kind === 'people') {
    const record = normalisePerson(readers.people(value, note) as Person, note)
    const identity = identifyPerson(record, payload)
    const named = withDerivedIds({ ...record, member_urn: identity.key }, identity)
    return {
      record: named,
      identity,
      sourceUpdatedAt: null,
      unsaid: unsaidIn(kind, value, unread),
      unread: [...unread],
    }
  }
  const record = normaliseCompany(readers.companies(value, note) as Company, note)
  const identity = identifyCompany(record, payload)
  const named = { ...record, company_id: identity.key }
  return { record: named, identity, sourceUpdatedAt: null, unsaid: unsaidIn(kind, value, unread), unread: [...unread] }
}

/** In our own shape each unit is one member. Null in a company means that its source does not supply the field. */
const sections: Sections = { people: ownMembers('people'), companies: ownMembers('companies') }

function ownMembers(kind: Kind): Sections[Kind] {
  return Object.fromEntries(Object.keys(recordShapes[kind].properties ?? {}).map((unit) => [unit, [unit]]))
}

function unsaidIn(kind: Kind, value: Record<string, unknown>, unread: ReadonlySet<string>): string[] {
  const isKnown = ([unit, given]: [string, unknown]) => !unread.has(unit) && (kind === 'people' || given !== null)
  return unsaidUnits(sections, kind, Object.fromEntries(Object.entries(value).filter(isKnown)))
}

/**
 * The key is taken unchanged. A derived key from a mirror stays derived, and its other names let it join the real
 * entity.
 */
function identifyPerson(record: Person, payload: Uint8Array): Identity {
  const { member_urn: urn, public_identifier: slug } = record
  const derived = urn.startsWith('urn:vitae:person:')
  const opaqueId = opaqueIdsIn(record.entity_urn ?? '')[0] ?? null
  const memberNumber =
    /^(?:urn:li:member:)?(\d+)$/.exec(urn)?.[1] ?? (derived || urn === '' ? memberNumberOf(opaqueId) : null)
  if (urn === '' || memberNumber) {
    return personIdentity({
      memberNumber,
      opaqueId,
      slug,
      fallback: memberNumber || opaqueId || slug ? null : textOf(payload),
    })
  }
  return { key: urn, derived, aliases: aliases({ urn: derived ? null : urn, opaque: opaqueId, slug }) }
}

function identifyCompany(record: Company, payload: Uint8Array): Identity {
  const { company_id: id, public_identifier: slug } = record
  if (!id || /^\d+$/.test(id)) {
    return companyIdentity({ companyNumber: id, slug, fallback: slug ? null : textOf(payload) })
  }
  const derived = id.startsWith('vitae-')
  return { key: id, derived, aliases: aliases({ urn: derived ? null : id, slug }) }
}

function aliases(named: { urn: string | null; opaque?: string | null; slug: string | null }): Identity['aliases'] {
  const values = { urn: named.urn, opaque: named.opaque ?? null, slug: named.slug && foldSlug(named.slug) }
  return Object.entries(values).flatMap(([type, value]) => (value ? [{ type, value }] : []))
}

/** People with the same name are not one person: without any id, only an identical payload is the same entity. */
function textOf(payload: Uint8Array): string {
  return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('base64')
}

/** Applies the rules for every mapped record to a person in our own shape: codes, page address, order and grouping. */
function normalisePerson(person: Person, unread: OnUnread): Person {
  const { location } = person
  const read = readerWith(unread)
  return {
    ...person,
    profile_url: read('profile_url', person.profile_url, pageUrl),
    location: { ...location, country_code: read('location.country_code', location.country_code, countryCode) },
    experience: oneGroupPerCompany(person.experience.map(withOrderedHeadcount)),
  }
}

/** Applies the same rules to a company: codes, page address, headquarters. */
function normaliseCompany(company: Company, unread: OnUnread): Company {
  const read = readerWith(unread)
  const place = (one: CompanyLocation): CompanyLocation => ({
    ...one,
    country: read('locations.country', one.country, (code) => countryCode(code)?.toLowerCase() ?? null),
  })
  const summary = (one: CompanySummary): CompanySummary => ({
    ...one,
    entity_urn: read('entity_urn', one.entity_urn, companyUrn),
  })
  const { locations, funding_data: funding, staff_info: staff } = company
  const round = funding?.last_funding_round
  const money = round?.money_raised
  const currency = money && read('funding_data.last_funding_round.money_raised.currency', money.currency, currencyCode)
  return {
    ...company,
    platform_url: read('platform_url', company.platform_url, pageUrl),
    locations: locations && placesOf(locations, place),
    staff_info: staff && { ...staff, staff_range: staff.staff_range && ordered(staff.staff_range) },
    funding_data: funding && {
      ...funding,
      last_funding_round: round
        ? { ...round, money_raised: money ? { amount: money.amount, currency: currency ?? null } : null }
        : null,
    },
    showcase_pages: company.showcase_pages?.map(summary) ?? null,
    affiliated_companies: company.affiliated_companies?.map(summary) ?? null,
  }
}

/** Reads a known value again and reports it if it becomes unreadable. */
function readerWith(unread: OnUnread) {
  return (path: string, value: string | null, read: (value: string) => string | null): string | null => {
    const known = value === null ? null : read(value)
    if (value !== null && known === null) unread(path)
    return known
  }
}

/** The canonical form of a page address: https, no trailing slash, no query. */
function pageUrl(value: string): string | null {
  const page = canonicalPageUrl(value)
  if (page) return page
  const given = /^https?:/i.test(value) ? value : `https://${value}`
  if (!URL.canParse(given)) return null
  const { host, pathname } = new URL(given)
  const path = pathname.replace(/(?<!\/)\/+$/, '')
  return path === '' ? null : `https://${host}${path}`
}

function companyUrn(value: string): string | null {
  if (/^\d+$/.test(value)) return `urn:li:company:${value}`
  return /^urn:[^:]+:company:.+$/.test(value) ? value : null
}

/** Null and an empty list stay distinct: null means "not supplied". */
function placesOf(
  { headquarter, all_locations: all }: NonNullable<Company['locations']>,
  place: (one: CompanyLocation) => CompanyLocation,
): Company['locations'] {
  const places = companyLocations(headquarter && place(headquarter), all?.map(place) ?? [])
  return places && { ...places, all_locations: all && places.all_locations }
}

function ordered({ start, end }: { start: number | null; end: number | null }) {
  return { start, end: start !== null && end !== null && end < start ? null : end }
}

function withOrderedHeadcount(group: ExperienceGroup): ExperienceGroup {
  return { ...group, company_employee_count_range: ordered(group.company_employee_count_range) }
}

/** One group per company: groups that share an id or a page belong to one company. */
function oneGroupPerCompany(groups: readonly ExperienceGroup[]): ExperienceGroup[] {
  const keys = joinedKeys(groups.map((group) => [group.company_id, canonicalPageUrl(group.company_url)]))
  return regroup(groups, (_group, index) => keys[index] ?? null)
}
