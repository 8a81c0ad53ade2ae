import type { IncomingMessage } from 'node:http'

/** On every answer: what of a request it depends on, for caches that keep what they are told not to. */
export const varyValue = 'ApiKey, Authorization, X-Api-Key, Accept, Accept-Encoding'

interface KeyHeaders {
  apiKey: string | undefined
  authorization: string | undefined
  xApiKey: string | undefined
}

/**
 * The key of a request, from `ApiKey`, `Authorization: Bearer` or `X-Api-Key`, which are equals. Different values are no key:
 * whoever chose one of them could be wrong. Other schemes of `Authorization` are not ours to read.
 */
export function keyIn({ apiKey, authorization, xApiKey }: KeyHeaders): string | undefined {
  if (authorization === undefined && xApiKey === undefined) return apiKey
  const bearer = /^Bearer +(.*)$/i.exec(authorization ?? '')?.[1]
  const given = new Set([apiKey, bearer, xApiKey].filter(Boolean))
  const [only] = given
  return given.size > 1 ? 'several keys' : (only ?? apiKey)
}

/** The same in a request of Node's server, which joins what was sent more than once, but for `Authorization`. */
export function keyOf(request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>): string | undefined {
  const { headers } = request
  return keyIn({
    apiKey: headers['apikey']?.toString(),
    authorization: headers.authorization && request.headersDistinct['authorization']?.join(', '),
    xApiKey: headers['x-api-key']?.toString(),
  })
}

/** Whether a caller wants also key rejections as problems; all other failures are problems anyway. */
export function wantsProblems(accept: string | undefined): boolean {
  return accept !== undefined && /\bapplication\/problem\+json\b/i.test(accept)
}
