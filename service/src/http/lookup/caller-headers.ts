import type { IncomingMessage } from 'node:http'

/** The `Vary` header of every response, for caches that ignore `no-store`. */
export const varyValue = 'ApiKey, Authorization, X-Api-Key, Accept, Accept-Encoding'

interface KeyHeaders {
  apiKey: string | undefined
  authorization: string | undefined
  xApiKey: string | undefined
}

/**
 * The key from `ApiKey`, `Authorization: Bearer` or `X-Api-Key`, which are equivalent. Different values are refused,
 * because choosing one could be wrong. Other schemes of `Authorization` are ignored.
 */
export function keyIn({ apiKey, authorization, xApiKey }: KeyHeaders): string | undefined {
  if (authorization === undefined && xApiKey === undefined) return apiKey
  const bearer = /^Bearer +(.*)$/i.exec(authorization ?? '')?.[1]
  const given = new Set([apiKey, bearer, xApiKey].filter(Boolean))
  const [only] = given
  return given.size > 1 ? 'several keys' : (only ?? apiKey)
}

/** The key of a Node request. Node joins repeated headers, except `Authorization`. */
export function keyOf(request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>): string | undefined {
  const { headers } = request
  return keyIn({
    apiKey: headers['apikey']?.toString(),
    authorization: headers.authorization && request.headersDistinct['authorization']?.join(', '),
    xApiKey: headers['x-api-key']?.toString(),
  })
}

/** Whether the caller wants key rejections as problems; all other failures are problems anyway. */
export function wantsProblems(accept: string | undefined): boolean {
  return accept !== undefined && /\bapplication\/problem\+json\b/i.test(accept)
}
