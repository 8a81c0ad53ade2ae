import type { TObject } from 'typebox'
import { Preflight } from './account.ts'
import { CompanyMatch, PersonMatch } from './match.ts'
import { callerOperation } from './openapi-callers.ts'
import type { CallerOperationId } from './openapi-failure-table.ts'
import { exampleCompany, examplePerson } from './openapi-examples.ts'
import { onMatch } from './openapi-headers.ts'
import { recordOrFields, type Json } from './openapi-schemas.ts'

const description =
  'The body of the answer is the record, unchanged; `X-Match-Likelihood` and `X-Matched-On` say how sure it is. 404 `no_match`, `ambiguous_match` or `identity_mismatch`, at no cost, where nobody is sure enough, two are as sure, or the record contradicts the rest of what was sent. Takes `Idempotency-Key`, `X-Spend-Tag` and `Cache-Control` as a lookup does. 4 KB at most.'

interface Match {
  operationId: CallerOperationId
  tag: string
  summary: string
  body: TObject
  bodyExample: unknown
}

const match = (operation: Match, record: 'Person' | 'Company', example: unknown) => {
  const { body, ...rest } = operation
  const answer = { 'application/json': recordOrFields(record) }
  return callerOperation({
    ...rest,
    description,
    reads: ['IdempotencyKey', 'SpendTag', 'CacheControl'],
    says: [...onMatch],
    body: { 'application/json': body },
    answer,
    example,
  })
}

const personExample = { email: 'sample-complete@example.com' }

/** From what people hold to the record. */
export function matchPaths(): Json {
  const person = { tag: 'People', body: PersonMatch, bodyExample: personExample }
  const company = { tag: 'Companies', body: CompanyMatch, bodyExample: { domain: 'example.com' } }
  return {
    '/v1/people/match': {
      post: match(
        { operationId: 'matchPerson', summary: 'Whose e-mail address or name is this?', ...person },
        'Person',
        examplePerson,
      ),
    },
    '/v1/people/match/preflight': {
      post: callerOperation({
        operationId: 'preflightPersonMatch',
        tag: 'People',
        summary: 'What would this match do, and cost?',
        description: 'Takes the body of the match. Free, and no provider is asked.',
        body: { 'application/json': PersonMatch },
        bodyExample: personExample,
        answer: { 'application/json': Preflight },
        example: { source: 'live', age_seconds: 0, price: 1, max_price: 1, refused: null, asks_provider: true },
      }),
    },
    '/v1/companies/match': {
      post: match(
        { operationId: 'matchCompany', summary: 'Which company is this?', ...company },
        'Company',
        exampleCompany,
      ),
    },
  }
}
