import { Company, type CompanyLocation, Education, Language, Person, Position, SectionItem } from '@vitae/contract'
import { withDerivedIds } from '../mapping/company-ids.ts'
import { countryCode, countryName } from '../mapping/country.ts'
import { groupPositions } from '../mapping/experience.ts'
import { companyPageUrl, profileUrl, slugFromUrl } from '../mapping/platform-url.ts'
import { languageItem, sectionItem } from '../mapping/record-items.ts'
import type { Identity } from '../provider.ts'
import { companyLocations } from './company-locations.ts'
import { flatPositions, type ReadPosition } from './profile-items.ts'

/** Values that a mapping read, by field name of the record. */
export type Fields = Record<string, unknown>

const rows = (value: unknown) => (value ?? []) as Fields[]
const part = (value: unknown) => (value ?? {}) as Fields
const isItem = ({ name, company }: { name: unknown; company: unknown }) => name !== null || company !== null

/** The sections whose items have both `name` and `title`. */
export const sections = [
  ...['certifications', 'courses', 'honors', 'languages', 'organizations', 'patents', 'projects', 'publications'],
  ...['test_scores', 'volunteer_experiences'],
]

/** Builds a person from mapped values. The targets' converters ensure that the values have the record's types. */
export function buildPerson(read: Fields, identity: Identity, slug: string | null): Person {
  const page = slug ?? identity.aliases.find(({ type }) => type === 'opaque')?.value ?? null
  const schools = rows(read['education']).map((raw) => fillShape(Education, { ...raw, company_id: raw['school_id'] }))
  const items = sections.map((name) => {
    const item = name === 'languages' ? languageItem : sectionItem
    const shape = name === 'languages' ? Language : SectionItem
    return [
      name,
      rows(read[name])
        .map((raw) => fillShape(shape, item(raw)) as SectionItem)
        .filter(isItem),
    ] as const
  })
  const record = fillShape(Person, {
    ...read,
    member_urn: identity.key,
    public_identifier: slug,
    profile_url: page && profileUrl(page),
    location: locationOf(part(read['location'])),
    education: schools.filter(isKnown),
    experience: groupPositions(flatPositions(rows(read['experience']), positionOf)),
    ...Object.fromEntries(items),
  })
  return withDerivedIds(record as Person, identity)
}

/** Derives the country's code from its name and the other way round. */
function locationOf(read: Fields): Fields {
  const country = (read['country'] ?? null) as string | null
  const code = (read['country_code'] ?? countryCode(country)) as string | null
  const isCode = country === null || country.length <= 3
  return { ...read, country: isCode ? (countryName(code) ?? country) : country, country_code: code }
}

type Job = Partial<Record<string, string | null>>

function positionOf(raw: Fields): ReadPosition {
  const { company_name: name = null, company_id: id = null, company_url: url = null, key } = raw as Job
  const { company_logo_url: logoUrl = null, company_industry: industry = null, workplace_type = null } = raw as Job
  const { title, description, location_name, employment_type, date_range } = raw
  const { company_employee_count_range: headcount = null, is_current = null, is_primary = null } = raw
  return {
    companyKeys: [id, slugFromUrl(url, ['company', 'school', 'showcase']), key?.toLowerCase() ?? null],
    company: { name, id, url, logoUrl, industry, headcount: headcount as ReadPosition['company']['headcount'] },
    workplaceType: workplace_type,
    position: fillShape(Position, {
      ...{ title, description, location_name, employment_type, date_range },
    }) as Position,
    isCurrent: is_current as boolean | null,
    isPrimary: is_primary as boolean | null,
  }
}

/** Builds a company from mapped values. A list that the provider file does not map stays null. */
export function buildCompany(read: Fields, identity: Identity, slug: string | null): Company {
  const page = slug ?? (identity.derived ? null : identity.key)
  const { locations, industries } = read
  return fillShape(Company, {
    ...read,
    company_id: identity.key,
    public_identifier: slug,
    platform_url: page && companyPageUrl(page),
    locations: locations === undefined ? null : placesOf(part(locations)),
    industries: industries && rows(industries).filter((one) => isKnown(one['name'])),
  }) as Company
}

function placesOf({ headquarter, all_locations: all }: Fields): Company['locations'] {
  return companyLocations(placeOf(part(headquarter))[0] ?? null, rows(all).flatMap(placeOf))
}

function placeOf({ is_headquarter: isMain, ...parts }: Fields): CompanyLocation[] {
  const empty = { country: null, geographic_area: null, city: null, postal_code: null, address_line1: null }
  return isKnown(parts) ? [{ ...empty, ...parts, is_headquarter: isMain === true }] : []
}

/** The parts of a JSON schema that `fillShape` uses. */
interface Shape {
  type?: string
  anyOf?: Shape[]
  properties?: Record<string, Shape>
  items?: Shape
}

type Fill = (value: unknown) => unknown

const fills = new WeakMap<object, Fill>()
const empties: Record<string, unknown> = { boolean: false, string: '' }

/** Adds every missing key of the schema: null, false or an empty list. */
export function fillShape(schema: object, value: unknown): unknown {
  const fill = fills.get(schema) ?? compileFill(schema)
  fills.set(schema, fill)
  return fill(value)
}

/** Compiled once for each schema: to read it for each record takes a fifth of a mapping's time. */
function compileFill({ anyOf, type = '', properties, items }: Shape): Fill {
  if (anyOf) {
    const inner = anyOf.find((one) => one.type !== 'null')
    const fill = inner && compileFill(inner)
    return (value) => (value === undefined || value === null || !fill ? null : fill(value))
  }
  if (properties) {
    const members = Object.entries(properties).map(([name, inner]) => [name, compileFill(inner)] as const)
    return (value) => {
      const given = (value ?? {}) as Fields
      const filled: Fields = {}
      for (const [name, fill] of members) filled[name] = fill(given[name])
      return filled
    }
  }
  if (type !== 'array') return (value) => value ?? empties[type] ?? null
  const fillItem = items?.properties ? compileFill(items) : null
  return (value) => (fillItem && Array.isArray(value) ? value.map((item) => fillItem(item)) : (value ?? []))
}

/** Whether a value contains anything other than null. */
export function isKnown(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value !== null && value !== undefined
  return Object.values(value).some(isKnown)
}
