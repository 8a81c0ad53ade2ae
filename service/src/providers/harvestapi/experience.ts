import type { ExperienceGroup } from '@vitae/contract'
import {
  companyPageUrl,
  type FlatPosition,
  foldSlug,
  groupPositions,
  imageUrl,
  list,
  numericIdFromUrl,
  object,
  position,
  slugFromUrl,
  text,
  workplaceType,
} from '@vitae/provider'
import { period } from './period.ts'

interface Company {
  id: string | null
  slug: string | null
}

/**
 * The flat positions of a profile, grouped; each names its company by number, by slug, or only in words. The company at
 * the top of the page is the primary one.
 */
export function experience({ experience: value, currentPosition }: Record<string, unknown>): ExperienceGroup[] {
  const primary = text(object(list(currentPosition)[0]).companyName)
  const rows = list(value)
    .map(object)
    .map((row) => ({ row, company: companyOf(row) }))
  // One row may have both number and slug of a company and another only one of them.
  const idOfSlug = new Map(rows.flatMap(({ company: { id, slug } }) => (id && slug ? [[slug, id] as const] : [])))
  return groupPositions(
    rows
      .flatMap(({ row, company: { id, slug } }) =>
        flatPosition(row, { id: id ?? (slug === null ? null : (idOfSlug.get(slug) ?? null)), slug }),
      )
      .map((one) => ({ ...one, isPrimary: primary !== null && one.company.name === primary })),
  )
}

/** A company without a page has the URL of a search for its name, which is not a company page. */
function companyOf(row: Record<string, unknown>): Company {
  const url = row.companyLinkedinUrl ?? row.companyLink
  const id = text(row.companyId)
  const slug = text(row.companyUniversalName)
  return {
    id: id !== null && /^[1-9]\d*$/.test(id) ? id : numericIdFromUrl(url),
    slug: slug === null ? slugFromUrl(url, ['company', 'school', 'showcase']) : foldSlug(slug),
  }
}

function flatPosition(row: Record<string, unknown>, { id, slug }: Company): FlatPosition[] {
  const name = text(row.companyName)
  const title = text(row.position)
  if (name === null && title === null && id === null && slug === null) return []
  const page = slug ?? id
  return [
    {
      companyKey: id ?? slug,
      company: {
        name,
        id,
        url: page && companyPageUrl(page),
        logoUrl: imageUrl(row.companyLogo),
        industry: null,
        headcount: null,
      },
      workplaceType: workplaceType(row.workplaceType),
      position: position({
        title,
        description: text(row.description),
        location_name: text(row.location),
        employment_type: text(row.employmentType),
        date_range: period(row),
      }),
    },
  ]
}
