import { ProviderFault } from '@vitae/provider'

/** The request never reached the provider, so there is nothing to bill. */
export class NotSent extends ProviderFault {}

/** Plain words for error codes of the system, TLS and the HTTP client. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed before the answer was complete',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be looked up (DNS)',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  EMFILE: 'too many open files here',
  CERT_HAS_EXPIRED: 'TLS: certificate expired',
  CERT_NOT_YET_VALID: 'TLS: certificate not valid yet',
  CERT_REVOKED: 'TLS: certificate revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS: self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'TLS: self-signed certificate in the chain',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS: certificate of an unknown issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'TLS: certificate of an unknown issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'TLS: certificate of an unknown issuer',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: certificate for another host',
  EPROTO: 'TLS: handshake failed',
}

/** Why a provider could not be reached, in words; `code` is the error's own code. */
export function connectionReason(code: string): string {
  return (
    reasons[code] ?? (code.startsWith('ERR_SSL_') ? `TLS: handshake failed (${code})` : `connection failed (${code})`)
  )
}

const cutOff = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET'])

/**
 * Whether an error shows that no request was sent: its code is listed above and does not come from an open connection.
 */
export function isUnsent(code: string): boolean {
  return (code in reasons && !cutOff.has(code)) || code.startsWith('ERR_SSL_')
}
