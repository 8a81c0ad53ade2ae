import type { DateRange, SectionItem } from '@vitae/contract'
import {
  courseItem,
  dateRange,
  languageItem,
  list,
  numericIdFromUrl,
  parsePartialDate,
  sectionItems,
  singleDate,
  text,
  texts,
} from '@vitae/provider'
import { either, inProfileOrder } from './fields.ts'

type Raw = Record<string, unknown>

/** A date from its `_year` and `_month` numbers, or else the text beside them as it stands. */
export function dateAt(raw: Raw, key: string): unknown {
  return parsePartialDate({ year: raw[`${key}_year`], month: raw[`${key}_month`] }) ?? raw[key]
}

function period(raw: Raw): DateRange | null {
  return dateRange(dateAt(raw, 'date_from'), dateAt(raw, 'date_to'))
}

/** The text of a single date may hold the day that the numbers leave out. */
function on(raw: Raw): DateRange | null {
  return singleDate(parsePartialDate(raw.date) ?? dateAt(raw, 'date'))
}

function items(value: unknown, fields: (raw: Raw) => Partial<SectionItem>): SectionItem[] {
  return sectionItems(inProfileOrder(value), fields)
}

/** The sections of a person; test scores and volunteering are not in this data set. */
export function sections(raw: Raw) {
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
