import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AdminAnswer, AdminOperationId, AdminOperations } from '@vitae/contract/admin'
import { readSecret } from '@vitae/service/secret'
import type { InProcess } from '@vitae/service/in-process'
import { checkKey, CommandError, noVitae, warnOfRoot } from '../command-error.ts'
import { queryText } from './query-text.ts'
import { sendHttp, type HttpAnswer, type HttpRequest } from './send-http.ts'
import { refuseSilent, watchService } from './watch-service.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface Reply {
  status: number
  headers: Record<string, string>
  body: Buffer
}

export interface Extra {
  headers?: Record<string, string>
  /** Called with each line of the response as it arrives. */
  onLine?: (line: string) => void
}

/** The route of an admin operation, such as `GET /keys/:id`. */
export type AdminRoute = AdminOperations[AdminOperationId]['route']

type OperationAt<Route extends AdminRoute> = {
  [Id in AdminOperationId]: AdminOperations[Id]['route'] extends Route ? Id : never
}[AdminOperationId]

/** The JSON response of an operation, by its route. */
export type AnswerTo<Route extends AdminRoute> = AdminAnswer<OperationAt<Route>>

export interface Asked {
  /** The path parameters, in order. */
  params?: readonly string[]
  query?: Parameters<typeof queryText>[0]
  body?: unknown
}

/** A client of the admin API: of a remote service, a local one, or this process. */
export interface AdminClient {
  /** The URL of the service; null for this process. */
  url: string | null
  /** Sends one admin operation, by its route below `/admin/v1`, and returns its JSON. */
  ask<Route extends AdminRoute>(route: Route, asked?: Asked): Promise<AnswerTo<Route>>
  /** Sends one admin request and returns its JSON. A failure becomes a `CommandError` with the service's message. */
  json<T>(method: Method, path: string, body?: unknown, extra?: Extra): Promise<T>
  /** The same, for other media types. */
  bytes(method: Method, path: string, body?: unknown, extra?: Extra): Promise<Buffer>
  /** The same, with the response headers. */
  reply(method: Method, path: string, body?: unknown, extra?: Extra): Promise<Reply>
  /** Sends one request with only these headers, and returns any response. */
  plain(path: string, headers: Record<string, string>, body?: object): Promise<Reply>
  close(): Promise<void>
}

export interface Request {
  method: Method
  path: string
  headers: Record<string, string>
  /** Whether to send the admin token; calls with an API key do not need it. */
  asAdmin: boolean
  body?: string
  onChunk?: (chunk: Buffer) => void
}

type Send = (request: Request) => Promise<Reply>

/** Finds the service: `--url` or VITAE_URL, else the service that runs on the data folder, else opens the store itself. */
export async function openAdmin(options: { url?: string | undefined }): Promise<AdminClient> {
  return (await openRunning(options)) ?? inProcess(dataDirOf())
}

/** Finds a running service in the same way; null if none runs. Never opens the store. */
export async function openRunning(options: { url?: string | undefined }): Promise<AdminClient | null> {
  const remote = remoteOf(options)
  const dataDir = dataDirOf()
  const running = await findRunning(dataDir)
  if (remote && !(running && isSameLocal(remote, running))) return overHttp(remote, () => ownToken() ?? missingToken())
  return running === null ? null : overHttp(running, () => ownToken() ?? tokenOf(dataDir))
}

/** Whether a URL is the service that runs on the data folder. That folder holds its token. */
function isSameLocal(url: string, running: string): boolean {
  const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/
  const [asked, local] = [URL.parse(url), URL.parse(running)]
  return asked?.protocol === 'http:' && loopback.test(asked.hostname) && asked.port === local?.port
}

/** The URL of the service for calls with an API key, or the default URL if none runs. Fails if nothing answers there. */
export async function findServiceUrl(options: { url?: string | undefined; mayStartLater?: boolean }): Promise<string> {
  const url = remoteOf(options) ?? (await findRunning(dataDirOf())) ?? 'http://127.0.0.1:8080'
  await refuseSilent(url, options)
  return url
}

function remoteOf({ url }: { url?: string | undefined }): string | undefined {
  return url ?? (process.env['VITAE_URL'] || undefined)
}

function dataDirOf(): string {
  return resolve(process.env['VITAE_DATA_DIR'] || './data')
}

async function findRunning(dataDir: string): Promise<string | null> {
  const file = join(dataDir, 'service.json')
  if (!existsSync(file)) return null
  let url: string | null = null
  try {
    url = (JSON.parse(readFileSync(file, 'utf8')) as { url: string }).url
    const signal = AbortSignal.timeout(2_000)
    const { status, body } = await sendHttp(`${url}/healthz`, { method: 'GET', headers: {}, signal })
    body.on('error', () => undefined).resume()
    return status === 200 ? url : null
  } catch (error) {
    // A slow service still owns the folder. A killed one leaves the file behind, and its connection is refused.
    return (error as Error).name === 'TimeoutError' ? url : null
  }
}

/** A client over HTTP. It reads the token when first needed. */
function overHttp(url: string, token: () => string): AdminClient {
  const base = url.replace(/\/+$/, '')
  const send: Send = async ({ method, path, headers: own, body, onChunk, asAdmin }) => {
    const headers = { ...(asAdmin ? bearer(token()) : {}), ...own }
    const watch = watchService(base)
    try {
      const request = { method, headers, signal: watch.signal, ...(body === undefined ? {} : { body }) }
      const response = await reach(`${base}${path}`, base, request)
      const chunks: Buffer[] = []
      for await (const chunk of response.body) {
        watch.heard()
        const piece = Buffer.from(chunk as Uint8Array)
        onChunk?.(piece)
        chunks.push(piece)
      }
      return { status: response.status, headers: response.headers, body: Buffer.concat(chunks) }
    } catch (error) {
      throw watch.signal.aborted ? watch.signal.reason : error
    } finally {
      watch.end()
    }
  }
  return { ...client(base, send), close: async () => undefined }
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

async function reach(address: string, base: string, request: HttpRequest): Promise<HttpAnswer> {
  const answer = await sendHttp(address, request).catch((error: unknown) => {
    if (request.signal?.aborted) throw error
    throw noVitae(base, error)
  })
  // Never follow a redirect: the token would go to another host.
  const { location } = answer.headers
  if (answer.status >= 300 && answer.status < 400 && location !== undefined)
    throw new CommandError(`${base} redirects to ${new URL(location, address).origin}: use that address.`)
  return answer
}

/** A client that opens the store at its first request. A read never creates a store. */
function inProcess(dataDir: string): AdminClient {
  let opened: Promise<InProcess> | null = null
  const send: Send = async ({ asAdmin, headers: own, ...request }) => {
    opened ??= openStore(dataDir, { create: !isRead(request) })
    const service = await opened
    const headers = { ...(asAdmin ? bearer(service.ownerToken) : {}), ...own }
    const answer = await service.request({ ...request, headers })
    const texts = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), String(value)])
    return { status: answer.status, headers: Object.fromEntries(texts) as Record<string, string>, body: answer.body }
  }
  const close = async () => {
    const service = await opened?.catch(() => null)
    await service?.close()
  }
  return { ...client(null, send), close }
}

async function openStore(dataDir: string, wish: { create: boolean }): Promise<InProcess> {
  const { openInProcess } = await import('@vitae/service/in-process')
  const isNew = !existsSync(dataDir)
  const service = await openInProcess(wish)
  if (isNew) warnOfRoot(dataDir)
  return service
}

/** Whether a request only reads. Checks use POST, because id lists and price books are too long for a URL. */
function isRead({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return method === 'GET' || path.endsWith('/check')
}

function client(url: string | null, send: Send): Omit<AdminClient, 'close'> {
  const reply = async (method: Method, path: string, body?: unknown, extra: Extra = {}) => {
    const headers: Record<string, string> = { ...extra.headers }
    if (body !== undefined) headers['content-type'] = 'application/json'
    const answer = await send({
      asAdmin: true,
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(extra.onLine ? { onChunk: byLine(extra.onLine) } : {}),
    })
    if (answer.status >= 400) throw failed(answer)
    return answer
  }
  const json = async <T>(method: Method, path: string, body?: unknown, extra?: Extra) =>
    JSON.parse((await reply(method, path, body, extra)).body.toString()) as T
  return {
    url,
    reply,
    bytes: async (method, path, body, extra) => (await reply(method, path, body, extra)).body,
    json,
    ask: (route, asked) => json(...addressOf(route, asked)),
    plain: (path, headers, body) =>
      body === undefined
        ? send({ asAdmin: false, method: 'GET', path, headers })
        : send({
            asAdmin: false,
            method: 'POST',
            path,
            headers: { ...headers, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }),
  }
}

/** The method, the path and the body of a request. */
export function addressOf(route: AdminRoute, { params = [], query = {}, body }: Asked = {}): [Method, string, unknown] {
  const [method, path] = route.split(' ', 2) as [Method, string]
  const left = [...params]
  const filled = path.replaceAll(/:\w+/g, () => encodeURIComponent(left.shift() ?? ''))
  return [method, `/admin/v1${filled}${queryText(query)}`, body]
}

/** Splits a byte stream into lines, and keeps an incomplete line until its rest arrives. */
function byLine(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest = ''
  return (chunk) => {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  }
}

type Problem = { detail?: string; hint?: string; code?: string; request_id?: string; errors?: CommandError['errors'] }

/** Turns a refused request into an error with the service's message. */
export function failed({ status, body }: Reply): CommandError {
  const text = body.toString()
  try {
    const problem = JSON.parse(text) as Problem
    const reference = status >= 500 ? ` (request ${problem.request_id})` : ''
    const { code = null, errors = [], hint } = problem
    return new CommandError(`${problem.detail ?? text}${hint ? ` ${hint}` : ''}${reference}`, { code, errors })
  } catch {
    const advice = status === 401 ? `. ${checkKey}` : ''
    return new CommandError(`The service answered ${status}: ${text.slice(0, 200)}${advice}`, {
      code: text.slice(0, 100),
    })
  }
}

function ownToken(): string | null {
  return readSecret(process.env, 'VITAE_ADMIN_TOKEN')
}

function tokenOf(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()
  } catch (error) {
    throw new CommandError(
      `The admin token of the running service cannot be read in ${dataDir}. Set VITAE_ADMIN_TOKEN.`,
      { cause: error },
    )
  }
}

function missingToken(): never {
  throw new CommandError('VITAE_ADMIN_TOKEN is not set: a service at a URL is reached with its admin token.')
}
