import type { Kind } from '@vitae/contract'
import { lookupHeaders, lookupPath, matchBody, type LookupRequest } from './lookup-request.ts'

export interface LookupAnswer {
  kind: Kind
  status: number
  headers: [name: string, value: string][]
  body: string
  tookMs: number
}

/** Sends a lookup or a match with the API key and without the console's cookie. */
export async function sendLookup(request: LookupRequest, key: string): Promise<LookupAnswer> {
  const startedAt = performance.now()
  const sent = matchBody(request)
  const answer = await fetch(lookupPath(request), {
    ...(sent === null ? {} : { method: 'POST', body: sent }),
    credentials: 'omit',
    cache: 'no-store',
    headers: { ...lookupHeaders(request), ApiKey: key },
  })
  const body = await answer.text()
  return {
    kind: request.kind,
    status: answer.status,
    headers: [...answer.headers],
    body,
    tookMs: performance.now() - startedAt,
  }
}
