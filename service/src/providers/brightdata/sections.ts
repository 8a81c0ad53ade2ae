import type { DateRange, SectionItem } from '@vitae/contract'
import {
  courseItem,
  issuedRange,
  languageItem,
  list,
  object,
  parsePartialDate,
  plainText,
  sectionItem,
  singleDate,
  text,
  withFacts,
  withoutDay,
  yearOnly,
} from '@vitae/provider'
import { period } from './experience.ts'

type Raw = Record<string, unknown>

/** The sections that Bright Data supplies; test scores are not among them. */
export function readSections(raw: Raw) {
  return {
    certifications: items(raw.certifications, (row) => ({
      url: text(row.credential_url),
      company: subtitle(row),
      description: withFacts(description(row), {
        'Credential ID': plainText(row.credential_id) ?? credentialIn(row.meta),
      }),
      date_range: issuedRange(row.meta),
    })),
    courses: items(raw.courses, (row) => courseItem(plainText(row.title), subtitle(row))),
    honors: items(raw.honors_and_awards, (row) => ({
      company: plainText(row.publication),
      date_range: honorDate(row.date),
    })),
    languages: list(raw.languages)
      .map(object)
      .map((row) => languageItem({ name: plainText(row.title), proficiency: subtitle(row) }))
      .filter(isNamed),
    organizations: items(raw.organizations, (row) => ({
      position_held: plainText(row.membership_type),
      description: withFacts(description(row), { 'Membership number': plainText(row.membership_number) }),
      date_range: period(row),
    })),
    patents: items(raw.patents, (row) => ({
      url: text(row.credential_url),
      description: withFacts(description(row), { 'Patent number': plainText(row.patents_id) }),
      date_range: singleDate(row.date_issued),
    })),
    projects: items(raw.projects, (row) => ({ date_range: period(row) })),
    publications: items(raw.publications, (row) => ({ company: subtitle(row), date_range: singleDate(row.date) })),
    volunteer_experiences: items(raw.volunteer_experience, volunteering),
  }
}

/** The items of a list that have a name or a company. */
function items(value: unknown, read: (row: Raw) => Partial<SectionItem>): SectionItem[] {
  return list(value)
    .map(object)
    .map((row) => sectionItem({ name: plainText(row.title), description: description(row), ...read(row) }))
    .filter(isNamed)
}

function isNamed(item: SectionItem): boolean {
  return item.name !== null || item.company !== null
}

/** `Issued Oct 2017Credential ID 15See credential` */
function credentialIn(meta: unknown): string | null {
  return text(/Credential ID:?\s*(.+?)(?:See credential|$)/i.exec(text(meta) ?? '')?.[1])
}

function description(row: Raw): string | null {
  return plainText(row.description_html) ?? plainText(row.description)
}

function subtitle(row: Raw): string | null {
  return plainText(row.subtitle)
}

/**
 * The page shows at most a month. Bright Data adds the first day of the month, and January if the page has only a year.
 * So neither the day nor a January is kept.
 */
function honorDate(value: unknown): DateRange | null {
  const date = withoutDay(parsePartialDate(value))
  return singleDate(date?.month === 1 ? yearOnly(date) : date)
}

function volunteering(row: Raw): Partial<SectionItem> {
  return {
    description: plainText(row.info) ?? description(row),
    company: subtitle(row),
    position_held: plainText(row.title),
    date_range: period(row),
  }
}
