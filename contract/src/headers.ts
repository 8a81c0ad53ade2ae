import Type, { type TSchema } from 'typebox'

export const dataSources = ['live', 'store', 'stale_fallback'] as const
export type DataSource = (typeof dataSources)[number]

type Header = {
  schema: TSchema
  description: string
  example: string
  on: 'every' | 'live-key' | 'success' | 'live-success' | 'some' | 'match'
}

/** Every response header of our own, and the responses that have it. */
export const headers = {
  'X-Request-Id': {
    schema: Type.String(),
    description: 'The id of this call, for receipts and support.',
    example: '0198c0de-7a11-7000-8000-00000000beef',
    on: 'every',
  },
  'X-RateLimit-Limit': {
    schema: Type.Integer(),
    description: 'Calls allowed in one window.',
    example: '300',
    on: 'every',
  },
  'X-RateLimit-Remaining': {
    schema: Type.Integer(),
    description: 'Calls left in this window.',
    example: '299',
    on: 'every',
  },
  'X-RateLimit-Reset': {
    schema: Type.Integer(),
    description: 'Seconds until the window ends.',
    example: '60',
    on: 'every',
  },
  'X-Credits-Remaining': {
    schema: Type.Integer(),
    description: "The environment's available credits. Live keys only.",
    example: '941',
    on: 'live-key',
  },
  'X-Credits-Ceiling-Remaining': {
    schema: Type.Integer(),
    description: "The credits left under the key's ceilings: the lowest value if the key has several. Live keys only.",
    example: '41',
    on: 'live-key',
  },
  'X-Credits-Ceiling-Reset': {
    schema: Type.Integer(),
    description: 'Seconds until the ceiling of `X-Credits-Ceiling-Remaining` renews, at 00:00 UTC. Live keys only.',
    example: '3600',
    on: 'live-key',
  },
  'X-Data-Source': {
    schema: Type.Enum([...dataSources]),
    description: 'Where the data came from.',
    example: 'store',
    on: 'success',
  },
  'X-Fetched-At': {
    schema: Type.String({ format: 'date-time' }),
    description: 'When Vitae received the data, with offset.',
    example: '2026-11-14T09:30:00.000+00:00',
    on: 'success',
  },
  'X-Data-Age-Seconds': {
    schema: Type.Integer(),
    description: 'The age of the data in seconds; 0 for a live fetch.',
    example: '3600',
    on: 'success',
  },
  'X-Credits-Charged': {
    schema: Type.Integer(),
    description: 'The credits that this call cost. Live keys only.',
    example: '1',
    on: 'live-success',
  },
  'X-Source-Updated-At': {
    schema: Type.String({ format: 'date-time' }),
    description: 'The time at which the provider last saw the data, if the provider reports it.',
    example: '2026-11-01T00:00:00.000+00:00',
    on: 'some',
  },
  'X-Filled-From': {
    schema: Type.String(),
    description:
      'The units of the record that come from another fetch than the rest, whose time is `X-Fetched-At`. The value is an RFC 9651 list with one element for each provider and age.',
    example: 'peopledatalabs;fields="contact_info.email_address";age=86400',
    on: 'some',
  },
  'X-Ignored-Parameters': {
    schema: Type.String(),
    description: 'The names of unknown parameters, which were ignored. At most ten, separated by commas.',
    example: 'includ_contact_info',
    on: 'some',
  },
  'X-Record-Thin': {
    schema: Type.Enum(['true']),
    description: 'Sent if the record has little more than an identity.',
    example: 'true',
    on: 'some',
  },
  'Idempotent-Replayed': {
    schema: Type.Enum(['true']),
    description: 'Sent with the answer to a retry, which costs nothing.',
    example: 'true',
    on: 'some',
  },
  'X-Spend-Tag-Counted-As': {
    schema: Type.Enum(['(other)']),
    description:
      'Sent if the environment has used too many spend tags today. The call is counted under this tag instead.',
    example: '(other)',
    on: 'some',
  },
  'X-Match-Likelihood': {
    schema: Type.Number({ minimum: 0, maximum: 1 }),
    description: 'The likelihood that the record is the right one, 0 to 1, with two decimals.',
    example: '0.95',
    on: 'match',
  },
  'X-Matched-On': {
    schema: Type.String(),
    description: 'The members of the body that agreed with the record, separated by commas.',
    example: 'email',
    on: 'match',
  },
} as const satisfies Record<string, Header>

/** Standard HTTP response headers. */
export const plainHeaders = {
  'Cache-Control': {
    schema: Type.Enum(['private, no-store']),
    description: 'Sent with every response, so that no shared cache keeps an answer that one key paid for.',
    example: 'private, no-store',
  },
  Vary: {
    schema: Type.Enum(['ApiKey, Authorization, X-Api-Key, Accept, Accept-Encoding']),
    description: 'Sent with every response, because an answer depends on the key and on the requested format.',
    example: 'ApiKey, Authorization, X-Api-Key, Accept, Accept-Encoding',
  },
  'Retry-After': {
    schema: Type.Integer({ minimum: 0 }),
    description: 'The number of whole seconds to wait. A call after this time is not refused for the same reason.',
    example: '2',
  },
  'Content-Encoding': {
    schema: Type.Enum(['zstd', 'gzip']),
    description:
      'The compression of the response, if the caller allowed it with `Accept-Encoding` and the response is large enough.',
    example: 'gzip',
  },
  Location: {
    schema: Type.String(),
    description: 'The path of the batch.',
    example: '/v1/batches/batch_5fY2mJp0QeW8sVb1kZ3x',
  },
  Allow: { schema: Type.String(), description: 'The methods that this route supports.', example: 'GET' },
} as const satisfies Record<string, Omit<Header, 'on'>>

export type HeaderName = keyof typeof headers | keyof typeof plainHeaders

/** The request headers of callers, besides the key. */
export const requestHeaders = {
  'Idempotency-Key': {
    description:
      'A value that you choose for one logical call, bare or as a quoted string. A retry with the same value gets the answer again and is never billed again.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  'X-Spend-Tag': {
    description:
      'A name for the purpose of the call, such as a campaign. Usage can be counted by this tag, and the receipt shows it.',
    schema: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9._-]+$' },
  },
  'Cache-Control': {
    description: '`stale-if-error=0` refuses a stale copy; `only-if-cached` refuses any call to the provider.',
    schema: { type: 'string' },
  },
} as const

export type RequestHeader = keyof typeof requestHeaders

/** The headers of these kinds of responses. */
export const headersOn = (...answers: Header['on'][]): readonly HeaderName[] =>
  (Object.keys(headers) as (keyof typeof headers)[]).filter((name) => answers.includes(headers[name].on))

/** Headers of a record: its source, age and cost. */
export const onRecord = headersOn('success', 'live-success', 'some')

/** Headers of a matched record: those of a record, and the likelihood. */
export const onMatch = [...onRecord, ...headersOn('match')]
