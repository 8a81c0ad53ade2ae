import { type Education, type Person, emptyPerson, type DateRange, type Language } from '@vitae/contract'
import {
  canonicalPageUrl,
  countryCode,
  countryName,
  dateRange,
  educationItems,
  flatPositions,
  foldSlug,
  givenOrFullName,
  imageUrl,
  insideEnvelope,
  knownContact,
  listedOrNamedJobs,
  memberNumberOf,
  type NamedJob,
  networkInfo,
  numericIdFromUrl,
  object,
  opaqueIdFromUrl,
  parseObject,
  parsePartialDate,
  personDate,
  personIdentity,
  plainText,
  position,
  profileUrl,
  type Projection,
  type ReadPosition,
  saysEnded,
  slugFromUrl,
  text,
  textList,
  texts,
  throwIfNameless,
  unsaidUnits,
  withDerivedIds,
  withoutDay,
  yearOnly,
  companyIdOfPage,
  languageItem,
  rows,
  sectionItems,
  singleDate,
  withFacts,
} from '@vitae/provider'
import { lastUpdated } from './answer.ts'
import { sections } from './supplies.ts'

type Raw = Record<string, unknown>

function location(raw: Raw): Person['location'] {
  const country = text(raw.country_full_name) ?? countryName(raw.country)
  const name = [text(raw.city), text(raw.state), country].filter((part) => part !== null)
  return {
    name: name.join(', ') || null,
    city: text(raw.city),
    country,
    country_code: countryCode(raw.country) ?? countryCode(country),
  }
}

/** `occupation` names the current job as `title at company`. */
function readPosition(raw: Raw, occupation: string | null): ReadPosition {
  const [title, company] = [text(raw.title), text(raw.company)]
  const isNamed = occupation !== null && occupation === `${title} at ${company}`
  const page = raw.company_linkedin_profile_url
  const id = numericIdFromUrl(page)
  return {
    companyKeys: [id ?? slugFromUrl(page, ['company', 'school', 'showcase'])],
    company: {
      name: company,
      id,
      url: canonicalPageUrl(page),
      logoUrl: imageUrl(raw.logo_url),
      industry: null,
      headcount: null,
    },
    workplaceType: null,
    position: position({
      title,
      description: plainText(raw.description),
      location_name: text(raw.location),
      // The provider invents days: the first and the last of the month.
      date_range: dateRange(raw.starts_at, raw.ends_at, { coarse: withoutDay }),
    }),
    isCurrent: (isNamed && !saysEnded(raw.ends_at)) || null,
    isPrimary: isNamed || (company !== null && (occupation?.endsWith(` at ${company}`) ?? false)),
  }
}

/** A title may contain "at", so the last one separates the company. */
function currentJob(occupation: string | null): NamedJob {
  const at = [...(occupation ?? '').matchAll(/\sat(?=\s)/g)].at(-1)
  if (!occupation || !at) return { company: { name: null }, title: occupation }
  return {
    company: { name: text(occupation.slice(at.index + at[0].length)) },
    title: text(occupation.slice(0, at.index)),
  }
}

function education(raw: Raw): Partial<Education> {
  const id = numericIdFromUrl(raw.school_linkedin_profile_url)
  return {
    school_name: text(raw.school),
    school_id: id,
    school_url: canonicalPageUrl(raw.school_linkedin_profile_url),
    school_logo_url: imageUrl(raw.logo_url),
    company_id: id,
    degree: text(raw.degree_name),
    field_of_study: text(raw.field_of_study),
    grade: text(raw.grade),
    activities: plainText(raw.activities_and_societies),
    description: plainText(raw.description),
    // For schools the provider invents months too.
    date_range: dateRange(raw.starts_at, raw.ends_at, { coarse: yearOnly }),
  }
}

function contact(raw: Raw): Person['contact_info'] {
  const extra = object(raw.extra)
  const website = text(extra.website)
  return knownContact({
    email_address: texts(raw.personal_emails)[0] ?? null,
    websites: website === null ? [] : [{ url: website, type: null, label: null }],
    twitter_handles: texts([extra.twitter_profile_id]),
    phone_numbers: texts(raw.personal_numbers),
    birth_date: personDate(parsePartialDate(raw.birth_date)),
  })
}

/** Maps an Enrich Layer person to our record. */
export function projectPerson(payload: Uint8Array): Projection<Person> {
  const raw = insideEnvelope(parseObject('enrichlayer', payload))
  const given = text(raw.public_identifier)
  const opaqueId = given && opaqueIdFromUrl(profileUrl(given))
  const slug = opaqueId ? null : given && foldSlug(given)
  const page = given && profileUrl(slug ?? given)
  const name = givenOrFullName(raw.first_name, raw.last_name, raw.full_name)
  throwIfNameless('enrichlayer', name.first, name.last, given)
  const fallback = JSON.stringify(raw)
  const identity = personIdentity({ memberNumber: memberNumberOf(opaqueId), opaqueId, slug, fallback })
  const occupation = text(raw.occupation)
  const listed = flatPositions(raw.experiences, (row) => readPosition(row, occupation))
  const { experience, unsaid } = listedOrNamedJobs(listed, [currentJob(occupation)])
  const record: Person = {
    ...emptyPerson(),
    member_urn: identity.key,
    public_identifier: slug,
    first_name: name.first,
    last_name: name.last,
    headline: text(raw.headline),
    summary: plainText(raw.summary),
    industry: text(raw.industry),
    profile_photo_url: imageUrl(raw.profile_pic_url),
    background_photo_url: imageUrl(raw.background_cover_image_url),
    profile_url: page,
    websites: texts([page]),
    location: location(raw),
    network_info: networkInfo(raw.follower_count, raw.connections),
    contact_info: contact(raw),
    experience,
    education: educationItems(raw.education, education),
    skills: textList(raw.skills),
    ...readSections(raw),
  }
  return {
    record: withDerivedIds(record, identity),
    identity,
    sourceUpdatedAt: lastUpdated(raw),
    unsaid: unsaidUnits(sections, 'people', raw, unsaid),
  }
}

/** The provider invents days, so they are dropped. */
function period(raw: Raw): DateRange | null {
  return dateRange(raw.starts_at, raw.ends_at, { coarse: withoutDay })
}

function on(value: unknown): DateRange | null {
  return singleDate(withoutDay(parsePartialDate(value)))
}

function languages(raw: Raw): Language[] {
  const detailed = rows(raw.languages_and_proficiencies)
  if (detailed.length > 0) {
    return detailed.map((one) => languageItem({ name: text(one.name), proficiency: text(one.proficiency) }))
  }
  return textList(raw.languages).map((name) => languageItem({ name }))
}

/** The description plus numbers and scores that have no field of their own. */
function described(raw: Raw, facts: Record<string, unknown>): string | null {
  return withFacts(plainText(raw.description), facts)
}

/** The ten sections of a person. */
function readSections(raw: Raw) {
  return {
    certifications: sectionItems(raw.certifications, (one) => ({
      name: text(one.name),
      url: text(one.url),
      company: text(one.authority),
      description: described(one, { License: one.license_number }),
      date_range: period(one),
    })),
    courses: sectionItems(raw.accomplishment_courses, (one) => ({
      name: text(one.name),
      description: described(one, { 'Course number': one.number }),
    })),
    honors: sectionItems(raw.accomplishment_honors_awards, (one) => ({
      name: text(one.title),
      company: text(one.issuer),
      date_range: on(one.issued_on),
    })),
    languages: languages(raw),
    organizations: sectionItems(raw.accomplishment_organisations, (one) => ({
      name: text(one.org_name),
      position_held: text(one.title),
      date_range: period(one),
    })),
    patents: sectionItems(raw.accomplishment_patents, (one) => ({
      name: text(one.title),
      url: text(one.url),
      company: text(one.issuer),
      description: described(one, { Patent: one.patent_number, Application: one.application_number }),
      date_range: on(one.issued_on),
    })),
    projects: sectionItems(raw.accomplishment_projects, (one) => ({
      name: text(one.title),
      url: text(one.url),
      date_range: period(one),
    })),
    publications: sectionItems(raw.accomplishment_publications, (one) => ({
      name: text(one.name),
      url: text(one.url),
      company: text(one.publisher),
      date_range: on(one.published_on),
    })),
    test_scores: sectionItems(raw.accomplishment_test_scores, (one) => ({
      name: text(one.name),
      description: described(one, { Score: one.score }),
      date_range: on(one.date_on),
    })),
    volunteer_experiences: sectionItems(raw.volunteer_work, (one) => ({
      name: text(one.title),
      image_url: text(one.logo_url),
      company: text(one.company),
      company_id: companyIdOfPage(one.company_linkedin_profile_url),
      url: canonicalPageUrl(one.company_linkedin_profile_url),
      position_held: text(one.title),
      date_range: period(one),
    })),
  }
}
