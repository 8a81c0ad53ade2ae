import type { Kind } from '@vitae/contract'
import { codingIn } from '../../foundation/compress.ts'
import { keyIn } from './caller-headers.ts'
import type { LookupHeaders, LookupRequest } from '../exchange/lookup-request.ts'
import { lookupPaths } from './lookup-routes.ts'

const starts: readonly [start: string, kind: Kind][] = [
  [`GET ${lookupPaths.people}?`, 'people'],
  [`GET ${lookupPaths.companies}?`, 'companies'],
  [`GET ${lookupPaths.people}/?`, 'people'],
  [`GET ${lookupPaths.companies}/?`, 'companies'],
]
const lineEnd = ' HTTP/1.1\r\n'
const plainSearch = /^[\w\-.~%&=+:/@,;!*'()$]*$/
// A plain request needs far fewer lines than Node's own limit.
const linesAtMost = 100
const plainLine = /^([!#$%&'*+.^_`|~\w-]+): ?([!-~](?:[ -~]*[!-~])?|)$/

/** Headers that announce a body, another protocol or the end of the connection. */
const unplain = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/*
 * Two parsers of one protocol are safe only if they cannot disagree. So this one accepts a single unambiguous form. For
 * everything else it returns null, and Node's parser reads the request from its first byte.
 */

/** Reads plain requests of one connection: a single whole GET without a body, on a connection that stays open. */
export class PlainReader {
  // A connection repeats its headers, so they are parsed only when they change.
  #headText = ''
  #headers: LookupHeaders | null = null

  /** Reads the bytes of a request, as Latin-1; null = not plain. */
  read(text: string, peer: string): LookupRequest | null {
    for (const [start, kind] of starts) {
      if (!text.startsWith(start)) continue
      const end = text.indexOf(lineEnd, start.length)
      const search = text.slice(start.length, end)
      if (end < 0 || !plainSearch.test(search)) return null
      const headers = this.#readHeaders(text, end + lineEnd.length)
      return headers && { kind, search, headers, peer }
    }
    return null
  }

  #readHeaders(text: string, from: number): LookupHeaders | null {
    const before = this.#headText
    if (text.length - from === before.length && text.endsWith(before)) return this.#headers
    const headText = text.slice(from)
    if (headText.indexOf('\r\n\r\n') !== headText.length - 4) return null
    this.#headText = headText
    this.#headers = readPlainHeaders(headText)
    return this.#headers
  }
}

/** Whether the text may be the beginning of a plain request. */
export function beginsPlainly(text: string): boolean {
  return starts.some(([start]) => text.startsWith(start)) && !text.includes('\r\n\r\n')
}

/** Reads the header lines of a plain request; null = not plain. */
function readPlainHeaders(headText: string): LookupHeaders | null {
  const values = new Map<string, string>()
  const lines = headText.slice(0, -4).split('\r\n')
  if (lines.length > linesAtMost) return null
  for (const line of lines) {
    const [, name, value] = plainLine.exec(line) ?? []
    if (name === undefined || value === undefined) return null
    const lower = name.toLowerCase()
    if (values.has(lower)) return null
    if (unplain.has(lower) && !(lower === 'connection' && value.toLowerCase() === 'keep-alive')) return null
    values.set(lower, value)
  }
  if (!values.get('host')) return null
  return {
    apiKey: keyIn({
      apiKey: values.get('apikey'),
      authorization: values.get('authorization'),
      xApiKey: values.get('x-api-key'),
    }),
    idempotencyKey: values.get('idempotency-key'),
    spendTag: values.get('x-spend-tag'),
    cacheControl: values.get('cache-control'),
    forwardedFor: values.get('x-forwarded-for'),
    accept: values.get('accept'),
    coding: codingIn(values.get('accept-encoding')),
  }
}
