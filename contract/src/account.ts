import Type, { type Static } from 'typebox'
import { dataSources } from './headers.ts'
import { kinds } from './records/kinds.ts'
import { personParts } from './records/person.ts'
import { closed, nullable, Text } from './shapes.ts'

const Credits = Type.Integer()
const Time = Type.String({ format: 'date-time' })

/** A limit on spending in a UTC day or month. */
export const SpendLimit = closed(
  {
    limit: Credits,
    spent: Type.Integer({ description: 'The credits that are spent or held in the current period.' }),
    remaining: Type.Integer({ minimum: 0 }),
    renews_at: Type.String({
      format: 'date-time',
      description: 'The time at which the next period begins, at 00:00 UTC.',
    }),
  },
  'A spending limit, and what is left of it.',
)

/** The response of `GET /v1/account`. */
export const Account = closed(
  {
    project: Type.String(),
    environment: Type.String(),
    mode: Type.Enum(['live', 'test']),
    key: closed({
      id: Type.String(),
      label: Text,
      expires_at: nullable(Time),
      revoked_at: nullable(
        Type.String({
          format: 'date-time',
          description: 'The time at which this key stops working because it was rotated; null if it was not rotated.',
        }),
      ),
      endpoints: Type.Array(Type.Enum([...kinds])),
      parts: Type.Array(Type.Enum(partNames()), {
        description: 'The optional parts of a person record that the key may ask for.',
      }),
      networks: nullable(Type.Array(Type.String(), { description: 'The networks that may use the key; null = all.' })),
    }),
    credits: nullable(
      closed(
        { available: Credits, held: Credits },
        'The available credits of the environment. Null for a test key, which spends nothing.',
      ),
    ),
    ceilings: closed(
      { daily: nullable(SpendLimit), monthly: nullable(SpendLimit) },
      'The spending limits of this key. Keys that it was rotated from or to share these limits.',
    ),
    budgets: closed({ monthly: nullable(SpendLimit) }, 'The spending limit of all keys of the environment together.'),
    prices: closed(
      {
        book: Type.Integer({
          minimum: 0,
          description: 'The version of the price book; 0 = the prices of the configuration.',
        }),
        people: Credits,
        companies: Credits,
        stale: nullable(Credits),
        thin: nullable(Credits),
        bypass: nullable(Credits),
        resolve: nullable(
          Type.Integer({
            description:
              'The price of finding a company by its domain. Null: 0 if the store answers, and the price of a company if a provider is asked.',
          }),
        ),
        parts: closed(
          { contact: Credits, network: Credits, verifications: Credits },
          'The credits that an optional part adds if the call asks for the part and the part has a value.',
        ),
        highest: closed(
          { people: Credits, companies: Credits, resolve: Credits, match: Credits },
          'The maximum cost of one call with any parameters. 0 for a test key.',
        ),
        match: nullable(Type.Integer({ description: 'The price of a record that a match finds.' })),
        repeat_free_days: Type.Number({
          description:
            'The number of days in which the environment pays for a record only once; 0 = it pays every time.',
        }),
      },
      'The credits per answer. Null means the price of the endpoint; if the endpoints have different prices, the higher one. A test key pays nothing.',
    ),
    freshness: closed({
      default_days: Type.Number(),
      cap_days: Type.Number(),
      stale_max_days: Type.Number({
        description: 'The maximum age in days of a stored copy that is served during an outage of the provider.',
      }),
    }),
    rate_limit: closed({
      limit: Type.Integer(),
      window_seconds: Type.Number(),
      remaining: Type.Integer({ minimum: 0 }),
      reset_seconds: Type.Integer(),
    }),
  },
  'What a key may do, what it may spend, and what calls cost.',
)
export type Account = Static<typeof Account>

/** The response of the two pre-flights. */
export const Preflight = closed(
  {
    source: nullable(
      Type.Enum([...dataSources], {
        description: 'Where the record would come from; null if the call would return no record.',
      }),
    ),
    age_seconds: nullable(Type.Integer({ minimum: 0 })),
    price: Type.Integer({
      minimum: 0,
      description:
        'The credits that the call is expected to charge if it returns a record from this source. A part that is empty in the stored copy is expected to stay empty and adds nothing.',
    }),
    max_price: Type.Integer({
      minimum: 0,
      description:
        'The maximum number of credits that the call can charge. While the call asks a provider, it holds this number of credits.',
    }),
    refused: nullable(
      Type.String({ description: 'The code of the failure that the call would return; null if it would succeed.' }),
    ),
    asks_provider: Type.Boolean(),
  },
  'What a lookup would do if it were made now.',
)
export type Preflight = Static<typeof Preflight>

/** A candidate company for the requested domain. */
export const CompanyCandidate = closed({
  company_id: Text,
  public_identifier: Text,
  name: Text,
  matched: Type.Enum(['host', 'domain', 'provider'], {
    description:
      'How the company was found: the company’s own site has exactly this host, the company’s own site has this domain, or a provider found it.',
  }),
})
export type CompanyCandidate = Static<typeof CompanyCandidate>

/** The response of `GET /v1/companies/resolve`. */
export const CompanyMatches = closed(
  {
    domain: Type.String({ description: 'The registrable domain that was searched.' }),
    source: Type.Enum([...dataSources]),
    candidates: Type.Array(CompanyCandidate),
  },
  'The companies that have their site at a domain, the most likely company first.',
)
export type CompanyMatches = Static<typeof CompanyMatches>

function partNames() {
  return Object.keys(personParts) as (keyof typeof personParts)[]
}

/** The domain to resolve, as any text that contains a host. */
export const ResolveQuery = Type.Object({
  domain: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'A domain, or a URL; only the host of a URL is used.',
  }),
})
