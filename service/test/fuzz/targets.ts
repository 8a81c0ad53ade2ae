import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import type { InputRow } from '../../src/batches/input/input-row.ts'
import { JsonSettings } from '../../src/batches/input/json-input.ts'
import { readInput, type InputType } from '../../src/batches/input/read-input.ts'
import { Failure } from '../../src/foundation/failure.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { lookupPaths } from '../../src/http/lookup/lookup-routes.ts'
import { PlainReader } from '../../src/http/lookup/plain-request.ts'

/** A parser of untrusted bytes. */
export interface Target {
  name: string
  /** The source files whose coverage is counted. */
  files: readonly string[]
  /** Parses a byte text. Returns what is wrong with the result, or null. */
  check(text: string): Promise<string | null>
  close(): void
}

const sentinel = 'GET /sentinel HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

/** Node must parse anything that the fast path accepts as the same single request, and then continue with the next. */
export async function plainRequests(): Promise<Target> {
  let heard: object[] = []
  const server: Server = createHttpServer(({ method, url = '', headers }, response) => {
    if (url !== '/sentinel') {
      const { 'idempotency-key': idempotencyKey, 'cache-control': cacheControl, accept } = headers
      const key = { apiKey: headers['apikey'], spendTag: headers['x-spend-tag'] }
      const path = url.replace(/^([^?]*[^/?])\/\?/, '$1?')
      heard.push({ method, url: path, idempotencyKey, cacheControl, accept, ...key })
    }
    response.end()
  }, null)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const check = async (text: string) => {
    const plain = new PlainReader().read(text, '127.0.0.1')
    if (!plain) return null
    heard = []
    const socket = connect(port, '127.0.0.1')
    socket.write(text + sentinel, 'latin1')
    const statuses = Array.from((await readAll(socket)).matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => status)
    const { idempotencyKey, cacheControl, accept, spendTag } = plain.headers
    const url = `${lookupPaths[plain.kind]}?${plain.search}`
    // Other headers than ApiKey may contain the key; Node's parser does not matter then.
    const apiKey = /^(authorization|x-api-key):/im.test(text)
      ? heard.map((one) => Reflect.get(one, 'apiKey'))[0]
      : plain.headers.apiKey
    const expected = [{ method: 'GET', url, idempotencyKey, cacheControl, accept, apiKey, spendTag }]
    const agrees = isDeepStrictEqual(heard, expected) && statuses.join() === '200,200'
    return agrees
      ? null
      : `Node read ${JSON.stringify(heard)} (${statuses.join()}), the fast path ${JSON.stringify(expected)}`
  }
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { name: 'plain requests', files: ['http/lookup/plain-request.ts'], check, close }
}

/** A body is parsed alike for any chunks, and as JSON exactly if it is JSON. The first byte selects the type. */
export function batchInput(): Target {
  const types: readonly InputType[] = ['application/json', 'text/csv', 'application/x-ndjson']
  const check = async (text: string) => {
    const type = types[text.charCodeAt(0) % 3] ?? 'application/json'
    const bytes = Buffer.from(text.slice(1), 'latin1')
    const whole = await read(type, bytes, bytes.length)
    for (const size of [1, 7])
      if (!isAlike(whole, await read(type, bytes, size))) return `${type} is read otherwise in pieces of ${size}`
    return type === 'application/json' ? compareJson(bytes, whole) : null
  }
  return {
    name: 'batch input',
    files: [
      'batches/input/json-input.ts',
      'batches/input/read-input.ts',
      'batches/input/csv-input.ts',
      'batches/input/input-row.ts',
      'contract/src/csv/csv-reader.ts',
      'contract/src/csv/csv-records.ts',
    ],
    check,
    close: () => undefined,
  }
}

type Read = { ids: InputRow[]; header: string[]; settings: [string, unknown][] } | { refused: string }

/** The reported one of several faults may depend on the chunks. */
function isAlike(one: Read, other: Read): boolean {
  return 'refused' in one ? 'refused' in other : isDeepStrictEqual(one, other)
}

async function read(type: InputType, bytes: Buffer, size: number): Promise<Read> {
  const settings = new JsonSettings(() => true)
  const ids: InputRow[] = []
  const header: string[] = []
  const mapping = { column: null, map: new Map<string, string>(), kind: null }
  async function* cut() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  try {
    for await (const id of readInput({ type, bytes: cut(), mapping, settings, header })) ids.push(id)
    return { ids, header, settings: [...settings.values] }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { refused: error.message }
  }
}

/** Compares with JSON.parse, except for intentional refusals: repeated names, too long values, NUL. */
function compareJson(bytes: Buffer, whole: Read): string | null {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return 'refused' in whole ? null : 'what JSON.parse refuses was accepted'
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if ('refused' in whole)
    return isObject && /not valid JSON|in the middle|not a JSON object/.test(whole.refused)
      ? `refused: ${whole.refused}`
      : null
  const ids: unknown = isObject ? Reflect.get(value as object, 'ids') : undefined
  const count = Array.isArray(ids) ? ids.length : 0
  return isObject && count === whole.ids.length ? null : `JSON.parse has ${count} ids, the reader ${whole.ids.length}`
}
