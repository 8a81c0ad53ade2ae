import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const bytes = 24

/** A new secret in the form that its receiver gets. */
export function newWebhookSecret(): string {
  return `${prefix}${randomBytes(bytes).toString('base64')}`
}

/** The headers of Standard Webhooks, with one signature per valid secret. */
export function signedHeaders(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/**
 * Encrypts a secret for the database: signing needs the plain text, so a hash is not enough. The key is derived from
 * the service's own secret, which is not in the database. The endpoint's id is bound to it, so that secrets cannot be
 * swapped there.
 */
export function sealSecret(serviceSecret: string, endpointId: string, secret: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(serviceSecret), nonce).setAAD(Buffer.from(endpointId))
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return [nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url')).join('.')
}

/** The decrypted secret; null if it was encrypted with another service secret. */
export function openSealed(serviceSecret: string, endpointId: string, sealed: string): string | null {
  const [nonce, tag, text] = sealed.split('.').map((part) => Buffer.from(part, 'base64url'))
  if (!nonce || !tag || !text) return null
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealingKey(serviceSecret), nonce)
    decipher.setAAD(Buffer.from(endpointId)).setAuthTag(tag)
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

function sealingKey(serviceSecret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', serviceSecret, '', 'vitae webhook secrets', 32))
}
