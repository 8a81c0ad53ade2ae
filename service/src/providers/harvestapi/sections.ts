import type { SectionItem } from '@vitae/contract'
import {
  canonicalPageUrl,
  companyIdOfPage,
  issuedRange,
  languageItem,
  list,
  numericIdFromUrl,
  object,
  sectionItem,
  singleDate,
  text,
} from '@vitae/provider'
import { period } from './period.ts'

type Raw = Record<string, unknown>

/** The sections that HarvestAPI supplies; organizations and test scores are not among them. */
export function readSections(raw: Raw) {
  return {
    certifications: items(raw.certifications, certification),
    courses: items(raw.courses, course),
    honors: items(raw.honorsAndAwards, honor),
    languages: list(raw.languages).map(object).map(language).filter(isNamed),
    patents: items(raw.patents, patent),
    projects: items(raw.projects, project),
    publications: items(raw.publications, publication),
    volunteer_experiences: items(raw.volunteering, volunteering),
  }
}

/** The items of a list that have a name or a company. */
function items(value: unknown, read: (row: Raw) => Partial<SectionItem>): SectionItem[] {
  return list(value)
    .map((row) => sectionItem(read(object(row))))
    .filter(isNamed)
}

function isNamed(item: SectionItem): boolean {
  return item.name !== null || item.company !== null
}

function certification(row: Raw): Partial<SectionItem> {
  return {
    name: text(row.title),
    url: text(row.link),
    company: text(row.issuedBy),
    company_id: numericIdFromUrl(row.issuedByLink),
    date_range: issuedRange(row.issuedAt),
  }
}

/** A course or an honour names its school or company after "Associated with". */
function associated(row: Raw): Partial<SectionItem> {
  const company = text(text(row.associatedWith)?.replace(/^associated with\s+/i, ''))
  return { company, company_id: numericIdFromUrl(row.associatedWithLink) }
}

function course(row: Raw): Partial<SectionItem> {
  return { name: text(row.title), ...associated(row) }
}

/**
 * The issuer gave the honour. The associated page is the issuer's only if the issuer's name contains that page's name.
 */
function honor(row: Raw): Partial<SectionItem> {
  const issuer = text(row.issuedBy)
  const { company, company_id: id = null } = associated(row)
  const isIssuer = company !== null && company !== undefined && issuer?.includes(company)
  return {
    name: text(row.title),
    description: text(row.description),
    company: issuer ?? company ?? null,
    company_id: issuer === null || isIssuer ? id : null,
    date_range: singleDate(row.issuedAt),
  }
}

function language(row: Raw) {
  return languageItem({ name: text(row.name) ?? text(row.language), proficiency: text(row.proficiency) })
}

function patent(row: Raw): Partial<SectionItem> {
  return {
    name: text(row.title),
    description: text(row.description),
    url: text(row.link),
    date_range: singleDate(row.issuedAt),
  }
}

function project(row: Raw): Partial<SectionItem> {
  return {
    name: text(row.title),
    description: text(row.description),
    url: text(row.link),
    ...associated(row),
    date_range: period(row),
  }
}

/** Publisher and date are in one text, as in `A Journal · Sep 5, 2023`. */
function publication(row: Raw): Partial<SectionItem> {
  const parts = text(row.publishedAt)?.split('·') ?? []
  return {
    name: text(row.title),
    description: text(row.description),
    url: text(row.link),
    company: parts.length > 1 ? text(parts.slice(0, -1).join('·')) : null,
    date_range: singleDate(row.publishedAt),
  }
}

function volunteering(row: Raw): Partial<SectionItem> {
  const role = text(row.role)
  return {
    name: role,
    description: text(row.description),
    company: text(row.organizationName),
    url: canonicalPageUrl(row.organizationLinkedinUrl),
    company_id: companyIdOfPage(row.organizationLinkedinUrl),
    position_held: role,
    date_range: period(row),
  }
}
