import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseObject } from './answers/parse-object.ts'

/** An event in the body of a webhook request. */
export type WebhookEvent = {
  id: string
  type: string
  /** RFC 3339, UTC. */
  at: string
  /** The same as `at`, under its Standard Webhooks name. */
  timestamp: string
  /** Null in events of the whole service, such as `provider.down`, as is `environment`. */
  project: string | null
  environment: string | null
  data: { [key: string]: unknown }
}

/** The headers of a request, in the form of `fetch`, Node or a framework. */
export type WebhookHeaders = Headers | { [name: string]: string | string[] | undefined }

/** The request is too old, or was not signed with the secret. Answer it with 401 or 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

const toleranceSeconds = 300

/**
 * Checks that a request was signed with the webhook's secret within the last five minutes, and returns its event. Pass
 * the body exactly as received, because parsing and serialising it changes the signature. Throws otherwise.
 */
export function verifyWebhook(headers: WebhookHeaders, body: string | Uint8Array, secret: string): WebhookEvent {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a time')
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('webhook-timestamp is more than five minutes away')
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  if (key.length === 0) throw new WebhookVerificationError('the secret is empty')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  if (!signatures.split(' ').some((signature) => matches(signature, expected)))
    throw new WebhookVerificationError('no signature matches the body and the secret')
  const event = parseObject(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'))
  if (event === null) throw new WebhookVerificationError('the body is not a JSON object')
  // The signature proves that the service sent it, so the cast is safe.
  return event as WebhookEvent
}

function matches(signature: string, expected: Buffer): boolean {
  const [version, text = ''] = signature.split(',')
  const given = Buffer.from(text, 'base64')
  return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : plainHeader(headers, name)
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`${name} is missing`)
  return value
}

function plainHeader(headers: { [name: string]: string | string[] | undefined }, name: string): string | undefined {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return Array.isArray(found) ? found[0] : found
}
