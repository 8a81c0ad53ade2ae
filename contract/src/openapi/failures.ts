import { callerFailures as failures, type CallerFailureCode, type Problem, problemType } from '../failures.ts'
import { headers } from '../headers.ts'
import { headerReferences, onEverything, onFailure } from './headers.ts'
import { failuresOf } from '../operations/failures.ts'
import { publicOperations } from '../operations/public-operations.ts'
import type { PublicRow } from '../operations/row.ts'
import type { Json } from './schemas.ts'

type FailureStatus = (typeof failures)[CallerFailureCode]['status']

/** The responses by status. `before`: the key is not known yet, so the response has no headers about it. */
const answers: Record<
  FailureStatus,
  { name: string; description: string; before?: true; extra?: ('Retry-After' | 'Allow')[] }
> = {
  400: {
    name: 'InvalidRequest',
    description: 'A parameter is missing, repeated, malformed or out of range.',
  },
  401: { name: 'Unauthorized', description: 'The API key is missing, unknown, revoked or expired.', before: true },
  402: {
    name: 'PaymentRequired',
    description: 'The credits or the budget of the environment, or a ceiling of the key, are spent.',
  },
  403: { name: 'Forbidden', description: 'The API key is valid, but may not do this.' },
  404: { name: 'NotFound', description: 'The record or object does not exist. Not billed.' },
  405: {
    name: 'MethodNotAllowed',
    description: 'The method is not one of those in `Allow`. HEAD is refused too.',
    before: true,
    extra: ['Allow'],
  },
  409: {
    name: 'Conflict',
    description:
      'The first call with this Idempotency-Key is still running, or the environment has reached its limit for batches or watches.',
    extra: ['Retry-After'],
  },
  413: { name: 'BodyTooLarge', description: 'The body is too large, or has too many rows.' },
  414: { name: 'UriTooLong', description: 'The URL is too long.', before: true },
  415: { name: 'UnsupportedMediaType', description: 'The content type of the body is not supported.' },
  422: { name: 'IdempotencyKeyReused', description: 'This Idempotency-Key was already used for another request.' },
  429: {
    name: 'TooManyRequests',
    description: 'Wait for `Retry-After` seconds, then call again.',
    extra: ['Retry-After'],
  },
  431: { name: 'HeadersTooLarge', description: 'The headers are too large.', before: true },
  499: {
    name: 'ClientClosedRequest',
    description: 'The caller closed the connection before the record arrived. Not billed.',
  },
  500: { name: 'InternalError', description: 'An internal error of the service. Not billed.' },
  502: {
    name: 'UpstreamInvalid',
    description: 'The answer of the provider is unusable, and no stored copy may replace it.',
  },
  503: {
    name: 'Unavailable',
    description: 'The service or a provider is temporarily unavailable. Not billed.',
    extra: ['Retry-After'],
  },
  504: {
    name: 'NotInTime',
    description: 'The provider timed out, or `only-if-cached` was sent and no stored copy satisfies the request.',
  },
}

/** The codes of every operation, by status. */
const byStatus = new Map<PublicRow, Map<FailureStatus, CallerFailureCode[]>>(
  Object.values(publicOperations).map((row) => [row, codesByStatus(row)]),
)

/** Builds each distinct failure response once, with one example per code. */
export function failureResponses(): Json {
  const all = [...byStatus.values()].flatMap((codes) => [...codes])
  return Object.fromEntries(all.map(([status, codes]) => [nameOf(status, codes), failureResponse(status, codes)]))
}

function failureResponse(status: FailureStatus, codes: CallerFailureCode[]): Json {
  const { description, before, extra = [] } = answers[status]
  const known = headerReferences([...(before ? onEverything : onFailure), ...extra])
  return { description, headers: known, content: failureContent(codes) }
}

/** References the failure responses of an operation, by status. */
export function failureReferences(row: PublicRow): Json {
  const listed = [...(byStatus.get(row) ?? [])].map(([status, codes]) => [status, reference(nameOf(status, codes))])
  return Object.fromEntries(listed) as Json
}

function reference(name: string): Json {
  return { $ref: `#/components/responses/${name}` }
}

/** Names a response: the plain name if it has all codes of its status, else with its codes added. */
function nameOf(status: FailureStatus, own: CallerFailureCode[]): string {
  const all = [...byStatus.values()].flatMap((codes) => codes.get(status) ?? [])
  const { name } = answers[status]
  return new Set(all).size === own.length ? name : [name, ...own].join('.')
}

function codesByStatus(row: PublicRow): Map<FailureStatus, CallerFailureCode[]> {
  return Map.groupBy(
    failuresOf(row).toSorted((a, b) => failures[a].status - failures[b].status),
    (code) => failures[code].status,
  )
}

/** The content of failures: text or problem by default, always a problem with `Accept: application/problem+json`. */
function failureContent(codes: CallerFailureCode[]): Json {
  const problems = examples(codes, problem)
  const content = {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, examples: problems },
  }
  if (codes.some((code) => failures[code].body !== 'text')) return content
  return {
    'text/plain': { schema: { type: 'string', enum: codes }, examples: examples(codes, (code) => code) },
    ...content,
  }
}

function examples(codes: CallerFailureCode[], valueOf: (code: CallerFailureCode) => unknown): Json {
  return Object.fromEntries(codes.map((code) => [code, { summary: failures[code].title, value: valueOf(code) }]))
}

function problem(code: CallerFailureCode): Problem {
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
