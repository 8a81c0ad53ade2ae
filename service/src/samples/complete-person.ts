import type { Badges, Education, Person, ContactInfo, NetworkInfo, Verifications } from '@vitae/contract'
import { mediaUrl, pageUrl, slugOf } from './vocabulary/addresses.ts'
import { type Career, type CareerShape, career, present } from './career.ts'
import { type Chance, chanceOf } from './vocabulary/chance.ts'
import type { PersonCore } from './person-core.ts'
import { sections } from './sections.ts'
import { companyCore, schoolNumber, fictionalPhone } from './company-core.ts'
import { type Months, yearDate } from './vocabulary/months.ts'
import type { Place } from './vocabulary/places.ts'

/** The person with every field and every optional part filled. */
export function completePerson(core: PersonCore, shape: CareerShape): Person {
  const chance = chanceOf(`person record ${core.memberUrn}`)
  const work = career(chance, core, shape)
  const home = chance.pick(core.place.cities)
  const [city, area] = home
  const profileUrl = pageUrl('in', core.slug)
  const number = core.memberUrn.replace(/\D/g, '')
  return {
    member_urn: core.memberUrn,
    entity_urn: core.entityUrn,
    public_identifier: core.slug,
    first_name: core.first.text,
    last_name: core.last.text,
    headline: headline(chance, core, work, shape.ongoing),
    summary: summary(chance, core, work),
    industry: core.trade.industry.name,
    profile_photo_url: mediaUrl('people', number, 'photo.jpg'),
    background_photo_url: mediaUrl('people', number, 'background.jpg'),
    profile_url: profileUrl,
    websites: [profileUrl],
    is_memorialized: false,
    location: {
      name: `${city}, ${area}, ${core.place.country}`,
      city,
      country: core.place.country,
      country_code: core.place.code,
    },
    network_info: networkInfo(chance, core),
    badges: badges(chance, shape.ongoing),
    verifications: verifications(chance, work),
    contact_info: contactInfo(chance, core, work, home),
    experience: work.experience,
    education: schooling(chance, core, work.began),
    skills: chance.several(core.trade.skills, chance.whole(4, 7)),
    ...sections(chance, core, work),
  }
}

function headline(chance: Chance, core: PersonCore, work: Career, ongoing: boolean): string {
  const role = ongoing ? `${work.title} at ${work.employer.name}` : `${work.title}, formerly ${work.employer.name}`
  return chance.odds(60) ? `${role} | ${chance.pick(core.place.mottos)}` : role
}

function summary(chance: Chance, core: PersonCore, work: Career): string {
  const year = Math.floor(work.began / 12)
  const [first, second] = chance.several(core.trade.work, 2)
  const [topic, other] = chance.several(core.trade.specialities, 2)
  return [
    `I have worked in ${core.trade.industry.name.toLowerCase()} since ${year}, mostly on ${topic?.toLowerCase()} and ${other?.toLowerCase()}.`,
    `${first} ${second}`,
    chance.pick(core.place.mottos),
  ].join('\n\n')
}

function badges(chance: Chance, ongoing: boolean): Badges {
  return {
    premium: chance.odds(35),
    creator: chance.odds(15),
    influencer: chance.odds(2),
    top_voice: chance.odds(4),
    open_to_work: !ongoing,
    is_hiring: ongoing && chance.odds(10),
  }
}

const activities = [
  'Chamber choir, cycling club',
  'Student newspaper',
  'Debating society, rowing',
  'Volunteer tutoring',
]

/**
 * One or two degrees that end before the first job begins, the later one first; some people study again beside their
 * job.
 */
function schooling(chance: Chance, person: PersonCore, began: Months): Education[] {
  const year = Math.floor(began / 12)
  const field = chance.pick(person.trade.studies)
  const seen = Math.floor(present / 12)
  const again = chance.odds(15) ? [study(chance, person, 'Doctor of Philosophy', field, seen - 1, null)] : []
  if (chance.odds(50)) return [...again, study(chance, person, 'Bachelor of Science', field, year - 4, year)]
  return [
    ...again,
    study(chance, person, 'Master of Science', field, year - 2, year),
    study(chance, person, 'Bachelor of Science', field, year - 6, year - 2),
  ]
}

function study(
  chance: Chance,
  person: PersonCore,
  degree: string,
  field: string,
  from: number,
  to: number | null,
): Education {
  const school = companyCore(schoolNumber(person.place, chance.whole(0, 1)))
  return {
    school_name: school.name,
    school_id: school.id,
    school_url: pageUrl('school', school.slug),
    school_logo_url: mediaUrl('companies', school.id, 'logo.png'),
    company_id: school.id,
    degree,
    field_of_study: field,
    grade: chance.pick(['With distinction', 'First class', 'Very good']),
    activities: chance.pick(activities),
    description: degree.startsWith('Bachelor')
      ? `Final project: ${person.trade.project}`
      : `Thesis: ${person.trade.publication}`,
    date_range: { start: yearDate(from), end: to === null ? null : yearDate(to) },
  }
}

const monthNames = ['January', 'March', 'April', 'June', 'August', 'September', 'October', 'December']

/** Counts and the custom button, all filled. */
function networkInfo(chance: Chance, person: PersonCore): NetworkInfo {
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

/** The verifications and the start of the account; the items are filled only in the complete sample. */
function verifications(chance: Chance, career: Career): Verifications {
  return {
    is_verified: true,
    joined_date: `${chance.pick(monthNames)} ${chance.whole(Math.max(2008, career.bornIn + 16), 2025)}`,
    sections: [
      { title: 'Identity', items: [{ title: 'Government ID' }] },
      { title: 'Workplace', items: [{ title: career.employer.name }] },
    ],
  }
}

/** All contact details, on reserved domains and in number ranges reserved for fiction. */
function contactInfo(
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
