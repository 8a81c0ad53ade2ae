import type { ContactInfo, NetworkInfo, Verifications } from '@vitae/contract'
import { slugOf } from './vocabulary/addresses.ts'
import type { Career } from './career.ts'
import type { Chance } from './vocabulary/chance.ts'
import { fictionalPhone } from './company-places.ts'
import type { PersonCore } from './person-core.ts'
import type { Place } from './vocabulary/places.ts'

const monthNames = ['January', 'March', 'April', 'June', 'August', 'September', 'October', 'December']

/** Counts and the custom button, all filled. */
export function networkInfo(chance: Chance, person: PersonCore): NetworkInfo {
  const connections = chance.whole(35, 5000)
  return {
    followers_count: connections + chance.whole(0, 4000),
    connections_count: connections,
    custom_action: {
      url: `https://${siteOf(person)}`,
      label: 'Visit my website',
      control_name: 'website_custom_action',
      open_externally: true,
    },
  }
}

/** What was confirmed, and when the account began; the items are filled only in the complete sample. */
export function verifications(chance: Chance, career: Career): Verifications {
  return {
    is_verified: true,
    joined_date: `${chance.pick(monthNames)} ${chance.whole(Math.max(2008, career.bornIn + 16), 2025)}`,
    sections: [
      { title: 'Identity', items: [{ title: 'Government ID' }] },
      { title: 'Workplace', items: [{ title: career.employer.name }] },
    ],
  }
}

/** Every way to reach the person, on reserved domains and in ranges of numbers kept for fiction. */
export function contactInfo(
  chance: Chance,
  person: PersonCore,
  career: Career,
  [city, , postalCode]: Place['cities'][number],
): ContactInfo {
  const [year, month, day] = [career.bornIn, chance.whole(1, 12), chance.whole(1, 28)]
  const iso = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  return {
    email_address: `${slugOf(person.first.latin, person.last.latin)}@example.com`,
    websites: [
      { url: `https://${siteOf(person)}`, type: 'PORTFOLIO', label: 'Portfolio' },
      { url: `www.${siteOf(person)}/work`, type: 'COMPANY', label: 'Company' },
    ],
    twitter_handles: [`${slugOf(person.first.latin)}_example`],
    phone_numbers: [fictionalPhone(chance, person.place.code)],
    birth_date: { year, month, day, iso },
    address: `${chance.pick(person.place.streets)}, ${postalCode} ${city}, ${person.place.country}`,
  }
}

function siteOf(person: PersonCore): string {
  return `${slugOf(person.first.latin, person.last.latin)}.example`
}
