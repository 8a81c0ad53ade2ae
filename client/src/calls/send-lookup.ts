import type { HeaderReader } from '../answers/answer-headers.ts'
import type { Answer } from '../answers/answer.ts'
import { VitaeConnectionError, VitaeUnusableAnswerError } from '../answers/failure-families.ts'
import { notify, type RequestEvent } from './hooks.ts'
import type { ApiRequest } from './lookup-request.ts'
import { readAnswer } from '../answers/read-answer.ts'
import { readFailure } from '../answers/read-failure.ts'
import { describeFault, redactKey } from './redact-key.ts'
import { retryDelay } from './retry-delay.ts'
import { readTimeout, type Settings } from './settings.ts'
import { openTimeLimit, type TimeLimit } from './time-limit.ts'
import { VitaeError } from '../answers/vitae-error.ts'
import { version } from './version.ts'

type Bounds = { signal?: AbortSignal | undefined; timeoutMs?: number | undefined }

/** Makes one logical call: attempts under one Idempotency-Key, until one succeeds or no retry is allowed. */
export async function sendLookup<Found>(
  settings: Settings,
  request: ApiRequest,
  bounds: Bounds,
): Promise<Answer<Found>> {
  return sendRequest(settings, request, bounds, readAnswer<Found>)
}

/** Reads a successful response, or returns null if it is not the expected one. */
type Read<Result> = (headers: HeaderReader, body: string) => Result | null

/** Like `sendLookup`, for any response. */
export async function sendRequest<Result>(
  settings: Settings,
  request: ApiRequest,
  { signal, timeoutMs = settings.timeoutMs }: Bounds,
  read: Read<Result>,
): Promise<Result> {
  const { timing, hooks, maxRetries } = settings
  const { idempotencyKey } = request
  const url = settings.baseUrl + request.path
  const limit = openTimeLimit({ timeoutMs: readTimeout(timeoutMs), signal, idempotencyKey })
  const endsAt = timing.now() + timeoutMs
  try {
    for (let attempt = 1; ; attempt++) {
      limit.signal.throwIfAborted()
      const event: RequestEvent = { attempt, url, idempotencyKey }
      const outcome = await attemptOnce(settings, request, limit, event, read)
      if (!(outcome instanceof VitaeError)) return outcome
      const leftMs = endsAt - timing.now()
      const delayMs = retryDelay(outcome, { attempt, maxRetries, leftMs, random: timing.random })
      if (delayMs === null) throw outcome
      limit.lastFailure = outcome
      notify(hooks.onRetry, { ...event, error: outcome, delayMs })
      await limit.race(timing.sleep(delayMs, limit.signal))
    }
  } finally {
    limit.close()
  }
}

/** One attempt: its result, or the failure that decides about a retry. Throws only when the time limit is reached. */
async function attemptOnce<Result>(
  settings: Settings,
  request: ApiRequest,
  limit: TimeLimit,
  event: RequestEvent,
  read: Read<Result>,
): Promise<Result | VitaeError> {
  const redact = (text: string) => redactKey(text, settings.apiKey)
  const startedAt = settings.timing.now()
  notify(settings.hooks.onRequest, event)
  try {
    const received = await limit.race(fetchText(settings, event.url, request, limit.signal))
    const { status, headers, body } = received
    const durationMs = settings.timing.now() - startedAt
    notify(settings.hooks.onResponse, { ...event, status, requestId: headers.get('x-request-id'), durationMs })
    const context = { idempotencyKey: request.idempotencyKey, wallClockMs: Date.now(), redact }
    return status >= 200 && status < 300
      ? (read(headers, body) ?? unusableAnswer(status, request))
      : readFailure(received, context)
  } catch (error) {
    if (limit.signal.aborted) throw limit.signal.reason
    return connectionError(redact(describeFault(error)), request)
  }
}

async function fetchText(settings: Settings, url: string, request: ApiRequest, signal: AbortSignal) {
  const { method = 'GET', body } = request
  const headers = requestHeaders(settings, request)
  // A followed redirect would send the key to another host.
  const init = { method, headers, redirect: 'manual', signal, ...(body !== undefined && { body }) } as const
  const response = await settings.fetch(url, init)
  return { status: response.status, headers: response.headers, body: await response.text() }
}

/** The headers of a request, with the key. */
export function requestHeaders(settings: Settings, { body, idempotencyKey, cacheControl, spendTag }: ApiRequest) {
  const tag = spendTag ?? settings.spendTag
  return {
    ApiKey: settings.apiKey,
    Accept: 'application/json',
    'Idempotency-Key': idempotencyKey,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    'User-Agent': `vitae-client/${version}`,
    ...(cacheControl && { 'Cache-Control': cacheControl }),
    ...(tag !== undefined && { 'X-Spend-Tag': tag }),
  }
}

/** The error of a failed connection. */
export function connectionError(detail: string, { idempotencyKey }: ApiRequest): VitaeConnectionError {
  return new VitaeConnectionError({ code: 'connection_failed', detail, retryable: true, idempotencyKey })
}

function unusableAnswer(status: number, { idempotencyKey }: ApiRequest): VitaeUnusableAnswerError {
  const detail = 'the response is not from a Vitae service; check baseUrl'
  return new VitaeUnusableAnswerError({ code: 'unusable_answer', detail, status, retryable: false, idempotencyKey })
}
