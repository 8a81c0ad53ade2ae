import { type Education, type Language, type Person, emptyPerson, type ContactInfo } from '@vitae/contract'
import {
  canonicalPageUrl,
  countryCode,
  countryName,
  dateRange,
  educationItems,
  flag,
  flatPositions,
  foldSlug,
  givenOrFullName,
  insideEnvelope,
  languageItem,
  latestInstant,
  listedOrNamedJobs,
  type NamedJob,
  networkInfo,
  object,
  parseHeadcountRange,
  parseObject,
  personIdentity,
  plainText,
  position,
  profileUrl,
  type Projection,
  type ReadPosition,
  rows,
  saysEnded,
  sectionItems,
  slugFromUrl,
  text,
  texts,
  throwIfNameless,
  unsaidUnits,
  withDerivedIds,
  withFacts,
  knownContact,
  parsePartialDate,
  personDate,
} from '@vitae/provider'
import { platformNumber } from './platform-number.ts'
import { sections } from './supplies.ts'

type Raw = Record<string, unknown>

function readPosition(raw: Raw): ReadPosition {
  const company = object(raw.company)
  const id = platformNumber(company.linkedin_id)
  return {
    companyKeys: [id, slugFromUrl(company.linkedin_url, ['company', 'school', 'showcase']), text(company.id)],
    company: {
      name: text(company.name),
      id,
      url: canonicalPageUrl(company.linkedin_url),
      logoUrl: null,
      industry: text(company.industry),
      headcount: parseHeadcountRange(company.size),
    },
    workplaceType: null,
    position: position({
      title: text(object(raw.title).name),
      description: plainText(raw.summary),
      location_name: texts(raw.location_names)[0] ?? null,
      date_range: dateRange(raw.start_date, raw.end_date, { lastSeen: raw.last_seen }),
    }),
    // The primary job may have ended; being primary makes it current only if it has no end.
    isCurrent: (flag(raw.is_primary) && !saysEnded(raw.end_date)) || null,
    isPrimary: flag(raw.is_primary),
  }
}

/** The current job from the `job_*` fields. */
function currentJob(raw: Raw): NamedJob {
  const company = {
    name: text(raw.job_company_name),
    id: platformNumber(raw.job_company_linkedin_id),
    url: canonicalPageUrl(raw.job_company_linkedin_url),
    industry: text(raw.job_company_industry),
    headcount: parseHeadcountRange(raw.job_company_size),
  }
  return { company, title: text(raw.job_title) }
}

function education(raw: Raw): Partial<Education> {
  const school = object(raw.school)
  const id = platformNumber(school.linkedin_id)
  return {
    school_name: text(school.name),
    school_id: id,
    school_url: canonicalPageUrl(school.linkedin_url),
    company_id: id,
    degree: texts(raw.degrees).join(', ') || null,
    field_of_study: texts(raw.majors).join(', ') || null,
    grade: text(raw.gpa),
    description: withFacts(plainText(raw.summary), { Minors: texts(raw.minors).join(', ') }),
    date_range: dateRange(raw.start_date, raw.end_date),
  }
}

function language(raw: Raw): Language {
  return languageItem({ name: text(raw.name), proficiency: text(raw.proficiency) })
}

/** Maps a People Data Labs person to our record. */
export function projectPerson(payload: Uint8Array): Projection<Person> {
  const raw = insideEnvelope(parseObject('peopledatalabs', payload))
  const given = text(raw.linkedin_username)
  const slug = given === null ? slugFromUrl(raw.linkedin_url, ['in']) : foldSlug(given)
  const name = givenOrFullName(raw.first_name, raw.last_name, raw.full_name)
  const isCompany = slugFromUrl(raw.linkedin_url, ['company', 'school', 'showcase']) !== null
  const memberNumber = isCompany ? null : platformNumber(raw.linkedin_id)
  throwIfNameless('peopledatalabs', name.first, name.last, slug, memberNumber)
  const identity = personIdentity({
    memberNumber,
    slug,
    vendor: { provider: 'peopledatalabs', id: text(raw.id) },
    fallback: JSON.stringify(raw),
  })
  const { experience, unsaid } = listedOrNamedJobs(flatPositions(raw.experience, readPosition), [currentJob(raw)])
  const record: Person = {
    ...emptyPerson(),
    member_urn: identity.key,
    public_identifier: slug,
    first_name: name.first,
    last_name: name.last,
    headline: text(raw.headline),
    summary: plainText(raw.summary),
    industry: text(raw.industry),
    profile_url: slug && profileUrl(slug),
    websites: slug === null ? [] : [profileUrl(slug)],
    location: {
      name: text(raw.location_name),
      city: text(raw.location_locality),
      country: countryName(raw.location_country) ?? text(raw.location_country),
      country_code: countryCode(raw.location_country),
    },
    network_info: networkInfo(null, raw.linkedin_connections),
    contact_info: contact(raw),
    experience,
    education: educationItems(raw.education, education),
    skills: texts(raw.skills),
    certifications: sectionItems(raw.certifications, (one) => ({
      name: text(one.name),
      company: text(one.organization),
      date_range: dateRange(one.start_date, one.end_date),
    })),
    languages: rows(raw.languages).map(language),
  }
  return {
    record: withDerivedIds(record, identity),
    identity,
    sourceUpdatedAt: latestInstant(raw.job_last_verified, raw.location_last_updated),
    unsaid: unsaidUnits(sections, 'people', raw, unsaid),
  }
}

/** Only with a street: a town alone is already in `location`. */
function address(raw: Raw): string | null {
  if (text(raw.location_street_address) === null) return null
  const street = [raw.location_street_address, raw.location_address_line_2]
  const place = [raw.location_locality, raw.location_region, raw.location_postal_code, raw.location_country]
  // A city may have the same name as its region, so duplicates stay.
  return [...street, ...place].flatMap((line) => text(line) ?? []).join(', ')
}

/** Contact details. On small plans the provider sends true and false instead of values; these count as unknown. */
function contact(raw: Raw): ContactInfo | null {
  const emails = texts([
    raw.recommended_personal_email,
    ...texts(raw.personal_emails),
    raw.work_email,
    ...rows(raw.emails).map((email) => email.address),
  ])
  return knownContact({
    email_address: emails[0] ?? null,
    twitter_handles: texts([raw.twitter_username]),
    phone_numbers: texts([raw.mobile_phone, ...texts(raw.phone_numbers), ...rows(raw.phones).map((one) => one.number)]),
    birth_date: personDate(parsePartialDate(raw.birth_date) ?? parsePartialDate(raw.birth_year)),
    address: address(raw),
  })
}
