import type { Kind } from '@vitae/contract'
import { sections } from '../shared/build-record.ts'
import type { KindFile } from './schema.ts'

const ofPosition = ['title', 'description', 'location_name', 'employment_type', 'date_range']
const ofFlat = ['is_current', 'is_primary', 'key']

/** Finds the fields that a provider file can fill: those it maps, and those derived from them. */
export function suppliedPaths(kind: Kind, { identity }: KindFile, leaves: ReadonlySet<string>): Set<string> {
  const { slug, opaque, number } = identity
  const [ids, page, other] =
    kind === 'people' ? [['member_urn', 'entity_urn'], 'profile_url', opaque] : [['company_id'], 'platform_url', number]
  const own = [...ids, ...(slug ? ['public_identifier'] : []), ...(slug || other ? [page] : [])]
  return new Set([...own, ...[...leaves].flatMap((leaf) => (kind === 'people' ? ofPerson(leaf) : ofCompany(leaf)))])
}

function ofPerson(leaf: string): string[] {
  const [head = '', field = ''] = leaf.split('.')
  if (head === 'experience') return ofExperience(field)
  if (head === 'location' && field.startsWith('country')) return ['location.country', 'location.country_code']
  if (leaf === 'education.school_id' || leaf === 'education.school_url')
    return [leaf, 'education.school_id', 'education.company_id']
  return sections.includes(head) && (field === 'name' || field === 'title') ? [`${head}.name`, `${head}.title`] : [leaf]
}

function ofExperience(field: string): string[] {
  if (field === 'date_range' || field === 'is_current')
    return ['experience.date_range', 'experience.positions.date_range']
  if (ofFlat.includes(field)) return []
  if (ofPosition.includes(field)) return [`experience.positions.${field}`]
  return field === 'company_url' ? ['experience.company_url', 'experience.company_id'] : [`experience.${field}`]
}

/** The headquarters appears in `headquarter` and in `all_locations`, with its flag in both. */
function ofCompany(leaf: string): string[] {
  const [head, , field = ''] = leaf.split('.')
  if (head !== 'locations') return [leaf]
  return [field, 'is_headquarter'].flatMap((one) => [`locations.headquarter.${one}`, `locations.all_locations.${one}`])
}
