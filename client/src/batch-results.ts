import type { BatchResultRow } from './contract.generated.ts'
import { sendOptions } from './calls/lookup-request.ts'
import { readFailure } from './answers/read-failure.ts'
import { describeFault, redactKey } from './calls/redact-key.ts'
import { retryDelay } from './calls/retry-delay.ts'
import { connectionError, requestHeaders } from './calls/send-lookup.ts'
import type { Settings } from './calls/settings.ts'
import { openTimeLimit, type TimeLimit } from './calls/time-limit.ts'
import { VitaeError } from './answers/vitae-error.ts'

export type ResultsOptions = {
  /** The last `row` that you have read. */
  after?: number
  signal?: AbortSignal
  /** The longest wait for the next chunk of the response. */
  timeoutMs?: number
}

/**
 * Yields rows as they arrive. After a broken connection it continues after the last complete row, with as many retries
 * as a call has.
 */
export async function* batchResults(
  settings: Settings,
  path: string,
  options: ResultsOptions,
): AsyncGenerator<BatchResultRow, void, undefined> {
  let after = options.after ?? 0
  const { timing, maxRetries, timeoutMs } = settings
  for (let attempt = 1; ; attempt++) {
    try {
      for await (const line of readLines(settings, `${path}?format=ndjson&after=${after}`, options)) {
        const row = JSON.parse(line) as BatchResultRow
        after = row.row
        attempt = 1
        yield row
      }
      return
    } catch (error) {
      if (!(error instanceof VitaeError)) throw error
      const delayMs = retryDelay(error, { attempt, maxRetries, leftMs: timeoutMs, random: timing.random })
      if (delayMs === null) throw error
      await timing.sleep(delayMs, options.signal ?? new AbortController().signal)
    }
  }
}

async function* readLines(settings: Settings, path: string, options: ResultsOptions): AsyncGenerator<string> {
  const request = { path, ...sendOptions({}) }
  const { idempotencyKey } = request
  const { timeoutMs = settings.timeoutMs, signal } = options
  const within = async <Result>(work: (limit: TimeLimit) => Promise<Result>): Promise<Result> => {
    const limit = openTimeLimit({ timeoutMs, signal, idempotencyKey })
    try {
      return await limit.race(work(limit))
    } catch (error) {
      if (error instanceof VitaeError) throw error
      throw connectionError(redactKey(describeFault(error), settings.apiKey), request)
    } finally {
      limit.close()
    }
  }
  // A separate signal, because the time limit of the first response must not end the stream.
  const ended = new AbortController()
  try {
    const headers = requestHeaders(settings, request)
    const init = { method: 'GET', headers, redirect: 'manual', signal: ended.signal } as const
    const response = await within(() => settings.fetch(settings.baseUrl + path, init))
    if (response.status !== 200) {
      const body = await within(() => response.text())
      const redact = (text: string) => redactKey(text, settings.apiKey)
      throw readFailure(
        { ...response, status: response.status, headers: response.headers, body },
        { idempotencyKey, wallClockMs: Date.now(), redact },
      )
    }
    if (!response.body) return yield* wholeLines(await within(() => response.text()))
    yield* splitLines(response.body, within)
  } finally {
    ended.abort()
  }
}

async function* splitLines(
  body: AsyncIterable<Uint8Array>,
  within: <Result>(work: () => Promise<Result>) => Promise<Result>,
): AsyncGenerator<string> {
  const chunks = body[Symbol.asyncIterator]()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await within(() => chunks.next())
    if (done) break
    const text = rest + decoder.decode(value, { stream: true })
    const end = text.lastIndexOf('\n') + 1
    rest = text.slice(end)
    yield* wholeLines(text.slice(0, end))
  }
  yield* wholeLines(rest)
}

function wholeLines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}
