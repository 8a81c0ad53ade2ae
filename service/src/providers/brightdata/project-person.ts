import { type Education, type Person, emptyPerson } from '@vitae/contract'
import {
  canonicalPageUrl,
  countryCode,
  countryName,
  dateRange,
  educationItem,
  flag,
  foldSlug,
  imageUrl,
  instant,
  integer,
  isCityState,
  list,
  numericIdFromUrl,
  object,
  personIdentity,
  plainText,
  profileUrl,
  type Projection,
  ProviderFault,
  slugFromUrl,
  splitName,
  text,
  unsaidUnits,
  withDerivedIds,
} from '@vitae/provider'
import { firstRecord, name } from './answer.ts'
import { experience } from './experience.ts'
import { readSections } from './sections.ts'
import { sections } from './supplies.ts'

type Raw = Record<string, unknown>

/** Maps a Bright Data profile to our person record. */
export function projectPerson(payload: Uint8Array): Projection<Person> {
  const raw = firstRecord(payload)
  const given = text(raw.linkedin_id) ?? text(raw.id)
  const slug = given === null ? slugFromUrl(raw.url ?? raw.input_url, ['in']) : foldSlug(given)
  const memberNumber = text(raw.linkedin_num_id)
  const whole = splitName(plainText(raw.name))
  const first = plainText(raw.first_name) ?? whole.first
  const last = plainText(raw.last_name) ?? whole.last
  if (!slug && !memberNumber && !first && !last) throw new ProviderFault('invalid', `${name} payload names nobody`)
  const identity = personIdentity({ memberNumber, slug, fallback: JSON.stringify(raw) })
  const page = slug === null ? null : profileUrl(slug)
  const { experience: jobs, unsaid } = experience(raw)
  const record: Person = {
    ...emptyPerson(),
    member_urn: identity.key,
    public_identifier: slug,
    first_name: first,
    last_name: last,
    headline: plainText(raw.position),
    summary: plainText(raw.about),
    profile_photo_url: flag(raw.default_avatar) ? null : imageUrl(raw.avatar),
    background_photo_url: imageUrl(raw.banner_image),
    profile_url: page,
    websites: page === null ? [] : [page],
    is_memorialized: flag(raw.memorialized_account) ?? false,
    location: location(raw),
    network_info: networkInfo(raw),
    experience: jobs,
    education: education(raw.education),
    ...readSections(raw),
  }
  return {
    record: withDerivedIds(record, identity),
    identity,
    sourceUpdatedAt: instant(raw.timestamp),
    unsaid: unsaidUnits(sections, 'people', raw, unsaid),
  }
}

/**
 * `city` is the whole location line of the profile and `location` its first part. Sometimes it is a button label
 * instead.
 */
function location(raw: Raw): Person['location'] {
  const line = placeOf(raw.city) ?? placeOf(raw.location)
  const [given = ''] = (text(raw.country_code) ?? '').split(',')
  const code = countryCode(given) ?? countryCode(line?.split(',').at(-1))
  return {
    name: line,
    city: cityOf(placeOf(raw.location) ?? line),
    country: countryName(code),
    country_code: code,
  }
}

function placeOf(value: unknown): string | null {
  const place = plainText(value)
  return place === null || /^contact info$/i.test(place) ? null : place
}

/** The first part of a line, unless it is a metropolitan area or a country. */
function cityOf(line: string | null): string | null {
  const first = text(line?.split(',')[0])
  if (first === null || /\b(area|region)$/i.test(first)) return null
  return countryCode(first) === null || isCityState(first) ? first : null
}

function networkInfo(raw: Raw): Person['network_info'] {
  const followers = integer(raw.followers)
  const connections = integer(raw.connections)
  if (followers === null && connections === null) return null
  return { followers_count: followers, connections_count: connections, custom_action: null }
}

/** The education of a person. Schools are known only by slug, so most have no id. */
function education(value: unknown): Education[] {
  return list(value)
    .map(object)
    .flatMap((row) => {
      const id = numericIdFromUrl(row.url)
      const item = educationItem({
        school_name: plainText(row.title),
        school_id: id,
        school_url: canonicalPageUrl(row.url),
        school_logo_url: imageUrl(row.institute_logo_url),
        company_id: id,
        degree: plainText(row.degree),
        field_of_study: plainText(row.field),
        ...described(plainText(row.description_html) ?? plainText(row.description)),
        date_range: dateRange(row.start_year, row.end_year),
      })
      return Object.values(item).some((known) => known !== null) ? [item] : []
    })
}

/** Grade and activities are labelled lines of the description. */
function described(whole: string | null): Pick<Education, 'grade' | 'activities' | 'description'> {
  const grade = /^grade:[ \t]*(.+)$/im
  const activities = /activities and societies:[ \t]*(.+)$/im
  return {
    grade: text(grade.exec(whole ?? '')?.[1]),
    activities: text(activities.exec(whole ?? '')?.[1]),
    description: text(whole?.replace(grade, '').replace(activities, '')),
  }
}
