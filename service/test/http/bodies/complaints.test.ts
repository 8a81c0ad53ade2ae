import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../harness/test-service.ts'

let service: TestService
let sample = ''
beforeAll(async () => {
  service = await startTestService()
  sample = (await service.makeKey({ mode: 'test' })).key
})
afterAll(() => service.close())

const many = Array.from({ length: 50 }, (_, index) => index)
const members = Object.fromEntries(many.map((index) => [`unknown_${index}`, 1]))
const parameters = many.map((index) => `&unknown_${index}=1`).join('')
const json = { 'content-type': 'application/json' }

interface Refused {
  errors: { parameter: string; detail: string }[]
  detail: string
}

async function post(path: string, body: unknown, headers: Record<string, string> = json): Promise<Refused> {
  const { ownerToken } = service.service.admin
  const key: Record<string, string> = path.startsWith('/admin')
    ? { authorization: `Bearer ${ownerToken}` }
    : { ApiKey: sample }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await service.get(path, { ...key, ...headers }, 'POST', text)
  expect([path, answer.status]).toEqual([path, 400])
  return answer.json as unknown as Refused
}

const line = { cats: 1, credits: 1 }
test.each<[what: string, path: string, body: unknown, more: number]>([
  ['unknown members of a batch', '/v1/batches', { kind: 'people', ids: ['ada'], ...members }, 30],
  ['unknown members of a preview', '/v1/batches/preview', { kind: 'people', ids: ['ada'], ...members }, 30],
  ['unknown members of a match', '/v1/people/match', { email: 'ada@acme.example', ...members }, 30],
  ['unknown members of a watch', '/v1/watches', { kind: 'people', match: { email: 'a@acme.example', ...members } }, 30],
  ['ids that cannot be read', '/admin/v1/suppressions', { kind: 'people', ids: many.map(() => ' ') }, 30],
  ['ids that name nobody', '/admin/v1/records/erase', { kind: 'people', ids: many.map(() => ' '), reason: 'x' }, 30],
  ['items of the wrong type', '/admin/v1/suppressions', { kind: 'people', ids: many }, 30],
  ['lines of a price book', '/admin/v1/prices', { lines: [...many.map(() => line), { credits: 1 }] }, 30],
])('of 50 complaints about %s 20 are listed, and the answer counts the rest', async (_, path, body, more) => {
  const { errors, detail } = await post(path, body)

  expect(errors).toHaveLength(20)
  expect(detail).toContain(`and ${more} more`)
})

test('the same applies to the parameters of a file and the arguments of a tool', async () => {
  const csv = { 'content-type': 'text/csv' }
  const file = await post(`/v1/batches?kind=people${parameters}`, 'id\nada\n', csv)
  const call = { name: 'account', arguments: members }
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
  const tool = await service.get('/mcp', { ApiKey: sample, ...json }, 'POST', message)

  expect(file.errors).toHaveLength(20)
  expect(file.detail).toContain('and 30 more')
  expect(tool.text).toContain('and 30 more')
  expect(tool.text.match(/is not known/g)).toHaveLength(20)
})

test('a check of a price book lists 20 problems and counts the others', async () => {
  const headers = { authorization: `Bearer ${service.service.admin.ownerToken}`, ...json }
  const book = JSON.stringify({ lines: [...many.map(() => line), { credits: 1 }] })
  const { json: checked } = await service.get('/admin/v1/prices/check', headers, 'POST', book)

  expect(checked).toMatchObject({ ok: false, more: 30 })
  expect(checked['errors']).toHaveLength(20)
})

test('a wrong value is answered with the allowed ones in words, not with a pattern or a sign', async () => {
  const key = { ApiKey: sample }
  const watch = {
    project: 'acme',
    environment: 'production',
    watches: [{ kind: 'people', id: 'ada', every_days: 400 }],
  }
  const webhook = { project: 'acme', url: 'https://acme.example/hook', events: ['nonsense'] }

  const month = await service.get('/v1/statement?month=2026-13', key)
  const feed = await service.get('/v1/events?after=x&limit=0', key)
  const [often, unknown] = [await post('/admin/v1/watches', watch), await post('/admin/v1/webhooks', webhook)]

  expect(month.json).toMatchObject({ status: 400, detail: 'month must be a month such as 2026-10.' })
  expect(feed.json).toMatchObject({
    detail: 'after must be the next of the previous page; limit must be at least 1.',
  })
  expect(often.detail).toBe('watches.0.every_days must be at most 365.')
  expect(unknown.detail).toMatch(/^events\.0 must be one of person\.job_changed, /)
})
