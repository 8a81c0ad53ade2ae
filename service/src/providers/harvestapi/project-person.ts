import { type Education, type Person, emptyPerson, emptyContact } from '@vitae/contract'
import {
  canonicalPageUrl,
  cityInText,
  countryCode,
  countryName,
  educationItem,
  flag,
  foldSlug,
  imageUrl,
  integer,
  isOpaqueId,
  list,
  memberNumberOf,
  numericIdFromUrl,
  object,
  opaqueIdFromUrl,
  parsePartialDate,
  parsePayload,
  personIdentity,
  profileUrl,
  type Projection,
  ProviderFault,
  slugFromUrl,
  text,
  textList,
  texts,
  withDerivedIds,
  companyPageUrl,
  type FlatPosition,
  listedOrNamedJobs,
  position,
  unsaidUnits,
  workplaceType,
} from '@vitae/provider'
import { name, unwrap } from './answer.ts'
import { period } from './period.ts'
import { readSections } from './sections.ts'
import { sections } from './supplies.ts'

type Raw = Record<string, unknown>

/** Maps a HarvestAPI profile to our person record. */
export function projectPerson(payload: Uint8Array): Projection<Person> {
  const raw = unwrap(parsePayload(name, payload))
  const id = text(raw.id)
  const opaqueId = id !== null && isOpaqueId(id) ? id : opaqueIdFromUrl(raw.linkedinUrl)
  const given = text(raw.publicIdentifier)
  const slug = given === null ? slugFromUrl(raw.linkedinUrl, ['in']) : foldSlug(given)
  const hasName = text(raw.firstName) !== null || text(raw.lastName) !== null
  const identity = personIdentity({
    memberNumber: memberNumberOf(opaqueId),
    opaqueId,
    slug,
    vendor: { provider: name, id: id === opaqueId ? null : id },
    fallback: hasName ? JSON.stringify(raw) : null,
  })
  if (!hasName && !slug && !id && !opaqueId) throw new ProviderFault('invalid', `${name} payload names nobody`)
  const page = slug ?? opaqueId
  const { experience: jobs, unsaid } = experience(raw)
  const record: Person = {
    ...emptyPerson(),
    member_urn: identity.key,
    public_identifier: slug,
    first_name: text(raw.firstName),
    last_name: text(raw.lastName),
    headline: text(raw.headline),
    summary: text(raw.about),
    profile_photo_url: imageUrl(raw.photo) ?? imageUrl(raw.profilePicture),
    background_photo_url: imageUrl(raw.coverPicture),
    profile_url: page && profileUrl(page),
    websites: page === null ? [] : [profileUrl(page)],
    location: location(object(raw.location)),
    network_info: networkInfo(raw),
    badges: badges(raw),
    verifications: verifications(raw),
    contact_info: contact(raw),
    experience: jobs,
    education: education(raw.education),
    skills: skills(raw),
    ...readSections(raw),
  }
  return {
    record: withDerivedIds(record, identity),
    identity,
    sourceUpdatedAt: null,
    unsaid: unsaidUnits(sections, 'people', raw, unsaid),
  }
}

function location(raw: Raw): Person['location'] {
  const parsed = object(raw.parsed)
  const code = countryCode(parsed.countryCode) ?? countryCode(raw.countryCode) ?? countryCode(parsed.country)
  return {
    name: text(raw.linkedinText) ?? text(parsed.text),
    city: text(parsed.city) ?? cityInText(raw.linkedinText),
    country: text(parsed.country) ?? countryName(code),
    country_code: code,
  }
}

/** If the list of skills is missing, the top skills are still in one text. */
function skills(raw: Raw): string[] {
  const listed = texts(list(raw.skills).map((skill) => text(skill) ?? object(skill).name))
  return listed.length > 0 ? listed : textList(raw.topSkills)
}

function networkInfo(raw: Raw): Person['network_info'] {
  const followers = integer(raw.followerCount)
  const connections = integer(raw.connectionsCount)
  if (followers === null && connections === null) return null
  return { followers_count: followers, connections_count: connections, custom_action: null }
}

function badges(raw: Raw): Person['badges'] {
  return {
    ...emptyPerson().badges,
    premium: flag(raw.premium) ?? false,
    influencer: flag(raw.influencer) ?? false,
    open_to_work: flag(raw.openToWork) ?? false,
    is_hiring: flag(raw.hiring) ?? false,
  }
}

/** The education of a person. The number of a school is only in the URL of its page. */
function education(value: unknown): Education[] {
  return list(value)
    .map(object)
    .flatMap((row) => {
      const url = row.schoolLinkedinUrl ?? row.link
      const id = numericIdFromUrl(url)
      const item = educationItem({
        school_name: text(row.schoolName) ?? text(row.title),
        school_id: id,
        school_url: canonicalPageUrl(url),
        company_id: id,
        degree: text(row.degree),
        field_of_study: text(row.fieldOfStudy),
        description: text(row.description),
        date_range: period(row),
      })
      return Object.values(item).some((known) => known !== null) ? [item] : []
    })
}

const monthAndYear = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const

/** HarvestAPI returns a time of joining; the contract wants month and year as on the profile page. */
function verifications(raw: Raw): Person['verifications'] {
  const verified = flag(raw.verified)
  const joined = parsePartialDate(raw.registeredAt)
  if (verified === null && joined === null) return null
  const joinedText = joined?.month
    ? new Date(Date.UTC(joined.year, joined.month - 1)).toLocaleDateString('en-US', monthAndYear)
    : joined && String(joined.year)
  return { is_verified: verified ?? false, joined_date: joinedText, sections: [] }
}

function contact(raw: Raw): Person['contact_info'] {
  const [email = null] = texts(list(raw.emails).map((one) => text(one) ?? object(one).email))
  const websites = texts(list(raw.websites).map((one) => text(one) ?? object(one).url))
  if (email === null && websites.length === 0) return null
  return {
    ...emptyContact(),
    email_address: email,
    websites: websites.map((url) => ({ url, type: null, label: null })),
  }
}

interface Company {
  id: string | null
  slug: string | null
}

/**
 * The positions of a profile, grouped by company, which is identified by number, slug or name. The company at the top
 * of the page is the primary one. If the list is empty, it is the only one.
 */
function experience({ experience: value, currentPosition }: Raw): ReturnType<typeof listedOrNamedJobs> {
  const primary = text(object(list(currentPosition)[0]).companyName)
  const rows = list(value)
    .map(object)
    .map((row) => ({ row, company: companyOf(row) }))
  // One row may have the number and the slug of a company, and another only one of them.
  const idOfSlug = new Map(rows.flatMap(({ company: { id, slug } }) => (id && slug ? [[slug, id] as const] : [])))
  return listedOrNamedJobs(
    rows
      .flatMap(({ row, company: { id, slug } }) =>
        flatPosition(row, { id: id ?? (slug === null ? null : (idOfSlug.get(slug) ?? null)), slug }),
      )
      .map((one) => ({ ...one, isPrimary: primary !== null && one.company.name === primary })),
    list(currentPosition)
      .map(object)
      .flatMap((row) => flatPosition(row, companyOf(row)))
      .map(({ company, position: { title } }) => ({ company, title })),
  )
}

/** A company without a page has the URL of a search for its name, which is not a company page. */
function companyOf(row: Record<string, unknown>): Company {
  const url = row.companyLinkedinUrl ?? row.companyLink
  const id = text(row.companyId)
  const slug = text(row.companyUniversalName)
  return {
    id: id !== null && /^[1-9]\d*$/.test(id) ? id : numericIdFromUrl(url),
    slug: slug === null ? slugFromUrl(url, ['company', 'school', 'showcase']) : foldSlug(slug),
  }
}

function flatPosition(row: Record<string, unknown>, { id, slug }: Company): FlatPosition[] {
  const name = text(row.companyName)
  const title = text(row.position)
  if (name === null && title === null && id === null && slug === null) return []
  const page = slug ?? id
  return [
    {
      companyKey: id ?? slug,
      company: {
        name,
        id,
        url: page && companyPageUrl(page),
        logoUrl: imageUrl(row.companyLogo),
        industry: null,
        headcount: null,
      },
      workplaceType: workplaceType(row.workplaceType),
      position: position({
        title,
        description: text(row.description),
        location_name: text(row.location),
        employment_type: text(row.employmentType),
        date_range: period(row),
      }),
    },
  ]
}
