import type { TSchema } from 'typebox'
import { headers, headersOn, plainHeaders, requestHeaders, type HeaderName, type RequestHeader } from './headers.ts'
import { renderSchema, type Json } from './openapi-schemas.ts'

/** Always there where the document lists them; the others depend on the key or on the record. */
const always: ReadonlySet<string> = new Set(['X-Request-Id', 'Cache-Control', 'Vary', 'Allow'])

/** Every header of an answer, written out once. */
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

/** Every header of a request, written out once. */
export function requestHeaderComponents(): Json {
  const all = Object.entries(requestHeaders)
  return Object.fromEntries(
    all.map(([name, header]) => [parameterName(name as RequestHeader), { name, in: 'header', ...header }]),
  )
}

/** What the parameters of the document call a header: `X-Spend-Tag` is `SpendTag`. */
export function parameterName(header: RequestHeader): string {
  return header.replace(/^X-/, '').replaceAll('-', '')
}

/** On every answer there is. */
export const onEverything: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control', 'Vary']

/** On every answer to a known key: its limits, and its credits where it is a live one. */
const onAuthenticated: readonly HeaderName[] = [...onEverything, ...headersOn('every', 'live-key')]

/** On every good answer to a known key. */
export const onAnswer: readonly HeaderName[] = [...onAuthenticated, 'Content-Encoding']

/** Where unknown parameters are ignored; uploads refuse them. */
export const onParsedQuery: readonly HeaderName[] = ['X-Ignored-Parameters']

/** On every failure of a known key, where the call had a parameter or a tag that deserves it. */
export const onFailure: readonly HeaderName[] = [...onAuthenticated, 'X-Ignored-Parameters', 'X-Spend-Tag-Counted-As']

/** References to the named headers, as a response lists them. */
export function headerReferences(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
