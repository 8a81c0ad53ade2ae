import type { TObject } from 'typebox'
import type { Kind } from './kinds.ts'
import { exampleCompany, examplePerson } from './openapi-examples.ts'
import type { CallerOperationId } from './openapi-failure-table.ts'
import { failureReferences } from './openapi-failures.ts'
import { headerReferences, onSuccess } from './openapi-headers.ts'
import { recordOrFields, renderSchema, type Json } from './openapi-schemas.ts'
import { CompanyQuery, ProfileQuery } from './queries.ts'

/**
 * Only required parameters have an example: tools fill in every example, and a first try must neither go past the store nor reuse
 * somebody's Idempotency-Key. Test keys answer these with a complete sample.
 */
export const parameterExamples: Record<string, string> = {
  profile_id: 'sample-complete',
  company_id: 'sample-complete',
  domain: 'example.com',
}

/** What a caller may say in the request's headers, at both lookups. */
const headerParameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Names one logical call, bare or as a quoted string. A retry with the same value is answered and never billed again.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  SpendTag: {
    name: 'X-Spend-Tag',
    in: 'header',
    description: 'What the call is for, such as a campaign: usage is counted by it, and the receipt names it.',
    schema: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9._-]+$' },
  },
  CacheControl: {
    name: 'Cache-Control',
    in: 'header',
    description: '`stale-if-error=0` refuses a stale copy; `only-if-cached` refuses any call to the provider.',
    schema: { type: 'string' },
  },
} satisfies Record<string, Json>

export type HeaderParameter = keyof typeof headerParameters

/** The parameters that both lookups share, written out once. */
export function parameterComponents(): Json {
  const shared = Object.keys(ProfileQuery.properties).filter(isShared)
  return {
    ...Object.fromEntries(shared.map((name) => [name, queryParameter(ProfileQuery, name)])),
    ...headerParameters,
  }
}

/** The two lookups. */
export function lookupPaths(prices: Record<Kind, number>): Json {
  return {
    '/v1/people/profile': {
      get: lookup({
        operationId: 'getPersonProfile',
        tag: 'People',
        summary: 'Look up one person',
        description: 'Gives one person record. Optional parts are null unless they are asked for.',
        query: ProfileQuery,
        record: 'Person',
        example: examplePerson,
        price: prices.people,
      }),
    },
    '/v1/companies/details': {
      get: lookup({
        operationId: 'getCompanyDetails',
        tag: 'Companies',
        summary: 'Look up one company',
        description: 'Gives one company record. Any field is null where the provider does not supply it.',
        query: CompanyQuery,
        record: 'Company',
        example: exampleCompany,
        price: prices.companies,
      }),
    },
  }
}

interface Lookup {
  operationId: CallerOperationId
  price: number
  tag: string
  summary: string
  description: string
  query: TObject
  record: 'Person' | 'Company'
  example: unknown
}

function lookup({ operationId, price, tag, summary, description, query, record, example }: Lookup): Json {
  const schema = recordOrFields(record)
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    'x-credit-price': price,
    security: [{ ApiKey: [] }, { Bearer: [] }, { XApiKey: [] }],
    parameters: [
      ...Object.keys(query.properties).map((name) =>
        isShared(name) ? parameterReference(name) : queryParameter(query, name),
      ),
      ...Object.keys(headerParameters).map(parameterReference),
    ],
    responses: {
      200: {
        description: 'The record. With a live key, the one answer that costs credits.',
        headers: headerReferences(onSuccess),
        content: {
          'application/json': { schema, examples: { record: { summary: 'A fictional record', value: example } } },
        },
      },
      ...failureReferences(operationId),
    },
  }
}

function queryParameter(query: TObject, name: string): Json {
  const { description, ...schema } = renderSchema(query.properties[name]) as Json
  const required = query.required?.includes(name) ?? false
  const example = parameterExamples[name]
  return { name, in: 'query', required, description, schema, ...(example === undefined ? {} : { example }) }
}

/** A parameter that is written out once. */
export function parameterReference(name: string): Json {
  return { $ref: `#/components/parameters/${name}` }
}

function isShared(name: string): boolean {
  return name in ProfileQuery.properties && name in CompanyQuery.properties
}
