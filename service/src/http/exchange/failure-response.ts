import { createHash } from 'node:crypto'
import { type Problem, problemType, adminFailures, failures } from '@vitae/contract'
import { Failure } from '../../foundation/failure.ts'
import type { Log } from '../../foundation/log.ts'
import type { FastifyInstance } from 'fastify'
import { protectedPage } from './page-headers.ts'

/** A failure as a response, the same on every listener. */
export interface FailureResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Turns a failure into a response. The body is the plain code or an RFC 9457 problem; `asProblem` makes every body a problem. */
export function failureResponse(failure: Failure, requestId: string, asProblem = false): FailureResponse {
  const { status, body, title } = failure.row
  const headers: Record<string, string> = {}
  if (failure.details.retryAfterSeconds !== undefined)
    headers['Retry-After'] = String(failure.details.retryAfterSeconds)
  if (body === 'text' && !asProblem)
    return { status, headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' }, body: failure.code }
  const problem: Problem = {
    type: problemType(failure.code),
    title,
    status,
    detail: failure.details.detail ?? title,
    code: failure.code,
    request_id: requestId,
    ...(failure.details.hint ? { hint: failure.details.hint } : {}),
    ...(failure.details.errors ? { errors: failure.details.errors } : {}),
  }
  return { status, headers: { ...headers, 'Content-Type': 'application/problem+json' }, body: JSON.stringify(problem) }
}

/** Logs a failure that is not the caller's fault. */
export function noteFailure(log: Log, { code, details: { cause } }: Failure, requestId: string): void {
  if (code === 'internal_error') log.error({ err: cause, requestId }, 'a call failed unexpectedly')
  if (code === 'store_unavailable') log.error({ err: cause, requestId }, 'the store cannot be used')
}

/** Turns any error into a failure. An unexpected error becomes `internal_error`, and its message stays in the log. */
export function toFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('internal_error', { cause: error })
}

/** Turns Fastify's errors into failures of the contract. */
export function fromFastify(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (!(error instanceof Error) || !('code' in error)) return toFailure(error)
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Failure('body_too_large')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Failure('unsupported_media_type')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return unreadable()
    case 'ECONNRESET':
      // Fastify sets a status only if the caller's connection broke while it sent the body. Any other reset is an internal error.
      return 'statusCode' in error ? unreadable() : toFailure(error)
    default:
      return fromStatus(error, error.code)
  }
}

/** Maps other Fastify errors by status: 4xx is the caller's fault, the rest is ours. */
function fromStatus(error: Error, code: unknown): Failure {
  const itsOwn = typeof code === 'string' && code.startsWith('FST_') && 'statusCode' in error
  const status = itsOwn ? Number(error.statusCode) : 500
  if (status === 404) return new Failure('route_not_found')
  return status >= 400 && status < 500 ? unreadable() : toFailure(error)
}

function unreadable(): Failure {
  const errors = [{ parameter: 'body', detail: 'cannot be read' }]
  return new Failure('invalid_request', { detail: 'The request cannot be read.', errors })
}

const pageStyle = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
dt { margin-top: 1.25rem; font-weight: 600; overflow-wrap: anywhere; }
dt:target { background: light-dark(#fff3c4, #5a4a00); }
dd { margin: 0.25rem 0 0; }
code { font: 0.95em ui-monospace, monospace; }
`
const styleHash = createHash('sha256').update(pageStyle).digest('base64')
const pageHeaders = protectedPage({ scripts: "'none'", styles: `'sha256-${styleHash}'` })

/** The page that the `type` of a problem links to, with an anchor per failure. It contains no input of callers. */
export function failurePage(app: FastifyInstance): void {
  app.get('/docs/failures', async (_request, reply) =>
    reply
      .headers(pageHeaders)
      .type('text/html; charset=utf-8')
      .send(pageOf(Object.entries({ ...failures, ...adminFailures }))),
  )
}

function pageOf(rows: [code: string, row: { status: number; title: string; retryable: boolean }][]): string {
  const items = rows.map(
    ([code, { status, title, retryable }]) =>
      `<dt id="${code}"><code>${code}</code> (${status})</dt>\n<dd>${title}. ${retryable ? 'Another try may succeed.' : 'The same call fails again.'}</dd>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Vitae: failures</title>
<style>${pageStyle}</style>
<h1>Failures</h1>
<p>No failure is ever billed. <a href="/docs">The reference</a> says which route can fail how.</p>
<dl>
${items.join('\n')}
</dl>
</html>
`
}
