import type { Kind } from '@vitae/contract'
import type { LookupHeaders } from './lookup-request.ts'
import { lookupPaths } from './lookup-routes.ts'

/** A lookup in the plainest form that HTTP/1.1 has: one GET, whole, without a body, on a connection that stays open. */
export interface PlainRequest {
  kind: Kind
  search: string
  /** All that follows the first line. */
  headText: string
}

const starts: readonly [start: string, kind: Kind][] = [
  [`GET ${lookupPaths.people}?`, 'people'],
  [`GET ${lookupPaths.companies}?`, 'companies'],
]
const lineEnd = ' HTTP/1.1\r\n'
const plainSearch = /^[\w\-.~%&=+:/@,;!*'()$]*$/
const plainLine = /^([!#$%&'*+.^_`|~\w-]+): ?([!-~](?:[ -~]*[!-~])?|)$/

/** Headers that change what follows: a body, another protocol, the end of the connection. */
const unplain = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/*
 * Two readers of one protocol are safe only where they cannot disagree. So this one understands what leaves no room for
 * that and nothing else: whatever is not exactly of this form is null, and Node's own parser reads it from its first byte.
 */

/** Reads the bytes of a request, as Latin-1, up to its headers; null = not plain. */
export function readPlainRequest(text: string): PlainRequest | null {
  for (const [start, kind] of starts) {
    if (!text.startsWith(start)) continue
    const end = text.indexOf(lineEnd, start.length)
    if (end < 0 || text.indexOf('\r\n\r\n', end) !== text.length - 4) return null
    const search = text.slice(start.length, end)
    return plainSearch.test(search) ? { kind, search, headText: text.slice(end + lineEnd.length) } : null
  }
  return null
}

/** Reads the header lines of a plain request; null = not plain. */
export function readPlainHeaders(headText: string): LookupHeaders | null {
  const values = new Map<string, string>()
  for (const line of headText.slice(0, -4).split('\r\n')) {
    const [, name, value] = plainLine.exec(line) ?? []
    if (name === undefined || value === undefined) return null
    const lower = name.toLowerCase()
    if (values.has(lower)) return null
    if (unplain.has(lower) && !(lower === 'connection' && value.toLowerCase() === 'keep-alive')) return null
    values.set(lower, value)
  }
  if (!values.get('host')) return null
  return {
    apiKey: values.get('apikey'),
    idempotencyKey: values.get('idempotency-key'),
    cacheControl: values.get('cache-control'),
  }
}
