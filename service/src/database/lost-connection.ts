/** PostgreSQL's SQLSTATE for a lock that did not come in time, and for a statement that was cancelled. */
const lockNotAvailable = '55P03'
const queryCanceled = '57014'

/** Codes of Node's sockets: before and after a connection stood. */
const unreached = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT']
const broken = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT']
/** PostgreSQL's SQLSTATE: it takes no one in now, or has too many. */
const turnedAway = ['53300', '57P03']
/** Conflicts, shutdowns, timeouts, and a standby that was a primary before: all of them undone, or not known. */
const interrupted = ['40001', '40P01', '25P03', '25006', queryCanceled, '57P01', '57P02', '57P05']
/** PostgreSQL's disk is full or cannot be read or written. */
const diskCodes = new Set(['53100', '58030'])
const connectionClass = /^08[0-9A-Z]{3}$/
/** The driver gives these no code. */
const noConnection = /^timeout exceeded when trying to connect/
const noAnswer = /^(Connection terminated|Query read timeout|Client has encountered|Client was closed)/

const lostCodes = new Set([...unreached, ...broken, ...turnedAway, ...interrupted])
const notSentCodes = new Set([...unreached, ...turnedAway])

/** Whether the store could not be reached, or not be heard: then, and only then, asking once more may help. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (lostCodes.has(code) || connectionClass.test(code)) return true
  return noConnection.test(error.message) || noAnswer.test(error.message)
}

/** Whether another transaction kept a lock for longer than we wait for one. The transaction that waited was undone whole. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === lockNotAvailable
}

/** The same as an error of our own. */
export function lockTimeout(message: string, cause: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: lockNotAvailable })
}

/** Whether the disk of PostgreSQL kept it from doing what it was told. Nothing was done then. */
export function isServerDiskError(error: unknown): boolean {
  return error instanceof Error && diskCodes.has(codeOf(error))
}

/** Whether a statement ran for longer than it may. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === queryCanceled
}

/** Whether nothing can have been done, because there was never a connection to do it over. */
export function wasNeverSent(error: unknown): boolean {
  return error instanceof Error && (notSentCodes.has(codeOf(error)) || noConnection.test(error.message))
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
