import type { TObject, TSchema } from 'typebox'
import type { Kind } from '../records/kinds.ts'
import { failureReferences, failureResponses } from './failures.ts'
import {
  headerComponents,
  headerReferences,
  onAnswer,
  onEverything,
  onParsedQuery,
  parameterName,
  requestHeaderComponents,
} from './headers.ts'
import { renderSchema, schemaComponents, type Json } from './schemas.ts'
import { lookupOperations, publicOperations } from '../operations/public-operations.ts'
import { tags, type PublicRow } from '../operations/row.ts'
import { CompanyQuery, ProfileQuery } from '../queries.ts'

const description = `Looks up people and companies, says in headers where each record came from and how old it is, and
never bills a call twice. Test keys (\`vt_test_...\`) answer with fictional records and cost nothing.

Answers of 1,024 bytes and more are compressed for callers that send \`Accept-Encoding: zstd\` or \`gzip\`.

The API sends no CORS headers, on purpose: browsers do not let web pages call it. Every visitor of a page could read a key in it,
spend the credits and read the records. Call from a server and keep the key there.`

const apiKey = {
  type: 'apiKey',
  in: 'header',
  name: 'ApiKey',
  description: 'A key of one project and one environment. `vt_test_...` is free, `vt_live_...` spends credits.',
}

const sameKey = 'The same API key in another header. Send only one of these headers; two different values are refused.'
const bearer = { type: 'http', scheme: 'bearer', description: sameKey }

export interface DocumentFacts {
  serverUrl: string
  version: string
  /** The price of an answer in credits. */
  prices?: Record<Kind, number>
}

/** Builds the OpenAPI 3.1 document of the public API from the tables of operations, failures and headers. */
export function openApiDocument({ serverUrl, version, prices = { people: 1, companies: 1 } }: DocumentFacts): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Vitae',
      version,
      summary: 'Professional-data lookups with honest provenance.',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl.replace(/\/+$/, ''), description: 'This service' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: pathsOf(prices),
    components: {
      securitySchemes: {
        ApiKey: apiKey,
        Bearer: bearer,
        XApiKey: { ...apiKey, name: 'X-Api-Key', description: sameKey },
      },
      parameters: { ...sharedParameters(), ...requestHeaderComponents() },
      headers: headerComponents(),
      responses: failureResponses(),
      schemas: schemaComponents(),
    },
  }
}

/** The operations by path and method. */
function pathsOf(prices: Record<Kind, number>): Json {
  const paths: Record<string, Json> = {}
  for (const [id, row] of Object.entries(publicOperations)) {
    const [method, path] = row.route.replaceAll(/:(\w+)/g, '{$1}').split(' ') as [string, string]
    const price = id in lookupOperations && 'kind' in row ? { 'x-credit-price': prices[row.kind] } : {}
    paths[path] = { ...paths[path], [method.toLowerCase()]: { operationId: id, ...price, ...operation(row) } }
  }
  return paths
}

const keyHeaders = [{ ApiKey: [] }, { Bearer: [] }, { XApiKey: [] }]

/** Describes an operation: its parameters, bodies, responses and failures. */
function operation(row: PublicRow): Json {
  const { tag, summary, description, isOpen, params, query, reads = [], example, status = 200, otherAnswers = {} } = row
  const parameters = [
    ...parametersIn('path', params),
    ...parametersIn('query', query),
    ...reads.map((header) => reference(parameterName(header))),
  ]
  const others = Object.entries(otherAnswers).map(([code, other]) => [
    code,
    answer(row, other.description, other.example),
  ])
  return {
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: isOpen ? [] : keyHeaders,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(row),
    responses: {
      [status]: answer(row, summary, example),
      ...(Object.fromEntries(others) as Json),
      ...failureReferences(row),
    },
  }
}

function requestBody({ body, bodyExample, uploads = ['application/json'] }: PublicRow): Json {
  if (!body) return {}
  const content = uploads.map((type) =>
    type === 'application/json'
      ? [type, { schema: renderSchema(body), example: bodyExample }]
      : [type, { schema: { type: 'string' } }],
  )
  return { requestBody: { required: true, content: Object.fromEntries(content) as Json } }
}

function answer(row: PublicRow, description: string, example: unknown): Json {
  const { isOpen, uploads, response, produces, says = [] } = row
  const forms: [string, TSchema][] = [
    ...(response ? [['application/json', response] satisfies [string, TSchema]] : []),
    ...Object.entries(produces ?? {}),
  ]
  const content = forms.map(([type, schema], index) => {
    const examples = { answer: { summary: 'A fictional answer', value: example } }
    return [type, { schema: renderSchema(schema), ...(index === 0 ? { examples } : {}) }]
  })
  return {
    description,
    headers: headerReferences(isOpen ? onEverything : [...onAnswer, ...(uploads ? [] : onParsedQuery), ...says]),
    content: Object.fromEntries(content) as Json,
  }
}

/**
 * Only required parameters have an example. Tools fill in every example, and a first try must neither bypass the store
 * nor reuse an Idempotency-Key. Test keys answer these ids with a complete sample.
 */
const parameterExamples: Record<string, string> = {
  profile_id: 'sample-complete',
  company_id: 'sample-complete',
  domain: 'example.com',
}

/** Builds the parameters that both lookups share. */
function sharedParameters(): Json {
  const shared = Object.keys(ProfileQuery.properties).filter((name) => isShared(name, propertyOf(ProfileQuery, name)))
  return Object.fromEntries(shared.map((name) => [name, parameter('query', ProfileQuery, name)]))
}

function isShared(name: string, schema: TSchema | undefined): boolean {
  return [ProfileQuery, CompanyQuery].every((query) => propertyOf(query, name) === schema)
}

function propertyOf({ properties }: TObject, name: string): TSchema | undefined {
  return properties[name]
}

function parametersIn(place: 'path' | 'query', schema: TObject | undefined): Json[] {
  if (!schema) return []
  return Object.keys(schema.properties).map((name) =>
    isShared(name, schema.properties[name]) ? reference(name) : parameter(place, schema, name),
  )
}

function parameter(place: 'path' | 'query', of: TObject, name: string): Json {
  const { description, ...schema } = renderSchema(of.properties[name]) as Json
  const required = place === 'path' || (of.required?.includes(name) ?? false)
  const example = parameterExamples[name]
  return { name, in: place, required, description, schema, ...(example === undefined ? {} : { example }) }
}

function reference(name: string): Json {
  return { $ref: `#/components/parameters/${name}` }
}
