import Type, { type TSchema } from 'typebox'
import { headers } from './headers.ts'
import { renderSchema, type Json } from './openapi-schemas.ts'

interface PlainHeader {
  schema: TSchema
  description: string
  example: string
}

/** What stands on answers for HTTP's own sake, beside the headers of the lookups. */
const plumbing = {
  'Cache-Control': {
    schema: Type.Enum(['private, no-store']),
    description: 'On everything: no shared cache may keep an answer that one key paid for.',
    example: 'private, no-store',
  },
  Vary: {
    schema: Type.Enum(['ApiKey, Authorization, X-Api-Key, Accept, Accept-Encoding']),
    description: 'On everything: an answer belongs to one key, and comes in the form that was asked for.',
    example: 'ApiKey, Authorization, X-Api-Key, Accept, Accept-Encoding',
  },
  'Retry-After': {
    schema: Type.Integer({ minimum: 0 }),
    description: 'Whole seconds. A call made exactly that much later is not refused for the same reason.',
    example: '2',
  },
  'Content-Encoding': {
    schema: Type.Enum(['zstd', 'gzip']),
    description: 'Stands on a larger answer to a caller that has asked for it by `Accept-Encoding`.',
    example: 'gzip',
  },
  Location: {
    schema: Type.String(),
    description: 'Where the batch is.',
    example: '/v1/batches/batch_5fY2mJp0QeW8sVb1kZ3x',
  },
  Allow: { schema: Type.String(), description: 'The methods this route knows.', example: 'GET' },
} as const satisfies Record<string, PlainHeader>

export type HeaderName = keyof typeof headers | keyof typeof plumbing

/** Always there where the document lists them; the others depend on the key or on the record. */
const always: ReadonlySet<string> = new Set(['X-Request-Id', 'Cache-Control', 'Vary', 'Allow'])

/** Every header, written out once. */
export function headerComponents(): Json {
  const tables: [string, PlainHeader & { on?: string }][] = Object.entries({ ...headers, ...plumbing })
  return Object.fromEntries(
    tables.map(([name, header]) => [
      name,
      {
        description: header.description,
        required: header.on === 'success' || always.has(name),
        schema: renderSchema(header.schema),
        example: isNumeric(header.schema) ? Number(header.example) : header.example,
      },
    ]),
  )
}

function isNumeric(schema: TSchema): boolean {
  return 'type' in schema && (schema.type === 'integer' || schema.type === 'number')
}

/** On every answer there is. */
export const onEverything: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control', 'Vary']

/** On every answer to a known key: its limits, and its credits where it is a live one. */
export const onAuthenticated: readonly HeaderName[] = [
  ...onEverything,
  ...headerNames().filter((name) => headers[name].on === 'every' && name !== 'X-Request-Id'),
  ...headerNames().filter((name) => headers[name].on === 'live-key'),
]

/** On every failure of a known key, where the call had a parameter or a tag that deserves it. */
export const onFailure: readonly HeaderName[] = [...onAuthenticated, 'X-Ignored-Parameters', 'X-Spend-Tag-Counted-As']

/** On a record: where it came from, how old it is, what it cost. */
export const onSuccess: readonly HeaderName[] = [
  ...onAuthenticated,
  ...headerNames().filter((name) => !['every', 'live-key', 'match'].includes(headers[name].on)),
  'Content-Encoding',
]

/** On a record that a match led to: how sure it is. */
export const onMatch: readonly HeaderName[] = [
  ...onSuccess,
  ...headerNames().filter((name) => headers[name].on === 'match'),
]

/** References to the named headers, as a response lists them. */
export function headerReferences(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function headerNames(): (keyof typeof headers)[] {
  return Object.keys(headers) as (keyof typeof headers)[]
}
