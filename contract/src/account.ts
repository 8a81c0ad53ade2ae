import Type, { type Static } from 'typebox'
import { dataSources } from './headers.ts'
import { kinds } from './kinds.ts'
import { personParts } from './person.ts'
import { closed, nullable, Text } from './shapes.ts'

const Credits = Type.Integer()
const Time = Type.String({ format: 'date-time' })

/** A limit on spending in a UTC day or month. */
export const SpendLimit = closed(
  {
    limit: Credits,
    spent: Type.Integer({ description: 'What was paid and is held in the running period.' }),
    remaining: Type.Integer({ minimum: 0 }),
    renews_at: Type.String({ format: 'date-time', description: 'When the next period begins, at 00:00 UTC.' }),
  },
  'A limit on spending, and what is left of it.',
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
      revoked_at: nullable(Type.String({ format: 'date-time', description: 'When a rotated key stops working.' })),
      endpoints: Type.Array(Type.Enum([...kinds])),
      parts: Type.Array(Type.Enum(partNames()), { description: 'The optional parts of a person that it may ask for.' }),
      networks: nullable(Type.Array(Type.String(), { description: 'The networks that may use the key; null = all.' })),
    }),
    credits: nullable(
      closed(
        { available: Credits, held: Credits },
        'The credits of the environment. Null for a test key: it spends none.',
      ),
    ),
    ceilings: closed(
      { daily: nullable(SpendLimit), monthly: nullable(SpendLimit) },
      'What this key, with the keys it was rotated from and to, may spend.',
    ),
    budgets: closed({ monthly: nullable(SpendLimit) }, 'What all keys of the environment may spend together.'),
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
          Type.Integer({ description: 'Null = 0 from the store, and the price of a company if a provider was asked.' }),
        ),
        parts: closed(
          { contact: Credits, network: Credits, verifications: Credits },
          'The credits that an optional part adds if it was asked for and has a value.',
        ),
        highest: closed(
          { people: Credits, companies: Credits, resolve: Credits, match: Credits },
          'The maximum cost of one call with any parameters. 0 for a test key.',
        ),
        match: nullable(Type.Integer({ description: 'Of a record found by a match.' })),
        repeat_free_days: Type.Number({ description: 'Days in which a record is paid for once; 0 = every time.' }),
      },
      'Credits per answer. Null = the price of the endpoint; if the endpoints differ, the higher price. A test key pays nothing.',
    ),
    freshness: closed({
      default_days: Type.Number(),
      cap_days: Type.Number(),
      stale_max_days: Type.Number({
        description: 'The maximum age of a stored copy that is served during an outage of the provider.',
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
      Type.Enum([...dataSources], { description: 'Where the record would come from; null = there would be none.' }),
    ),
    age_seconds: nullable(Type.Integer({ minimum: 0 })),
    price: Type.Integer({
      minimum: 0,
      description:
        'The expected charge if the call ends in 200 with this source. A part that is empty in the stored copy is not priced.',
    }),
    max_price: Type.Integer({
      minimum: 0,
      description: 'The most that the call can charge. A call that asks a provider holds this many credits meanwhile.',
    }),
    refused: nullable(Type.String({ description: 'The code with which the call would fail.' })),
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
      'How the company was found: by its own site at this host, by its own site at this domain, or by a provider.',
  }),
})
export type CompanyCandidate = Static<typeof CompanyCandidate>

/** The response of `GET /v1/companies/resolve`. */
export const CompanyMatches = closed(
  {
    domain: Type.String({ description: 'The registrable domain that was looked for.' }),
    source: Type.Enum([...dataSources]),
    candidates: Type.Array(CompanyCandidate),
  },
  'The companies that have their site at a domain, the likeliest first.',
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
