import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseObject } from './parse-object.ts'

/** An event, as a webhook brings it. */
export type WebhookEvent = {
  id: string
  type: string
  /** RFC 3339, UTC. */
  at: string
  /** The same as `at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Null in events of the whole service, such as `provider.down`; so is `environment`. */
  project: string | null
  environment: string | null
  data: { [key: string]: unknown }
}

/** The headers of a request, as `fetch`, Node or a framework gives them. */
export type WebhookHeaders = Headers | { [name: string]: string | string[] | undefined }

/** A request that is not from the holder of the secret, or too old. Answer it with 401 or 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

const toleranceSeconds = 300

/**
 * Checks that a request was signed with the webhook's secret within the last five minutes, and gives its event.
 * Pass the body as it was received: parsed and written again it has another signature. Throws otherwise.
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
    throw new WebhookVerificationError('no signature fits the body and the secret')
  const event = parseObject(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'))
  if (event === null) throw new WebhookVerificationError('the body is not a JSON object')
  // Signed by the service, which sends nothing else.
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
