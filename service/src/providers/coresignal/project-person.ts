import { type Education, type Person, emptyPerson, type DateRange, type SectionItem } from '@vitae/contract'
import {
  canonicalPageUrl,
  cityInText,
  countryCode,
  dateRange,
  educationItems,
  flag,
  flatPositions,
  foldSlug,
  givenOrFullName,
  insideEnvelope,
  knownContact,
  latestInstant,
  networkInfo,
  numericIdFromUrl,
  parseHeadcountRange,
  parseObject,
  personIdentity,
  plainText,
  position,
  profileUrl,
  type Projection,
  type ReadPosition,
  slugFromUrl,
  text,
  texts,
  throwIfNameless,
  unsaidUnits,
  withDerivedIds,
  courseItem,
  languageItem,
  list,
  listedOrNamedJobs,
  type NamedJob,
  parsePartialDate,
  sectionItems,
  singleDate,
} from '@vitae/provider'
import { either, inProfileOrder, pictureUrl } from './fields.ts'
import { sections } from './supplies.ts'

type Raw = Record<string, unknown>

/** `company_id` is Coresignal's own: it is not in the record, and only groups positions whose company names differ. */
function readPosition(raw: Raw, primaryCompanyId: string | null): ReadPosition {
  const page = either(raw, 'company_linkedin_url', 'company_professional_network_url')
  const slug = slugFromUrl(page, ['company', 'school', 'showcase'])
  return {
    // A slug is never only digits, so ids and slugs cannot be confused.
    companyKeys: [text(raw.company_id), slug ?? canonicalPageUrl(page)],
    company: {
      name: text(raw.company_name),
      id: numericIdFromUrl(page),
      url: canonicalPageUrl(page),
      logoUrl: pictureUrl(either(raw, 'company_logo_url')),
      industry: text(raw.company_industry),
      headcount: parseHeadcountRange(raw.company_size_range),
    },
    workplaceType: null,
    position: position({
      title: text(raw.position_title),
      description: plainText(raw.description),
      location_name: text(raw.location),
      date_range: dateRange(dateAt(raw, 'date_from'), dateAt(raw, 'date_to')),
    }),
    isCurrent: flag(raw.active_experience),
    isPrimary: primaryCompanyId !== null && text(raw.company_id) === primaryCompanyId,
  }
}

/** The current job from the `active_experience_*` fields. Its company id is Coresignal's own. */
function currentJob(raw: Raw): NamedJob {
  const page = either(
    raw,
    'active_experience_company_linkedin_url',
    'active_experience_company_professional_network_url',
  )
  return {
    company: {
      name: text(raw.active_experience_company_name),
      id: numericIdFromUrl(page),
      url: canonicalPageUrl(page),
    },
    title: text(raw.active_experience_title),
  }
}

/** Splits `BS, Physics` into degree and field; a comma inside brackets does not separate them. */
function splitDegree(value: unknown): Pick<Education, 'degree' | 'field_of_study'> {
  const whole = text(value)
  const parts = whole === null ? null : /^((?:[^,()]|\([^()]*\))+),\s*(.+)$/s.exec(whole)
  return parts ? { degree: text(parts[1]), field_of_study: text(parts[2]) } : { degree: whole, field_of_study: null }
}

function education(raw: Raw): Partial<Education> {
  const id = numericIdFromUrl(raw.institution_url)
  return {
    school_name: text(raw.institution_name),
    school_id: id,
    school_url: canonicalPageUrl(raw.institution_url),
    company_id: id,
    ...splitDegree(raw.degree),
    activities: plainText(raw.activities_and_societies),
    description: plainText(raw.description),
    date_range: dateRange(dateAt(raw, 'date_from'), dateAt(raw, 'date_to')),
  }
}

function slugOf(raw: Raw): string | null {
  const fromUrl = slugFromUrl(either(raw, 'linkedin_url', 'professional_network_url'), ['in'])
  const [first] = texts(either(raw, 'linkedin_shorthand_names', 'professional_network_shorthand_names'))
  return fromUrl ?? (first === undefined ? null : foldSlug(first))
}

/** Maps a Coresignal person to our record. */
export function projectPerson(payload: Uint8Array): Projection<Person> {
  const raw = insideEnvelope(parseObject('coresignal', payload))
  const slug = slugOf(raw)
  const name = givenOrFullName(raw.first_name, raw.last_name, raw.full_name)
  const memberNumber = text(raw.public_profile_id)
  throwIfNameless('coresignal', name.first, name.last, slug, memberNumber)
  const identity = personIdentity({
    memberNumber,
    slug,
    vendor: { provider: 'coresignal', id: text(raw.id) },
    fallback: JSON.stringify(raw),
  })
  const listed = flatPositions(inProfileOrder(raw.experience), (row) =>
    readPosition(row, text(raw.active_experience_company_id)),
  )
  const { experience, unsaid } = listedOrNamedJobs(listed, [currentJob(raw)])
  const record: Person = {
    ...emptyPerson(),
    member_urn: identity.key,
    public_identifier: slug,
    first_name: name.first,
    last_name: name.last,
    headline: text(raw.headline),
    summary: plainText(raw.summary),
    profile_photo_url: pictureUrl(raw.picture_url),
    profile_url: slug && profileUrl(slug),
    websites: slug === null ? [] : [profileUrl(slug)],
    location: {
      name: text(raw.location_full),
      city: text(raw.location_city) ?? cityInText(raw.location_full),
      country: text(raw.location_country),
      country_code: countryCode(raw.location_country_iso2) ?? countryCode(raw.location_country),
    },
    network_info: networkInfo(raw.followers_count, raw.connections_count),
    contact_info: knownContact({ email_address: text(raw.primary_professional_email) }),
    experience,
    education: educationItems(inProfileOrder(raw.education), education),
    skills: texts(raw.inferred_skills),
    ...readSections(raw),
  }
  return {
    record: withDerivedIds(record, identity),
    identity,
    sourceUpdatedAt: latestInstant(raw.checked_at, raw.updated_at),
    unsaid: unsaidUnits(sections, 'people', raw, unsaid),
  }
}

/** A date from its `_year` and `_month` numbers, or else the text beside them. */
function dateAt(raw: Raw, key: string): unknown {
  return parsePartialDate({ year: raw[`${key}_year`], month: raw[`${key}_month`] }) ?? raw[key]
}

function period(raw: Raw): DateRange | null {
  return dateRange(dateAt(raw, 'date_from'), dateAt(raw, 'date_to'))
}

/** The text of a single date may include the day, which the numbers do not. */
function on(raw: Raw): DateRange | null {
  return singleDate(parsePartialDate(raw.date) ?? dateAt(raw, 'date'))
}

function items(value: unknown, fields: (raw: Raw) => Partial<SectionItem>): SectionItem[] {
  return sectionItems(inProfileOrder(value), fields)
}

/** The sections of a person; test scores and volunteering are not in this data set. */
function readSections(raw: Raw) {
  return {
    certifications: items(raw.certifications, (one) => ({
      name: text(one.title),
      url: text(one.certificate_url),
      company: text(one.issuer),
      company_id: numericIdFromUrl(one.issuer_url),
      date_range: period(one),
    })),
    courses: items(raw.courses, (one) => courseItem(text(one.title), text(one.organizer))),
    honors: items(raw.awards, (one) => ({ name: text(one.title), company: text(one.issuer), date_range: on(one) })),
    languages: inProfileOrder(raw.languages).map((one) =>
      languageItem({ name: text(one.language), proficiency: text(one.proficiency) }),
    ),
    organizations: items(raw.organizations, (one) => ({
      name: text(either(one, 'organization_name', 'organization')),
      position_held: text(one.position),
      date_range: period(one),
    })),
    patents: items(raw.patents, (one) => ({ name: text(one.title), url: text(one.patent_url), date_range: on(one) })),
    projects: items(raw.projects, (one) => ({
      name: text(either(one, 'name', 'title')),
      url: text(one.project_url),
      date_range: period(one),
    })),
    publications: items(raw.publications, (one) => ({
      name: text(one.title),
      url: text(one.publication_url),
      company: texts(list(one.publisher_names)).join(', ') || text(one.publisher_name),
      date_range: on(one),
    })),
  }
}
