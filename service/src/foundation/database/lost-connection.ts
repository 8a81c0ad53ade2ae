/** Codes of Node's sockets, of PostgreSQL's SQLSTATE, and of its classes: the statement may or may not have been done. */
const socketCodes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
const stateCodes = new Set(['40001', '40P01', '25P03', '53300', '57014', '57P01', '57P02', '57P03', '57P05'])
const connectionClass = /^08[0-9A-Z]{3}$/
/** The driver gives these no code. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered)/

/** Whether the store could not be reached, or not be heard: then, and only then, asking once more may help. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return socketCodes.has(code) || stateCodes.has(code) || connectionClass.test(code) || messages.test(error.message)
}
