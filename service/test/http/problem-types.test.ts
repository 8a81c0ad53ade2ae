import { adminFailures, failures } from '@vitae/contract'
import { expect, test } from 'vitest'
import { checkAgainstDocument } from '../harness/check-against-document.ts'
import { openTestService } from '../harness/test-service.ts'

test('the type of every problem is the URL of an anchor on a page of the service', async () => {
  const service = await openTestService()
  const { json } = await service.get('/v1/people/profile?profile_id=ada&max_age_days=x', { ApiKey: service.liveKey })
  const [path = '', anchor = ''] = String(json['type']).split('#')

  const page = await service.get(path)

  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const anchors = Array.from(page.text.matchAll(/ id="([^"]+)"/g), ([, id]) => id)
  expect(anchors).toContain(anchor)
  expect(anchors).toEqual(Object.keys({ ...failures, ...adminFailures }))
})

test('an answer that differs from the document is detected', () => {
  const headers = {
    'content-type': 'application/json',
    'x-request-id': 'r',
    'cache-control': 'private, no-store',
    vary: 'ApiKey, Authorization, X-Api-Key, Accept, Accept-Encoding',
  }
  const check = (status: number, text: string, more: Record<string, string> = {}) =>
    checkAgainstDocument('GET', '/healthz', new Response(text, { status, headers: { ...headers, ...more } }), text)

  expect(() => check(200, '{"status":"ok"}')).not.toThrow()
  expect(() => check(200, '{"status":"well"}')).toThrow('the body')
  expect(() => check(404, '{}')).toThrow('is not in the OpenAPI document')
  expect(() => check(200, '{"status":"ok"}', { 'x-secret': '1' })).toThrow('x-secret is not listed')
  expect(() => check(200, '{"status":"ok"}', { vary: '*' })).toThrow('vary')
  expect(() => check(200, '{"status":"ok"}', { 'content-type': 'text/html' })).toThrow('text/html is not listed')
})
