import type { Education } from '@vitae/contract'
import { educationItem } from '../mapping/empty-records.ts'
import { canonicalPageUrl, numericIdFromUrl } from '../mapping/platform-url.ts'
import { list, object, text } from '../mapping/text.ts'
import { period } from './period.ts'

/** Where someone studied. The number of a school is only in the URL of its page. */
export function education(value: unknown): Education[] {
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
