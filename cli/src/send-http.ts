import type { IncomingMessage, RequestOptions } from 'node:http'
import type * as https from 'node:https'
import { Readable } from 'node:stream'

export interface HttpRequest {
  method: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
}

/** Its body has to be read to the end, or resumed. */
export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: Readable
}

/**
 * Sends one request. Not with `fetch`, which takes as long to load as the command itself: it is asked where the answer leads
 * elsewhere. The modules are not imported, because that would load it too.
 */
export async function sendHttp(address: string, wish: HttpRequest): Promise<HttpAnswer> {
  const answer = await firstAnswer(address, wish)
  const { statusCode: status = 0, headers } = answer
  if (status < 300 || status >= 400 || headers.location === undefined)
    return { status, headers: Object.fromEntries(textsOf(headers)), body: answer }
  answer.resume()
  const followed = await fetch(address, wish)
  const body = followed.body ? Readable.fromWeb(followed.body) : Readable.from([])
  return { status: followed.status, headers: Object.fromEntries(followed.headers), body }
}

function firstAnswer(address: string, { method, headers, body, signal }: HttpRequest): Promise<IncomingMessage> {
  const name = address.startsWith('https:') ? 'node:https' : 'node:http'
  const { request } = process.getBuiltinModule(name) as typeof https
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const options: RequestOptions = { method, headers: { ...headers, ...length }, ...(signal ? { signal } : {}) }
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(signal?.aborted && signal.reason instanceof Error ? signal.reason : error)
    request(address, options).on('response', resolve).on('error', fail).end(body)
  })
}

function textsOf(headers: IncomingMessage['headers']): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name, String(value)])
}
