import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import { RefusedTarget, resolveTarget, type Resolve } from './resolve-target.ts'
import type { TargetRules } from './target-addresses.ts'

// A static import would evaluate a getter that loads an HTTP client at every start.
const { request: httpRequest } = process.getBuiltinModule('node:http')

/** The result of one request to a receiver. */
export interface PostResult {
  outcome: 'delivered' | 'failed' | 'refused'
  /** The receiver's status; null if there was no answer. */
  status: number | null
  /** The beginning of its answer, or what went wrong. */
  answer: string
}

export interface PostDeps {
  rules: TargetRules
  resolve: Resolve
}

interface Post {
  url: string
  headers: Record<string, string>
  body: string
}

const totalMs = 15_000
const answerBytes = 65_536
/** How much of the answer is stored for the operator. */
const keptCharacters = 2_000

/**
 * Sends one POST. The host's addresses are resolved and checked each time, and the connection uses only a checked one.
 * Redirects are not followed, and the total time is at most 15 seconds. It never throws.
 */
export async function post(deps: PostDeps, { url, headers, body }: Post, stop?: AbortSignal): Promise<PostResult> {
  const late = AbortSignal.timeout(totalMs)
  const signal = stop ? AbortSignal.any([late, stop]) : late
  try {
    const target = new URL(url)
    const addresses = await withSignal(resolveTarget(target, deps.rules, deps.resolve, signal), signal)
    const response = await send(target, addresses, headers, body, signal)
    const answer = await readAnswer(response, signal)
    const status = response.statusCode ?? 0
    return { outcome: status >= 200 && status < 300 ? 'delivered' : 'failed', status, answer }
  } catch (error) {
    const outcome = error instanceof RefusedTarget ? 'refused' : 'failed'
    return { outcome, status: null, answer: late.aborted ? `no answer within ${totalMs / 1_000} s` : reasonOf(error) }
  }
}

function send(
  url: URL,
  addresses: readonly string[],
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:'
  const checked = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  // The name is not resolved again, because the result may differ from the checked one. The answer comes in a later
  // turn, as from a name server: otherwise a connection that fails at once would fail before anyone listens, and end
  // the process.
  const lookup: LookupFunction = (_name, { all }, done) => {
    const [first] = checked
    setImmediate(() => (all ? done(null, checked) : done(null, first?.address ?? '', first?.family)))
  }
  const length = String(Buffer.byteLength(body))
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: { ...headers, 'content-length': length }, agent: false, lookup, signal }
    const request: ClientRequest = secure ? httpsRequest(url, options) : httpRequest(url, options)
    request.on('socket', (socket) =>
      socket.on('connect', () => {
        if (!addresses.includes(socket.remoteAddress ?? '')) socket.destroy(new RefusedTarget('connected elsewhere'))
      }),
    )
    request.on('error', reject)
    request.on('response', resolve)
    request.end(body)
  })
}

async function readAnswer(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of response) {
      parts.push(part)
      if ((size += part.length) >= answerBytes) break
    }
  } catch (error) {
    // Only the status decides. Of an interrupted answer the log shows what has arrived.
    signal.throwIfAborted()
    if (parts.length === 0) return reasonOf(error)
  }
  return clean(Buffer.concat(parts).subarray(0, answerBytes).toString('utf8'))
}

/** Text that every database can store: no NUL, no half of a surrogate pair. */
function clean(text: string): string {
  return text.replaceAll('\0', '').slice(0, keptCharacters).toWellFormed()
}

function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed'
  const code = 'code' in error ? String(error.code) : ''
  return clean(error.message || code || error.name)
}
