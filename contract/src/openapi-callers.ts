import type { TObject, TSchema } from 'typebox'
import type { CallerOperationId } from './openapi-failure-table.ts'
import { failureReferences } from './openapi-failures.ts'
import { headerReferences, onAuthenticated, type HeaderName } from './openapi-headers.ts'
import { parameterExamples, parameterReference, type HeaderParameter } from './openapi-lookups.ts'
import { renderSchema, type Json } from './openapi-schemas.ts'

/** An operation for holders of an API key, other than the two lookups. */
export interface CallerOperation {
  operationId: CallerOperationId
  tag: string
  summary: string
  description: string
  path?: TObject
  query?: TObject
  /** Request bodies by media type. */
  body?: Record<string, TSchema>
  /** A fictional example of the first of these bodies; it must fit its schema. */
  bodyExample?: unknown
  /** Answers by media type. */
  answer: Record<string, TSchema>
  /** A fictional example of the first of these answers; it must fit its schema. */
  example?: unknown
  status?: 200 | 201 | 202
  /** Request headers that it reads, by their names in the document's parameters. */
  reads?: HeaderParameter[]
  /** Headers of its answer, beside those that every caller gets. */
  says?: HeaderName[]
}

/** The operation as OpenAPI describes it: its parameters, its bodies, and all the ways it can fail. */
export function callerOperation(operation: CallerOperation): Json {
  const {
    operationId,
    tag,
    summary,
    description,
    path,
    query,
    body,
    bodyExample,
    answer,
    example,
    status = 200,
    reads = [],
    says = [],
  } = operation
  const parameters = [...parametersIn('path', path), ...parametersIn('query', query), ...reads.map(parameterReference)]
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: [{ ApiKey: [] }, { Bearer: [] }, { XApiKey: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: true,
            content: contentOf(body, bodyExample === undefined ? {} : { example: bodyExample }),
          },
        }
      : {}),
    responses: {
      [status]: {
        description: summary,
        headers: headerReferences([...onAuthenticated, 'X-Ignored-Parameters', 'Content-Encoding', ...says]),
        content: contentOf(
          answer,
          example === undefined ? {} : { examples: { answer: { summary: 'A fictional answer', value: example } } },
        ),
      },
      ...failureReferences(operationId),
    },
  }
}

function parametersIn(place: 'path' | 'query', schema: TObject | undefined): Json[] {
  return Object.keys(schema?.properties ?? {}).map((name) => {
    const { description, ...rest } = renderSchema(schema?.properties[name]) as Json
    const required = place === 'path' || (schema?.required?.includes(name) ?? false)
    const example = parameterExamples[name]
    return { name, in: place, required, description, schema: rest, ...(example === undefined ? {} : { example }) }
  })
}

function contentOf(schemas: Record<string, TSchema>, shown: Json): Json {
  const entries = Object.entries(schemas).map(([type, schema], index) => {
    const content: Json = { schema: renderSchema(schema), ...(index === 0 ? shown : {}) }
    return [type, content]
  })
  return Object.fromEntries(entries)
}
