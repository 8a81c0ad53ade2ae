import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CommandError } from './command-error.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** The admin API, wherever it is: a running service, a remote one, or this process itself. */
export interface AdminClient {
  /** Sends one request and gives the answer's JSON; a failure becomes a `CommandError` with the service's own words. */
  json<T>(method: Method, path: string, body?: unknown): Promise<T>
  /** The same, for answers that are not JSON. */
  bytes(method: Method, path: string, body?: unknown): Promise<Buffer>
  close(): Promise<void>
}

interface Reply {
  status: number
  body: Buffer
}

type Send = (method: Method, path: string, headers: Record<string, string>, body: string | undefined) => Promise<Reply>

/** Finds the admin API: `--url` or VITAE_URL, else the service that runs on the data folder, else the store itself. */
export async function openAdmin(options: { url?: string | undefined }): Promise<AdminClient> {
  const remote = options.url ?? process.env['VITAE_URL']
  if (remote) return overHttp(remote, ownToken() ?? missingToken())
  const dataDir = resolve(process.env['VITAE_DATA_DIR'] || './data')
  const running = await findRunning(dataDir)
  if (running) return overHttp(running, ownToken() ?? tokenOf(dataDir))
  return inProcess()
}

async function findRunning(dataDir: string): Promise<string | null> {
  const file = join(dataDir, 'service.json')
  if (!existsSync(file)) return null
  try {
    const { url } = JSON.parse(readFileSync(file, 'utf8')) as { url: string }
    const health = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) })
    return health.ok ? url : null
  } catch {
    // The file outlives a service that was killed; then nobody answers and the store is free.
    return null
  }
}

function overHttp(url: string, token: string): AdminClient {
  const base = url.replace(/\/+$/, '')
  return client(token, async (method, path, headers, body) => {
    try {
      const response = await fetch(`${base}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
      return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
    } catch (error) {
      throw new CommandError(`No Vitae answers at ${base}. Is it running? "vitae serve" starts one.`, { cause: error })
    }
  })
}

async function inProcess(): Promise<AdminClient> {
  const { openInProcess } = await import('@vitae/service/in-process')
  const house = await openInProcess()
  const send: Send = (method, path, headers, body) =>
    house.request({ method, path, headers, ...(body === undefined ? {} : { body }) })
  return { ...client(house.ownerToken, send), close: () => house.close() }
}

function client(token: string, send: Send): AdminClient {
  const bytes = async (method: Method, path: string, body?: unknown) => {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` }
    if (body !== undefined) headers['content-type'] = 'application/json'
    const reply = await send(method, path, headers, body === undefined ? undefined : JSON.stringify(body))
    if (reply.status >= 400) throw failed(reply)
    return reply.body
  }
  return {
    bytes,
    json: async <T>(method: Method, path: string, body?: unknown) =>
      JSON.parse((await bytes(method, path, body)).toString()) as T,
    close: async () => undefined,
  }
}

function failed({ status, body }: Reply): CommandError {
  const text = body.toString()
  try {
    const problem = JSON.parse(text) as { detail?: string; code?: string; request_id?: string }
    const reference = status >= 500 ? ` (request ${problem.request_id})` : ''
    return new CommandError(`${problem.detail ?? text}${reference}`, { code: problem.code ?? null })
  } catch {
    return new CommandError(`The service answered ${status}: ${text.slice(0, 200)}`)
  }
}

function ownToken(): string | null {
  return process.env['VITAE_ADMIN_TOKEN'] || null
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
