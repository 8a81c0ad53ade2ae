import { pino, type Logger } from 'pino'
import pretty from 'pino-pretty'

export type Log = Logger

/**
 * Structured logs on standard output, pretty on a terminal. Nothing that a caller sends and nothing of a record is
 * ever passed to it: lines name request ids, key ids and timings. The redaction is a second wall, not the first.
 */
export function createLog(level: string, terminal: boolean, fileDescriptor = 1): Log {
  const options = {
    level,
    base: null,
    redact: ['apiKey', 'apikey', 'headers', 'authorization', '*.apiKey', '*.apikey', '*.authorization', '*.headers'],
  }
  if (terminal) return pino(options, pretty({ colorize: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }))
  return pino(options, pino.destination({ dest: fileDescriptor, sync: false, minLength: 4_096, periodicFlush: 500 }))
}
