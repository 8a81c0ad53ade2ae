import type { TSchema } from 'typebox'
import { headers, headersOn, plainHeaders, requestHeaders, type HeaderName, type RequestHeader } from '../headers.ts'
import { renderSchema, type Json } from './schemas.ts'

/** Headers that are always present; the others depend on the key or the record. */
const always: ReadonlySet<string> = new Set(['X-Request-Id', 'Cache-Control', 'Vary', 'Allow'])

/** Builds the component of every response header. */
export function headerComponents(): Json {
  const all: [string, { schema: TSchema; description: string; example: string; on?: string }][] = Object.entries({
    ...headers,
    ...plainHeaders,
  })
  return Object.fromEntries(
    all.map(([name, { schema, description, example, on }]) => [
      name,
      {
        description,
        required: on === 'success' || always.has(name),
        schema: renderSchema(schema),
        example: isNumeric(schema) ? Number(example) : example,
      },
    ]),
  )
}

function isNumeric(schema: TSchema): boolean {
  return 'type' in schema && (schema.type === 'integer' || schema.type === 'number')
}

/** Builds the component of every request header. */
export function requestHeaderComponents(): Json {
  const all = Object.entries(requestHeaders)
  return Object.fromEntries(
    all.map(([name, header]) => [parameterName(name as RequestHeader), { name, in: 'header', ...header }]),
  )
}

/** The component name of a request header: `X-Spend-Tag` becomes `SpendTag`. */
export function parameterName(header: RequestHeader): string {
  return header.replace(/^X-/, '').replaceAll('-', '')
}

/** Headers of every response. */
export const onEverything: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control', 'Vary']

/** Headers of every response to a known key: rate limit, and credits for live keys. */
const onAuthenticated: readonly HeaderName[] = [...onEverything, ...headersOn('every', 'live-key')]

/** Headers of every successful response to a known key. */
export const onAnswer: readonly HeaderName[] = [...onAuthenticated, 'Content-Encoding']

/** Headers of operations that ignore unknown parameters; uploads refuse them. */
export const onParsedQuery: readonly HeaderName[] = ['X-Ignored-Parameters']

/** Headers of every failure of a known key. The last two depend on the request. */
export const onFailure: readonly HeaderName[] = [...onAuthenticated, 'X-Ignored-Parameters', 'X-Spend-Tag-Counted-As']

/** References to headers, for a response. */
export function headerReferences(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
