import { failures, type FailureCode, type Problem } from './failures.ts'
import { headers } from './headers.ts'
import { headerReferences, onAuthenticated, onEverything } from './openapi-headers.ts'
import type { Json } from './openapi-schemas.ts'

type FailureStatus = (typeof failures)[FailureCode]['status']

/** The answers of one status. `before` the key is known, an answer can say nothing about that key. */
const answers: Record<
  FailureStatus,
  { name: string; description: string; before?: true; extra?: ('Retry-After' | 'Allow' | 'X-Ignored-Parameters')[] }
> = {
  400: {
    name: 'InvalidRequest',
    description: 'A parameter is missing, repeated, malformed or out of range.',
    extra: ['X-Ignored-Parameters'],
  },
  401: { name: 'Unauthorized', description: 'The key is missing or may no longer be used.', before: true },
  402: {
    name: 'PaymentRequired',
    description: 'The credits or the budget of the environment, or a ceiling of the key, are spent.',
  },
  403: { name: 'Forbidden', description: 'The key is known, but may not do this.' },
  404: { name: 'NotFound', description: 'There is no such record. Not billed.' },
  405: {
    name: 'MethodNotAllowed',
    description: 'Only GET is answered; HEAD is refused too.',
    before: true,
    extra: ['Allow'],
  },
  409: {
    name: 'InProgress',
    description: 'The first call with this Idempotency-Key still runs, or too many batches are unfinished.',
    extra: ['Retry-After'],
  },
  413: { name: 'BodyTooLarge', description: 'The body is larger, or has more rows, than the service reads.' },
  414: { name: 'UriTooLong', description: 'The URL is longer than the service reads.', before: true },
  415: { name: 'UnsupportedMediaType', description: 'The body is of a type that is not read here.' },
  422: { name: 'IdempotencyKeyReused', description: 'This Idempotency-Key belongs to another request.' },
  429: {
    name: 'TooManyRequests',
    description: 'Wait for `Retry-After` seconds, then call again.',
    extra: ['Retry-After'],
  },
  431: { name: 'HeadersTooLarge', description: 'The headers are larger than the service reads.', before: true },
  499: {
    name: 'ClientClosedRequest',
    description: 'The caller closed its side of the connection before the record had come. Not billed.',
  },
  500: { name: 'InternalError', description: 'A fault of the service. Not billed.' },
  502: { name: 'UpstreamInvalid', description: 'The provider gave nothing usable, and no stored copy may be used.' },
  503: { name: 'Unavailable', description: 'The answer cannot be had now. Not billed.', extra: ['Retry-After'] },
  504: { name: 'NotInTime', description: 'The provider was too slow, or the caller wanted only what is stored.' },
}

/** Every failing answer, written out once, with one named example per code. */
export function failureResponses(): Json {
  return Object.fromEntries(
    statuses().map((status) => {
      const { description, name, before, extra = [] } = answers[status]
      const known = headerReferences([...(before ? onEverything : onAuthenticated), ...extra])
      return [name, { description, headers: known, content: failureContent(status) }]
    }),
  )
}

/** What a lookup lists: each status once, by reference. */
export function failureReferences(): Json {
  return Object.fromEntries(
    statuses().map((status) => [status, { $ref: `#/components/responses/${answers[status].name}` }]),
  )
}

function failureContent(status: FailureStatus): Json {
  const codes = codesOf(status)
  const asText = codes.every((code) => failures[code].body === 'text')
  const examples = codes.map((code) => [code, { summary: failures[code].title, value: asText ? code : problem(code) }])
  const schema = asText ? { type: 'string', enum: codes } : { $ref: '#/components/schemas/Problem' }
  return { [asText ? 'text/plain' : 'application/problem+json']: { schema, examples: Object.fromEntries(examples) } }
}

function problem(code: FailureCode): Problem {
  const wrong = [{ parameter: 'max_age_days', detail: 'must be a plain decimal number of days, such as 0.5 or 7' }]
  return {
    type: problemType(code),
    title: failures[code].title,
    status: failures[code].status,
    detail: failures[code].title,
    code,
    request_id: headers['X-Request-Id'].example,
    ...(code === 'invalid_request' ? { errors: wrong } : {}),
  }
}

/** The `type` of a problem: a place in the reference of the very service that answered. */
export function problemType(code: FailureCode): string {
  return `/docs#${code}`
}

function codesOf(status: FailureStatus): FailureCode[] {
  // A known route cannot answer that it does not exist.
  return codes().filter((code) => failures[code].status === status && code !== 'route_not_found')
}

function statuses(): FailureStatus[] {
  return [...new Set(codes().map((code) => failures[code].status))].toSorted((a, b) => a - b)
}

function codes(): FailureCode[] {
  return Object.keys(failures) as FailureCode[]
}
