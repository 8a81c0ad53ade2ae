/** PostgreSQL's SQLSTATE for a lock timeout and for a cancelled statement. */
const lockNotAvailable = '55P03'
const queryCanceled = '57014'

/** Codes of Node's sockets: before and after a connection was established. */
const unreached = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT']
const broken = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT']
/** PostgreSQL's SQLSTATE for a server that is starting or stopping, or has too many connections. */
const turnedAway = ['53300', '57P03']
/**
 * Conflicts, shutdowns, timeouts, and a primary that became a standby: the work was undone, or its result is unknown.
 */
const interrupted = ['40001', '40P01', '25P03', '25006', queryCanceled, '57P01', '57P02', '57P05']
/** PostgreSQL's disk is full or cannot be read or written. */
const diskCodes = new Set(['53100', '58030'])
const connectionClass = /^08[0-9A-Z]{3}$/
/** The driver sets no code for these. */
const noConnection = /^timeout exceeded when trying to connect/
const noAnswer = /^(Connection terminated|Query read timeout|Client has encountered|Client was closed)/

const lostCodes = new Set([...unreached, ...broken, ...turnedAway, ...interrupted])
const notSentCodes = new Set([...unreached, ...turnedAway])

/** Whether the store could not be reached or did not answer: only then can a retry help. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (lostCodes.has(code) || connectionClass.test(code)) return true
  return noConnection.test(error.message) || noAnswer.test(error.message)
}

/** Whether another transaction held a lock for longer than we wait. The waiting transaction was fully undone. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === lockNotAvailable
}

/** The same as our own error. */
export function lockTimeout(message: string, cause: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: lockNotAvailable })
}

/** Whether PostgreSQL's disk prevented the work. Nothing was done then. */
export function isServerDiskError(error: unknown): boolean {
  return error instanceof Error && diskCodes.has(codeOf(error))
}

/** Whether a statement exceeded its time limit. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === queryCanceled
}

/** Whether nothing can have been done, because there was never a connection. */
export function wasNeverSent(error: unknown): boolean {
  return error instanceof Error && (notSentCodes.has(codeOf(error)) || noConnection.test(error.message))
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
