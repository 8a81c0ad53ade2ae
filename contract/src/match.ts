import Type, { type Static } from 'typebox'
import { closed } from './shapes.ts'

const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))
const list = (description: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.String({ minLength: 1, maxLength: 2_000 }),
        Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 100 }),
      ],
      { description },
    ),
  )
const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

const sureness = {
  min_likelihood: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'The minimum likelihood of a match. 0.8 if left out.' }),
  ),
}

const options = {
  max_age_days: Type.Optional(Type.Number({ minimum: 0 })),
  bypass_cache: flag('Fetch now, past the store.'),
  fields: list('As at the lookup: a list, or names separated by commas.'),
  require: list('As at the lookup: a list, or paths separated by commas.'),
  ...sureness,
}

/** The signals that identify a person. */
const held = {
  email: text(254, 'An e-mail address.'),
  phone: text(40, 'A phone number with its country code.'),
  first_name: text(200, 'Together with `last_name`, in place of `name`.'),
  last_name: text(200, 'Together with `first_name`, in place of `name`.'),
  name: text(300, 'The whole name.'),
  company: text(200, 'The name of an employer.'),
  company_domain: text(253, 'The domain of an employer.'),
  company_id: text(
    2_000,
    'The id of an employer, as at the lookup of companies. It is used only if its record is stored.',
  ),
  location: text(200, 'A place, for providers that can use it.'),
}

const domain = text(2_048, 'The domain of its site, or a URL with it.')
const country = Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166-1 alpha-2.' }))

/** The body of `POST /v1/people/match`. */
export const PersonMatch = closed(
  {
    ...held,
    profile_id: text(2_000, 'As at the lookup. Everything else is then what is expected of the record.'),
    include_network_info: flag('Fill `network_info`.'),
    include_contact_info: flag('Fill `contact_info`.'),
    get_verification_details: flag('Fill `verifications`.'),
    ...options,
  },
  'What is known of a person: an e-mail address, a phone number, a profile, or a name with a company.',
)
export type PersonMatch = Static<typeof PersonMatch>

/** The body of `POST /v1/companies/match`. */
export const CompanyMatch = closed(
  {
    name: text(200, 'The name of the company.'),
    domain,
    country,
    company_id: text(2_000, 'As at the lookup. Everything else is then what is expected of the record.'),
    ...options,
  },
  'What is known of a company: its name, its domain, or its id.',
)
export type CompanyMatch = Static<typeof CompanyMatch>

/** The signals that find a record to watch; a watch by id needs none. */
export const WatchMatch = closed(
  { ...held, domain, country, ...sureness },
  'What is known of who or what shall be watched, as at the match of this kind: of a company its `name`, `domain` or `country`.',
)
export type WatchMatch = Static<typeof WatchMatch>
