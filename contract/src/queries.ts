import Type, { type Static } from 'typebox'

/** The types of query parameters. The service's parser uses the same names. */
const identifier = (description: string) => Type.String({ minLength: 1, maxLength: 300, description })
const flag = (description: string) =>
  Type.Optional(Type.Boolean({ description: `${description} \`true\`, \`false\`, \`1\` or \`0\`, in any case.` }))

const freshness = {
  max_age_days: Type.Optional(
    Type.Number({
      minimum: 0,
      description:
        'The oldest stored copy that is good enough, in days. 0 asks for a live fetch; more than the cap counts as the cap.',
    }),
  ),
  bypass_cache: flag('Fetch now, past the store and past the cache of the provider.'),
  fields: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description:
        'The top-level fields to return, separated by commas; the identity key is always returned. The price stays the same.',
    }),
  ),
  require: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description:
        'Dotted paths that the record must have, separated by commas: `headline,experience.company_id`. If a provider lacks one of them, the next provider is asked. If none has them all, the call ends in 404 `required_fields_missing` and costs nothing. A path inside an optional part needs the parameter that asks for the part.',
    }),
  ),
}

const expected = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))

/**
 * The caller's expectations. If a record clearly contradicts them, the next provider is asked; at last the call ends in
 * a free 404.
 */
const expectations = {
  'expect.company_name': expected(
    'The company that is meant; of a person an employer, present or former. A record that clearly contradicts it is no answer: 404 `identity_mismatch`, at no cost.',
  ),
  'expect.company_domain': expected('The domain of the company that is meant.'),
  'expect.country_code': Type.Optional(
    Type.String({ pattern: '^[A-Za-z]{2}$', description: 'The country that is meant, ISO 3166-1 alpha-2.' }),
  ),
}

export const ProfileQuery = Type.Object({
  profile_id: identifier(
    'A vanity slug, an opaque member id, a profile URL, or the `member_urn` or `entity_urn` of a record.',
  ),
  include_network_info: flag('Fill `network_info`.'),
  include_contact_info: flag('Fill `contact_info`.'),
  get_verification_details: flag('Fill `verifications`.'),
  'expect.last_name': expected('The last name of the person that is meant.'),
  'expect.first_name': expected('The first name of the person that is meant.'),
  ...freshness,
  ...expectations,
})

export const CompanyQuery = Type.Object({
  company_id: identifier('A slug, a company id, a company, school or showcase URL, or `urn:li:company:{id}`.'),
  ...freshness,
  ...expectations,
})

export type ProfileQuery = Static<typeof ProfileQuery>
export type CompanyQuery = Static<typeof CompanyQuery>
