import type { DateRange } from '@vitae/contract'
import {
  canonicalPageUrl,
  companyPageUrl,
  dateRange,
  type FlatPosition,
  foldSlug,
  imageUrl,
  list,
  listedOrNamedJobs,
  type NamedJob,
  numericIdFromUrl,
  object,
  plainText,
  position,
  slugFromUrl,
  text,
} from '@vitae/provider'

type Raw = Record<string, unknown>

/**
 * The work history. Some rows are positions and some are companies with positions; one company may appear as both. The
 * company at the top of the page is the primary one. If the page shows no list, it is the only one.
 */
export function experience(raw: Raw): ReturnType<typeof listedOrNamedJobs> {
  const primary = text(raw.current_company_company_id) ?? text(object(raw.current_company).company_id)
  return listedOrNamedJobs(
    list(raw.experience)
      .map(object)
      .flatMap((row) => {
        const inner = list(row.positions).map(object)
        return inner.length > 0 ? inner.map((one) => flatPosition(row, one, true)) : [flatPosition(row, row, false)]
      })
      .filter(({ company, position: { title } }) => company.name !== null || title !== null)
      .map((row) => ({ ...row, isPrimary: primary !== null && row.companyKey === foldSlug(primary) })),
    [currentJob(raw)],
  )
}

function currentJob(raw: Raw): NamedJob {
  const current = object(raw.current_company)
  const given = text(raw.current_company_company_id) ?? text(current.company_id)
  const { id, url } = pageOf(given, current.link)
  return {
    company: { name: plainText(current.name) ?? plainText(raw.current_company_name), id, url },
    title: plainText(current.title),
  }
}

/** A company as its row identifies it: by number, slug or page address. */
function pageOf(given: string | null, link: unknown) {
  const isNumber = given !== null && /^\d+$/.test(given)
  const slug = given === null || isNumber ? slugFromUrl(link, ['company', 'school', 'showcase']) : foldSlug(given)
  const id = isNumber ? given : numericIdFromUrl(link)
  const page = slug ?? id
  return { id, page, url: canonicalPageUrl(link) ?? (page && companyPageUrl(page)) }
}

/** On a row with positions, `title` is the company's name; otherwise it is the job. */
function flatPosition(company: Raw, job: Raw, isGrouped: boolean): FlatPosition {
  const { id, page, url } = pageOf(text(company.company_id), company.url)
  return {
    companyKey: page,
    company: {
      name: plainText(company.company) ?? (isGrouped ? plainText(company.title) : null) ?? plainText(job.subtitle),
      id,
      url,
      logoUrl: imageUrl(company.company_logo_url),
      industry: null,
      headcount: null,
    },
    workplaceType: null,
    position: position({
      title: plainText(job.title),
      // The plain-text field has lost its line breaks.
      description: plainText(job.description_html) ?? plainText(job.description),
      location_name: plainText(job.location) ?? plainText(company.location),
      date_range: period(job),
    }),
  }
}

const month = String.raw`(?:\p{L}{3,9}\.? )?\d{4}`
const span = new RegExp(`^(${month})\\s+(?:[-–—]\\s+(.+)|(${month}|Present)(?!\\p{L}).*)$`, 'isu')

/**
 * Dates have their own fields. If these are missing, they are in a line such as `Aug 2020 - Present 5 months` or `Jan
 * 2021 Dec 2022 2 years`.
 */
export function period(row: Raw): DateRange | null {
  const [, start, end, after] = span.exec(text(row.meta) ?? '') ?? span.exec(text(row.duration) ?? '') ?? []
  const given = (value: unknown) => (value === '' ? null : value)
  return dateRange(given(row.start_date) ?? start, given(row.end_date) ?? end ?? after)
}
