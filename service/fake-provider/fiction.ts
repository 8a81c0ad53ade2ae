import { diceFor, hashOf } from './random.ts'

export interface FictionalMonth {
  year: number
  month: number
}

export interface FictionalCompany {
  slug: string
  number: number
  name: string
  tagline: string
  description: string
  typeCode: string
  typeName: string
  industry: string
  specialities: string[]
  staffCount: number
  staffRange: [number, number | null]
  followers: number
  foundedYear: number
  website: string
  place: FictionalPlace
  street: string
  postalCode: string
  funding: { rounds: number; type: string; amount: number; date: string; investor: string }
}

export interface FictionalPlace {
  city: string
  region: string
  country: string
  countryCode: string
}

export interface FictionalJob {
  company: FictionalCompany
  title: string
  start: FictionalMonth
  end: FictionalMonth | null
}

export interface FictionalPerson {
  slug: string
  memberNumber: number
  opaqueId: string
  firstName: string
  lastName: string
  headline: string
  summary: string
  industry: string
  place: FictionalPlace
  followers: number
  connections: number
  email: string
  phones: string[]
  birthDate: string
  /** Newest first; the first two are a promotion inside one company. */
  jobs: FictionalJob[]
  school: { name: string; slug: string; number: number; degree: string; field: string; from: number; to: number }
  skills: string[]
  languages: { name: string; proficiency: string; level: number }[]
  certificate: { name: string; issuer: string; url: string; issued: FictionalMonth }
}

const firstNames = [
  'Ottoline',
  'Bastian',
  'Calla',
  'Dorian',
  'Elowen',
  'Fenwick',
  'Isolde',
  'Leopold',
  'Marisol',
  'Thaddeus',
]
const lastNames = [
  'Ashgrove',
  'Brightwater',
  'Copperfield',
  'Dunmarrow',
  'Fairweather',
  'Larkspur',
  'Merriweather',
  'Thistlewood',
]
const titles = ['Cartographer', 'Lighthouse Engineer', 'Clockmaker', 'Archivist', 'Navigator', 'Glass Chemist']
const industries = ['Instrument Making', 'Maritime Services', 'Publishing', 'Textile Research', 'Weather Forecasting']
const employers = [
  'quillworks',
  'tidewater-instruments',
  'amberline',
  'the-paper-observatory',
  'kestrel-and-co',
  'nocturne-optics',
]
const skills = ['Map reading', 'Brass turning', 'Tide tables', 'Bookbinding', 'Signal lamps', 'Barometry']
const places: readonly FictionalPlace[] = [
  { city: 'Porto', region: 'Porto', country: 'Portugal', countryCode: 'PT' },
  { city: 'Utrecht', region: 'Utrecht', country: 'Netherlands', countryCode: 'NL' },
  { city: 'Halifax', region: 'Nova Scotia', country: 'Canada', countryCode: 'CA' },
  { city: 'Bergen', region: 'Vestland', country: 'Norway', countryCode: 'NO' },
  { city: 'Portland', region: 'Oregon', country: 'United States', countryCode: 'US' },
]
const ranges: readonly [number, number | null][] = [
  [2, 10],
  [51, 200],
  [201, 500],
  [1001, 5000],
  [10_001, null],
]

function titled(slug: string): string {
  return slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}

/** The platform's number of a fictional company; `company-123` has the number 123, so numbers can be resolved. */
export function companyNumber(slug: string): number {
  const given = /^company-(\d+)$/.exec(slug)
  return given ? Number(given[1]) : 1_000_000 + (hashOf(slug) % 90_000_000)
}

/** The fictional company of a slug, always the same one. */
export function fictionalCompany(slug: string): FictionalCompany {
  const dice = diceFor(`company/${slug}`)
  const name = titled(slug)
  const range = dice.pick(ranges)
  const industry = dice.pick(industries)
  const isPublic = dice.between(0, 1) === 1
  return {
    slug,
    number: companyNumber(slug),
    name,
    tagline: `${industry}, done with care`,
    description: `${name} is an invented company in ${industry.toLowerCase()}.\n\nIt exists only in tests.`,
    typeCode: isPublic ? 'PUBLIC_COMPANY' : 'PRIVATELY_HELD',
    typeName: isPublic ? 'Public Company' : 'Privately Held',
    industry,
    specialities: [dice.pick(skills), 'Fiction'],
    staffCount: dice.between(range[0], range[1] ?? 40_000),
    staffRange: range,
    followers: dice.between(10, 900_000),
    foundedYear: dice.between(1850, 2020),
    website: `https://${slug}.example`,
    place: dice.pick(places),
    street: `${dice.between(1, 99)} Harbour Street`,
    postalCode: String(dice.between(10_000, 99_999)),
    funding: {
      rounds: dice.between(1, 7),
      type: dice.pick(['Seed', 'Series A', 'Series B']),
      amount: dice.between(1, 9000) * 1_000_000,
      date: `${dice.between(2015, 2024)}-0${dice.between(1, 9)}-1${dice.between(0, 9)}`,
      investor: 'Lanternlight Ventures',
    },
  }
}

/** The few companies at which everybody works; made once, because people are made by the thousand. */
const companies = employers.map(fictionalCompany)

function fictionalJobs(slug: string): FictionalJob[] {
  const dice = diceFor(`jobs/${slug}`)
  const first = dice.between(0, companies.length - 1)
  const now = companies[first] as FictionalCompany
  const before = companies[(first + 1) % companies.length] as FictionalCompany
  const title = dice.pick(titles)
  const changed = { year: dice.between(2019, 2022), month: dice.between(1, 12) }
  const joined = { year: changed.year - 2, month: dice.between(1, 12) }
  const began = { year: joined.year - 4, month: dice.between(1, 12) }
  return [
    { company: now, title: `Senior ${title}`, start: changed, end: null },
    { company: now, title, start: joined, end: changed },
    { company: before, title: `Junior ${title}`, start: began, end: joined },
  ]
}

/** The fictional person of a slug (or of any other identifier), always the same one but for what is told. */
export function fictionalPerson(identifier: string, told: Partial<FictionalPerson> = {}): FictionalPerson {
  const slug = identifier.startsWith('ACoA') ? `person-${hashOf(identifier).toString(36)}` : identifier
  const dice = diceFor(`person/${slug}`)
  const jobs = fictionalJobs(slug)
  const firstName = dice.pick(firstNames)
  const lastName = dice.pick(lastNames)
  const from = dice.between(2003, 2010)
  const current = jobs[0] as FictionalJob
  return {
    slug,
    memberNumber: 1_000_000 + (hashOf(slug) % 900_000_000),
    opaqueId: `ACoAA${hashOf(`opaque/${slug}`).toString(36).toUpperCase()}fiction`,
    firstName,
    lastName,
    headline: `${current.title} at ${current.company.name}`,
    summary: `${firstName} is invented.\nAny likeness is chance.`,
    industry: current.company.industry,
    place: dice.pick(places),
    followers: dice.between(3, 90_000),
    connections: dice.between(3, 500),
    email: `${slug.replace(/[^a-z0-9.-]/g, '') || 'someone'}@people.example`,
    phones: [],
    birthDate: `${dice.between(1950, 1999)}-0${dice.between(1, 9)}-1${dice.between(0, 9)}`,
    jobs,
    school: {
      name: 'Lantern Bay University',
      slug: 'university-of-lantern-bay',
      number: companyNumber('university-of-lantern-bay'),
      degree: 'Bachelor of Science',
      field: dice.pick(industries),
      from,
      to: from + 4,
    },
    skills: [...new Set([dice.pick(skills), dice.pick(skills), dice.pick(skills)])],
    languages: [
      { name: 'English', proficiency: 'Native or bilingual proficiency', level: 5 },
      { name: 'Portuguese', proficiency: 'Limited working proficiency', level: 2 },
    ],
    certificate: {
      name: 'Certified Lamplighter',
      issuer: 'Guild of Lamps',
      url: 'https://guild.example/certificates/1',
      issued: { year: dice.between(2012, 2020), month: dice.between(1, 12) },
    },
    ...told,
  }
}
