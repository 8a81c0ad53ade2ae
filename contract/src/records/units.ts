import type { Kind } from './kinds.ts'
import type { PersonPart } from './person.ts'

/**
 * A part of a record that always comes from a single fetch. `stated`: if the provider supplies it and leaves it empty,
 * the answer is "none". `weak`: an empty value proves nothing, as with contact details, photos, sites and counts.
 */
export interface Unit {
  /** The path of its value in the record. */
  name: string
  kind: 'stated' | 'weak'
  /** The optional part that contains it; only callers with that part see it. */
  part?: PersonPart
}

const stated = (...names: string[]): Unit[] => names.map((name) => ({ name, kind: 'stated' }))
const weak = (...names: string[]): Unit[] => names.map((name) => ({ name, kind: 'weak' }))
const contact = (...names: string[]): Unit[] =>
  names.map((name) => ({ name: `contact_info.${name}`, kind: 'weak', part: 'contact' }))

/**
 * Every unit that another version of the record may fill. Names, ids, page URLs and `is_memorialized` are excluded.
 * Stored versions refer to units by position, so add new ones at the end.
 */
export const units: Record<Kind, readonly Unit[]> = {
  people: [
    ...stated('headline', 'summary', 'industry', 'location'),
    ...weak('profile_photo_url', 'background_photo_url', 'websites'),
    ...stated('badges', 'experience', 'education', 'skills'),
    ...stated('certifications', 'courses', 'honors', 'languages', 'organizations'),
    ...stated('patents', 'projects', 'publications', 'test_scores', 'volunteer_experiences'),
    { name: 'network_info', kind: 'weak', part: 'network' },
    { name: 'verifications', kind: 'stated', part: 'verifications' },
    ...contact('email_address', 'websites', 'twitter_handles', 'phone_numbers', 'birth_date', 'address'),
  ],
  companies: [
    ...stated('tagline', 'description', 'company_type', 'locations', 'industries', 'specialities'),
    ...weak('staff_info.staff_count', 'staff_info.staff_range', 'followers_count'),
    ...stated('founded_on'),
    ...weak('company_url', 'logo_url', 'background_photo_url', 'cover_image_url'),
    ...stated('call_to_action'),
    ...weak('phone_number'),
    ...stated('auto_generated', 'claimable', 'is_paid', 'is_showcase', 'funding_data'),
    ...stated('showcase_pages', 'affiliated_companies'),
  ],
}
