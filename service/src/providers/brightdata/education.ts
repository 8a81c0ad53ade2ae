import type { Education } from '@vitae/contract'
import { educationItem } from '../mapping/record-items.ts'
import { dateRange } from '../mapping/partial-date.ts'
import { canonicalPageUrl, numericIdFromUrl, imageUrl } from '../mapping/platform-url.ts'
import { list, object, plainText, text } from '../mapping/text.ts'

/** Where someone studied. Schools are known by slug alone, so most have no id. */
export function education(value: unknown): Education[] {
  return list(value)
    .map(object)
    .flatMap((row) => {
      const id = numericIdFromUrl(row.url)
      const item = educationItem({
        school_name: plainText(row.title),
        school_id: id,
        school_url: canonicalPageUrl(row.url),
        school_logo_url: imageUrl(row.institute_logo_url),
        company_id: id,
        degree: plainText(row.degree),
        field_of_study: plainText(row.field),
        ...described(plainText(row.description_html) ?? plainText(row.description)),
        date_range: dateRange(row.start_year, row.end_year),
      })
      return Object.values(item).some((known) => known !== null) ? [item] : []
    })
}

/** Grade and activities are labelled lines of the description. */
function described(whole: string | null): Pick<Education, 'grade' | 'activities' | 'description'> {
  const grade = /^grade:[ \t]*(.+)$/im
  const activities = /activities and societies:[ \t]*(.+)$/im
  return {
    grade: text(grade.exec(whole ?? '')?.[1]),
    activities: text(activities.exec(whole ?? '')?.[1]),
    description: text(whole?.replace(grade, '').replace(activities, '')),
  }
}
