import { type Education, type Person, emptyPerson } from '@vitae/contract'
import {
  canonicalPageUrl,
  countryCode,
  countryName,
  dateRange,
  educationItems,
  flatPositions,
  foldSlug,
  givenOrFullName,
  groupPositions,
  imageUrl,
  insideEnvelope,
  knownContact,
  memberNumberOf,
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
  withDerivedIds,
  withoutDay,
  yearOnly,
} from '@vitae/provider'
import { lastUpdated } from './answer.ts'
import { sections } from './project-sections.ts'

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

/** A person of Enrich Layer as our record. */
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
    experience: groupPositions(flatPositions(raw.experiences, (row) => readPosition(row, text(raw.occupation)))),
    education: educationItems(raw.education, education),
    skills: textList(raw.skills),
    ...sections(raw),
  }
  return { record: withDerivedIds(record, identity), identity, sourceUpdatedAt: lastUpdated(raw) }
}
