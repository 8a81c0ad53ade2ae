import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import { RefusedTarget, resolveTarget, type Resolve } from './resolve-target.ts'
import type { TargetRules } from './target-addresses.ts'

// A static import would evaluate a getter that loads an HTTP client at every start.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http')

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
  /** Without them, each request has a connection of its own. */
  kept?: KeptConnections
}

/** Connections that wait for the next event: a handshake costs more than a delivery. */
export type KeptConnections = Record<'http:' | 'https:', Agent>

// Many servers close idle connections after 5 seconds.
const keptMs = 4_000

/** Keeps connections to receivers for a few seconds. */
export function keepConnections(): KeptConnections {
  const options = { keepAlive: true, timeout: keptMs }
  return { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) }
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
 * Sends one POST. The host's addresses are resolved and checked each time, and the connection leads to a checked one.
 * Redirects are not followed, and the total time is at most 15 seconds. It never throws.
 */
export async function post(deps: PostDeps, { url, headers, body }: Post, stop?: AbortSignal): Promise<PostResult> {
  const late = AbortSignal.timeout(totalMs)
  const signal = stop ? AbortSignal.any([late, stop]) : late
  try {
    const target = new URL(url)
    const addresses = await withSignal(resolveTarget(target, deps.rules, deps.resolve, signal), signal)
    const response = await sendAgain(deps.kept, { url: target, addresses, headers, body, signal })
    const answer = await readAnswer(response, signal)
    const status = response.statusCode ?? 0
    return { outcome: status >= 200 && status < 300 ? 'delivered' : 'failed', status, answer }
  } catch (error) {
    const outcome = error instanceof RefusedTarget ? 'refused' : 'failed'
    return { outcome, status: null, answer: late.aborted ? `no answer within ${totalMs / 1_000} s` : reasonOf(error) }
  }
}

interface Request {
  url: URL
  addresses: readonly string[]
  headers: Record<string, string>
  body: string
  signal: AbortSignal
}

/** A kept connection may have ended, or lead to an address that the name no longer has: then a new one is tried. */
async function sendAgain(kept: KeptConnections | undefined, request: Request): Promise<IncomingMessage> {
  const agent = kept?.[request.url.protocol as keyof KeptConnections] ?? false
  let isReused = false
  try {
    return await send(request, agent, () => (isReused = true))
  } catch (error) {
    if (!isReused || request.signal.aborted) throw error
    return send(request, false)
  }
}

function send(
  { url, addresses, headers, body, signal }: Request,
  agent: Agent | false,
  onReuse?: () => void,
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
    const options = { method: 'POST', headers: { ...headers, 'content-length': length }, agent, lookup, signal }
    const request: ClientRequest = secure ? httpsRequest(url, options) : httpRequest(url, options)
    request.on('socket', (socket) => {
      const check = () => {
        if (!addresses.includes(socket.remoteAddress ?? '')) socket.destroy(new RefusedTarget('connected elsewhere'))
      }
      if (request.reusedSocket) {
        onReuse?.()
        check()
      } else socket.on('connect', check)
    })
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
