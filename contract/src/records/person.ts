import Type, { type Static } from 'typebox'
import { DateRange, PersonDate } from './dates.ts'
import { closed, Count, HeadcountRange, nullable, Text } from '../shapes.ts'

export const PersonLocation = closed({
  name: Text,
  city: Text,
  country: Text,
  country_code: nullable(Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2, upper case.' })),
})

export const CustomAction = closed({
  url: Text,
  label: Text,
  control_name: Text,
  open_externally: Type.Boolean(),
})

export const NetworkInfo = closed({
  followers_count: Count,
  connections_count: Count,
  custom_action: nullable(CustomAction),
})

export const Badges = closed({
  premium: Type.Boolean(),
  creator: Type.Boolean(),
  influencer: Type.Boolean(),
  top_voice: Type.Boolean(),
  open_to_work: Type.Boolean(),
  is_hiring: Type.Boolean(),
})

export const Verifications = closed({
  is_verified: Type.Boolean(),
  joined_date: nullable(Type.String({ description: 'The period as display text, such as a month and a year.' })),
  sections: Type.Array(closed({ title: Type.String(), items: Type.Array(Type.Unknown()) })),
})

export const ContactInfo = closed({
  email_address: Text,
  websites: Type.Array(closed({ url: Text, type: Text, label: Text })),
  twitter_handles: Type.Array(Type.String()),
  phone_numbers: Type.Array(Type.String()),
  birth_date: nullable(PersonDate),
  address: Text,
})

export const Position = closed({
  title: Text,
  description: Text,
  location_name: Text,
  employment_type: Text,
  date_range: nullable(DateRange),
})

export const ExperienceGroup = closed({
  company_name: Text,
  company_id: Text,
  company_url: Text,
  company_logo_url: Text,
  company_industry: Text,
  company_employee_count_range: HeadcountRange,
  workplace_type: nullable(
    Type.String({ description: 'The workplace type: `remote`, `hybrid` or `onsite`, if the source has it.' }),
  ),
  date_range: nullable(DateRange),
  positions: Type.Array(Position),
})

export const Education = closed({
  school_name: Text,
  school_id: Text,
  school_url: Text,
  school_logo_url: Text,
  company_id: Text,
  degree: Text,
  field_of_study: Text,
  grade: Text,
  activities: Text,
  description: Text,
  date_range: nullable(DateRange),
})

const sectionItem = {
  name: Text,
  title: Text,
  description: Text,
  url: Text,
  image_url: Text,
  company: Text,
  company_id: Text,
  position_held: Text,
  date_range: nullable(DateRange),
}
export const SectionItem = closed(sectionItem)
export const Language = closed({ ...sectionItem, proficiency: Text })

/** The person record. Every key is always present, in the contract's order. */
export const Person = closed(
  {
    member_urn: Type.String({
      minLength: 1,
      description: 'The durable key of the person: the first key that was stored for this person. It never changes.',
    }),
    entity_urn: Type.String({
      minLength: 1,
      description: 'Another URN of the person: the URN of the platform if it is known, otherwise a derived URN.',
    }),
    public_identifier: nullable(Type.String({ description: 'The vanity slug. Its owner can change it.' })),
    first_name: Text,
    last_name: Text,
    headline: Text,
    summary: Text,
    industry: Text,
    profile_photo_url: Text,
    background_photo_url: Text,
    profile_url: Text,
    websites: Type.Array(Type.String()),
    is_memorialized: Type.Boolean(),
    location: PersonLocation,
    network_info: nullable(NetworkInfo),
    badges: Badges,
    verifications: nullable(Verifications),
    contact_info: nullable(ContactInfo),
    experience: Type.Array(ExperienceGroup),
    education: Type.Array(Education),
    skills: Type.Array(Type.String()),
    certifications: Type.Array(SectionItem),
    courses: Type.Array(SectionItem),
    honors: Type.Array(SectionItem),
    languages: Type.Array(Language),
    organizations: Type.Array(SectionItem),
    patents: Type.Array(SectionItem),
    projects: Type.Array(SectionItem),
    publications: Type.Array(SectionItem),
    test_scores: Type.Array(SectionItem),
    volunteer_experiences: Type.Array(SectionItem),
  },
  'One person.',
)

export type Person = Static<typeof Person>
export type PersonLocation = Static<typeof PersonLocation>
export type NetworkInfo = Static<typeof NetworkInfo>
export type Badges = Static<typeof Badges>
export type Verifications = Static<typeof Verifications>
export type ContactInfo = Static<typeof ContactInfo>
export type Position = Static<typeof Position>
export type ExperienceGroup = Static<typeof ExperienceGroup>
export type Education = Static<typeof Education>
export type SectionItem = Static<typeof SectionItem>
export type Language = Static<typeof Language>

/** The optional parts of a person record: the name in a key's permissions, and the field that it fills. */
export const personParts = {
  network: 'network_info',
  verifications: 'verifications',
  contact: 'contact_info',
} as const
export type PersonPart = keyof typeof personParts
