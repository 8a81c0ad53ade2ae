import { errors } from 'undici'
import { ProviderFault } from '../chain/provider-fault.ts'

const timeouts = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'])
const unusable = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED'])

/**
 * The fault behind an error of the HTTP client. The error itself is not kept as the cause: its text may hold the
 * address, the parser's holds the bytes, and neither is anybody's to read in a log.
 */
export function transportFault(provider: string, error: unknown): ProviderFault {
  const code = codeOf(error)
  if (timeouts.has(code)) return new ProviderFault('timeout', `${provider} did not answer in time (${code})`)
  if (error instanceof errors.HTTPParserError || unusable.has(code)) {
    return new ProviderFault('invalid', `${provider} cannot be spoken to in HTTP (${code})`)
  }
  return new ProviderFault('unavailable', `${provider} could not be reached (${code})`)
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'unknown'
}
