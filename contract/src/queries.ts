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
        'The maximum age in days of a stored copy that may answer the call. 0 asks for a live fetch. Values above the configured cap count as the cap.',
    }),
  ),
  bypass_cache: flag(
    'Fetch from a provider even if the store has a fresh copy, and bypass the cache of the provider too.',
  ),
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
    'The name of the company that you mean; for a person, a current or former employer. If the record clearly contradicts it, the call ends in 404 `identity_mismatch` and costs nothing.',
  ),
  'expect.company_domain': expected(
    'The domain of the company that you mean; for a person, of a current or former employer.',
  ),
  'expect.country_code': Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{2}$',
      description: 'The country of the person or company that you mean, ISO 3166-1 alpha-2.',
    }),
  ),
}

export const ProfileQuery = Type.Object({
  profile_id: identifier(
    'A vanity slug, an opaque member id, a profile URL, or the `member_urn` or `entity_urn` of a record.',
  ),
  include_network_info: flag('Ask for the optional part `network_info`.'),
  include_contact_info: flag('Ask for the optional part `contact_info`.'),
  get_verification_details: flag('Ask for the optional part `verifications`.'),
  'expect.last_name': expected('The last name of the person that you mean.'),
  'expect.first_name': expected('The first name of the person that you mean.'),
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
