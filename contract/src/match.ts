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
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'The minimum likelihood that a match must have; 0.8 if left out.',
    }),
  ),
}

const options = {
  max_age_days: Type.Optional(Type.Number({ minimum: 0 })),
  bypass_cache: flag('True: fetch from a provider even if the store has a fresh copy.'),
  fields: list('The top-level fields to return, as `fields` of the lookup: a list, or names separated by commas.'),
  require: list(
    'Dotted paths that the record must have, as `require` of the lookup: a list, or paths separated by commas.',
  ),
  ...sureness,
}

/** The signals that identify a person. */
const held = {
  email: text(254, 'An e-mail address.'),
  phone: text(40, 'A phone number with its country code.'),
  first_name: text(200, 'The first name. Send it with `last_name` instead of `name`.'),
  last_name: text(200, 'The last name. Send it with `first_name` instead of `name`.'),
  name: text(300, 'The whole name.'),
  company: text(200, 'The name of an employer.'),
  company_domain: text(253, 'The domain of an employer.'),
  company_id: text(
    2_000,
    'The id of an employer, as `company_id` of the company lookup. It is ignored unless the record of this company is stored.',
  ),
  location: text(200, 'The place where the person lives or works. Only some providers use it.'),
}

const domain = text(2_048, 'The domain of the company’s site, or a URL with this domain.')
const country = Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166-1 alpha-2.' }))

/** The body of `POST /v1/people/match`. */
export const PersonMatch = closed(
  {
    ...held,
    profile_id: text(
      2_000,
      'The identifier, as in the lookup. The record must then agree with all other members of the body.',
    ),
    include_network_info: flag('True: ask for the optional part `network_info`.'),
    include_contact_info: flag('True: ask for the optional part `contact_info`.'),
    get_verification_details: flag('True: ask for the optional part `verifications`.'),
    ...options,
  },
  'Facts that you know about a person: an e-mail address, a phone number, a profile, or a name with a company.',
)
export type PersonMatch = Static<typeof PersonMatch>

/** The body of `POST /v1/companies/match`. */
export const CompanyMatch = closed(
  {
    name: text(200, 'The name of the company.'),
    domain,
    country,
    company_id: text(
      2_000,
      'The identifier, as in the lookup. The record must then agree with all other members of the body.',
    ),
    ...options,
  },
  'Facts that you know about a company: its name, its domain, or its id.',
)
export type CompanyMatch = Static<typeof CompanyMatch>

/** The signals that find a record to watch; a watch by id needs none. */
export const WatchMatch = closed(
  { ...held, domain, country, ...sureness },
  'Facts that you know about the person or company to watch, as in the body of a match. For a company: `name`, `domain` or `country`.',
)
export type WatchMatch = Static<typeof WatchMatch>
