import { Agent, type Dispatcher, errors } from 'undici'
import type { Clock } from '../../foundation/clock.ts'
import { connectionReason, isUnsent, NotSent } from './connection-reason.ts'
import { exchange } from './exchange.ts'
import { tracingHeaders } from '../../foundation/tracing.ts'
import { ProviderFault, type RawAnswer, tooSlow, type WireRequest } from '@vitae/provider'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'

/** One exchange, with a shorter limit if the caller has less time left. */
export type Exchange = (request: WireRequest, signal: AbortSignal, limitMs?: number) => Promise<RawAnswer>

export interface TransportOptions {
  /** The name in messages; never an address or a key. */
  provider: string
  /** From the first packet to the last byte of the body, so that a slow trickle ends too. */
  attemptTimeoutMs: number
  /** Limit for the body, both compressed and decompressed. */
  maxBytes: number
  /** The only origins that it connects to. */
  origins: readonly string[]
  clock: Clock
  dispatcher: Dispatcher
}

/** The connections to all providers. Certificates are always verified, whatever the process environment says. */
export function openConnections(connectTimeoutMs = 5_000): Agent {
  return new Agent({
    connect: { timeout: connectTimeoutMs, rejectUnauthorized: true },
    keepAliveTimeout: 10_000,
    allowH2: false,
  })
}

/** One HTTP exchange, limited in time, size and origin. Redirects are not followed. Throws only `ProviderFault`. */
export function createTransport(options: TransportOptions): Exchange {
  const { provider } = options
  const origins = new Set(options.origins.map((origin) => new URL(origin).origin))

  return async (request, signal, limitMs = Infinity) => {
    if (!origins.has(request.url.origin)) {
      throw new ProviderFault('invalid', `${provider} may not be asked outside its configured address`)
    }
    const answer = await once(options, request, signal, limitMs)
    if (answer.status >= 300 && answer.status < 400) {
      throw new ProviderFault('invalid', `${provider} answered with a redirect (${answer.status})`, {
        answer,
        reason: `HTTP ${answer.status}, a redirect`,
      })
    }
    return answer
  }
}

async function once(
  options: TransportOptions,
  { method, url, headers, body }: WireRequest,
  signal: AbortSignal,
  limitMs: number,
): Promise<RawAnswer> {
  const { provider, attemptTimeoutMs, maxBytes } = options
  try {
    const wired = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { 'user-agent': 'vitae', 'accept-encoding': acceptEncoding, ...tracingHeaders(), ...headers },
      body: body ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
    }
    const ms = Math.min(attemptTimeoutMs, limitMs)
    const received = await exchange(options.dispatcher, wired, {
      limitMs: ms,
      maxBytes,
      signal,
      tooLate: () => tooSlow(provider, ms),
      tooLarge: () => new ProviderFault('invalid', `${provider} sent more than ${maxBytes} bytes`),
    })
    const receivedAt = options.clock.now()
    const encoding = received.headers['content-encoding']
    if (encoding === undefined) return { ...received, receivedAt }
    return { ...received, body: await unpack(options, encoding, received.body), receivedAt }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error instanceof ProviderFault ? error : transportFault(provider, error)
  }
}

async function unpack(
  { provider, maxBytes }: TransportOptions,
  encoding: string,
  body: Uint8Array,
): Promise<Uint8Array> {
  try {
    return await decodeBody(encoding, body, maxBytes)
  } catch {
    throw new ProviderFault('invalid', `${provider} sent a body that does not unpack within ${maxBytes} bytes`)
  }
}

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const

/** The encodings that we accept. */
const acceptEncoding = 'gzip, br'

/** Decompresses a body; one that expands beyond `maxBytes` is aborted while it is decompressed. */
async function decodeBody(encoding: string | undefined, body: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? 'identity'
  if (name === 'identity' || name === '') return body
  if (!isKnown(name)) throw new Error('unknown content encoding')
  const decoded = await decoders[name](body, { maxOutputLength: maxBytes })
  return new Uint8Array(decoded)
}

function isKnown(name: string): name is keyof typeof decoders {
  return Object.hasOwn(decoders, name)
}

const timeouts = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'])
const unusable = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED'])

/**
 * The fault for an error of the HTTP client. The error is not kept as the cause, because its text may contain the
 * address or received bytes, which must not appear in a log.
 */
function transportFault(provider: string, error: unknown): ProviderFault {
  const code = codeOf(error)
  const reason = connectionReason(code)
  const Fault = isUnsent(code) ? NotSent : ProviderFault
  if (timeouts.has(code)) return new Fault('timeout', `${provider} did not answer in time (${code})`, { reason })
  if (error instanceof errors.HTTPParserError || unusable.has(code)) {
    return new ProviderFault('invalid', `${provider} cannot be spoken to in HTTP (${code})`, {
      reason: `no HTTP (${code})`,
    })
  }
  return new Fault('unavailable', `${provider} could not be reached (${code})`, { reason })
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'unknown'
}
