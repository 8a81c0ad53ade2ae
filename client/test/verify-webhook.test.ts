import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { verifyWebhook, WebhookVerificationError } from '../src/index.ts'

const secret = `whsec_${Buffer.from('twenty-four secret bytes').toString('base64')}`
const other = `whsec_${Buffer.from('twenty-four other bytes!').toString('base64')}`
const body = JSON.stringify({ id: 'evt_1', type: 'credits.low', at: '2026-11-14T09:30:00.000Z', data: { balance: 3 } })

/** Headers signed by the reference library. */
function signed(key: string, at = new Date()): { [name: string]: string } {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(key).sign('evt_1', at, body),
  }
}

test('a request signed by the Standard Webhooks library returns its event, for every form of headers and body', () => {
  const headers = signed(secret)

  expect(verifyWebhook(headers, body, secret)).toMatchObject({ id: 'evt_1', type: 'credits.low', data: { balance: 3 } })
  expect(verifyWebhook(new Headers(headers), new TextEncoder().encode(body), secret).id).toBe('evt_1')
  const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
  expect(verifyWebhook(shouted, body, secret.slice('whsec_'.length)).id).toBe('evt_1')
})

test('during the rotation of a secret, one matching signature of several is enough', () => {
  const both = `${signed(other)['webhook-signature']} ${signed(secret)['webhook-signature']}`

  expect(verifyWebhook({ ...signed(secret), 'webhook-signature': both }, body, secret).id).toBe('evt_1')
})

test.each([
  ['another body', signed(secret), `${body} `, secret],
  ['another secret', signed(other), body, secret],
  ['an empty secret', signed(secret), body, 'whsec_'],
  ['another id', { ...signed(secret), 'webhook-id': 'evt_2' }, body, secret],
  ['another version of the scheme', { ...signed(secret), 'webhook-signature': 'v2,AAAA' }, body, secret],
  ['no signature', { ...signed(secret), 'webhook-signature': '' }, body, secret],
  ['no headers', {}, body, secret],
  ['a time that is none', { ...signed(secret), 'webhook-timestamp': 'now' }, body, secret],
  ['an old time', signed(secret, new Date(Date.now() - 301_000)), body, secret],
  ['a time to come', signed(secret, new Date(Date.now() + 303_000)), body, secret],
])('a request with %s is refused', (_what, headers, text, key) => {
  expect(() => verifyWebhook(headers, text, key)).toThrow(WebhookVerificationError)
})
