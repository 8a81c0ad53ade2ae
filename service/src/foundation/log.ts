import { createRequire } from 'node:module'
import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino'

export type Log = Logger

/**
 * Only these parts of an error are logged. A driver's error also has the row that it is about, and its connection with the
 * secret that cancels queries.
 */
export const serializers = {
  err(error: unknown) {
    if (!(error instanceof Error)) return { message: String(error) }
    const { type, message, stack } = stdSerializers.err(error)
    const { code, errcode } = error as { code?: unknown; errcode?: unknown }
    return { type, message: withoutQuote(message), code, errcode, stack: withoutQuote(stack) }
  },
}

/**
 * The message of `JSON.parse` quotes at most 20 characters of the text, which may be a record. A longer search would take
 * minutes in a long message full of quotes. A stranger's error may have a stack that is no text.
 */
function withoutQuote(text: unknown): string {
  return String(text).replaceAll(/"[^]{0,40}?"(?:\.{3})? is not valid JSON/g, '(a text) is not valid JSON')
}

/**
 * Structured logs on standard output, on a terminal as one readable line per call. Data from callers and records is
 * never passed to it: lines contain request ids, key ids and timings. The redaction is only a second safeguard.
 */
export function createLog(level: string, terminal: boolean, fileDescriptor = 1): Log {
  const options = {
    level,
    base: null,
    serializers,
    redact: ['apiKey', 'apikey', 'headers', 'authorization', '*.apiKey', '*.apikey', '*.authorization', '*.headers'],
  }
  if (terminal) return pino(options, prettyStream())
  return pino(options, pino.destination({ dest: fileDescriptor, sync: false, minLength: 4_096, periodicFlush: 500 }))
}

/** Loaded only for a terminal: a service starts faster without it. */
function prettyStream(): DestinationStream {
  const pretty = createRequire(import.meta.url)('pino-pretty') as (options: object) => DestinationStream
  return pretty({ colorize: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss', singleLine: true })
}
