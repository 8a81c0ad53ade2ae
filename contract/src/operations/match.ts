import { Preflight } from '../account.ts'
import { onMatch } from '../headers.ts'
import { CompanyMatch, PersonMatch } from '../match.ts'
import { recordOrFields } from '../openapi/schemas.ts'
import { exampleCompany, examplePerson } from './example-records.ts'
import { ofMatch } from './failures.ts'
import type { PublicRows } from './row.ts'

const match = {
  description:
    'The body of the answer is the record. `X-Match-Likelihood` and `X-Matched-On` say how likely the match is and why. Three failures cost nothing: 404 `no_match` if no match is likely enough, `ambiguous_match` if two are equally likely, `identity_mismatch` if the record contradicts the rest of the body. Takes `Idempotency-Key`, `X-Spend-Tag` and `Cache-Control` as a lookup does. The body has at most 4 KB.',
  spends: true,
  isPaid: true,
  bodyLimit: 4_096,
  reads: ['Idempotency-Key', 'X-Spend-Tag', 'Cache-Control'],
  says: onMatch,
} as const

const personExample = { email: 'sample-complete@example.com' }

/** Matches personal data to a record. The data is sent only in bodies, never in URLs. */
export const matchOperations = {
  matchPerson: {
    ...match,
    route: 'POST /v1/people/match',
    tag: 'People',
    summary: 'Find a person by an e-mail address, a phone number or a name',
    kind: 'people',
    body: PersonMatch,
    bodyExample: personExample,
    response: recordOrFields('Person'),
    example: examplePerson,
    failures: ['part_not_allowed', ...ofMatch],
  },
  preflightPersonMatch: {
    route: 'POST /v1/people/match/preflight',
    tag: 'People',
    summary: 'Preview what a match would do and cost',
    description: 'Takes the same body as the match. Free; no provider is asked.',
    kind: 'people',
    body: PersonMatch,
    bodyExample: personExample,
    bodyLimit: match.bodyLimit,
    response: Preflight,
    example: { source: 'live', age_seconds: 0, price: 1, max_price: 1, refused: null, asks_provider: true },
    failures: ['part_not_allowed'],
  },
  matchCompany: {
    ...match,
    route: 'POST /v1/companies/match',
    tag: 'Companies',
    summary: 'Find a company by a name or a domain',
    kind: 'companies',
    body: CompanyMatch,
    bodyExample: { domain: 'example.com' },
    response: recordOrFields('Company'),
    example: exampleCompany,
    failures: ofMatch,
  },
} as const satisfies PublicRows
