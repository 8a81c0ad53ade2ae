import type { DateRange, Language } from '@vitae/contract'
import {
  canonicalPageUrl,
  companyIdOfPage,
  dateRange,
  languageItem,
  parsePartialDate,
  plainText,
  rows,
  sectionItems,
  singleDate,
  text,
  textList,
  withFacts,
  withoutDay,
} from '@vitae/provider'

type Raw = Record<string, unknown>

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

/** The description with the numbers and scores that no other field takes. */
function described(raw: Raw, facts: Record<string, unknown>): string | null {
  return withFacts(plainText(raw.description), facts)
}

/** The ten sections of a person. */
export function sections(raw: Raw) {
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
