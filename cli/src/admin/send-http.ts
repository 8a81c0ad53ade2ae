import type { IncomingMessage, RequestOptions } from 'node:http'
import type * as https from 'node:https'
import type { Readable } from 'node:stream'

export interface HttpRequest {
  method: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
}

/** A response. The body must be read to the end, or resumed. */
export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: Readable
}

/**
 * Sends one request. `fetch` would take as long to load as the command itself, and importing the HTTP modules would
 * load it too.
 */
export async function sendHttp(address: string, wish: HttpRequest): Promise<HttpAnswer> {
  const body = await firstByte(address, wish)
  const texts = Object.entries(body.headers).map(([name, value]) => [name, String(value)])
  return { status: body.statusCode ?? 0, headers: Object.fromEntries(texts) as Record<string, string>, body }
}

function firstByte(address: string, { method, headers, body, signal }: HttpRequest): Promise<IncomingMessage> {
  const name = address.startsWith('https:') ? 'node:https' : 'node:http'
  const { request } = process.getBuiltinModule(name) as typeof https
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const options: RequestOptions = { method, headers: { ...headers, ...length }, ...(signal ? { signal } : {}) }
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(signal?.aborted && signal.reason instanceof Error ? signal.reason : error)
    request(address, options).on('response', resolve).on('error', fail).end(body)
  })
}
