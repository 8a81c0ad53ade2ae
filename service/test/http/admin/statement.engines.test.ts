import type { OperatorStatement, Statement } from '@vitae/contract'
import { expect, test } from 'vitest'
import { closeMonths } from '../../../src/credits/statements/read-statement.ts'
import { retentionRun } from '../../../src/lifecycle/retention/retention.ts'
import { openTestService } from '../../harness/test-service.ts'

test('a statement equals receipts, usage and costs, and a closed one is the same after retention and a restart', async () => {
  const env = { VITAE_MIRROR_COST: '0.1', VITAE_CURRENCY: 'EUR', VITAE_CREDIT_VALUE: '0.03' }
  const service = await openTestService({ env, credits: 100 })
  const ids: (string | null)[] = []
  for (const [slug, tag] of [
    ['ada', 'spring'],
    ['ada', 'spring'],
    ['grace', ''],
  ] as const) {
    const { headers } = await service.person(slug, '', tag === '' ? {} : { 'X-Spend-Tag': tag })
    ids.push(headers.get('x-request-id'))
  }
  service.upstream.people.set('nobody', null)
  ids.push((await service.person('nobody')).headers.get('x-request-id'))
  await service.admin('POST', '/credits/adjustments', { project: 'acme', environment: 'production', amount: 5 })
  const read = (more = '&environment=production') =>
    service.admin<OperatorStatement>('GET', `/statement?project=acme&month=2026-11${more}`)
  const open = await read()
  const receipts = await Promise.all(ids.map((id) => service.admin<{ credits: number }>('GET', `/receipts/${id}`)))
  const calls = await Promise.all(
    ids.map((id) => service.admin<{ attempts: { cost: number | null }[] }>('GET', `/calls/${id}`)),
  )
  const usage = await service.admin<{ rows: { credits: number }[] }>('GET', '/usage?per=month')
  const own = (await service.get('/v1/statement?month=2026-11', { ApiKey: service.liveKey }))
    .json as unknown as Statement
  const { key } = await service.makeKey({ mode: 'test' })
  const sample = (await service.get('/v1/statement', { ApiKey: key })).json as unknown as Statement
  const ahead = await service.get('/v1/statement?month=2027-01', { ApiKey: service.liveKey })
  const headers = { authorization: `Bearer ${service.service.admin.ownerToken}` }
  const csv = await service.get('/admin/v1/statement?project=acme&format=csv', headers)
  const page = await service.get('/admin/v1/statement?project=acme&format=html', headers)

  service.clock.advance({ days: 20 })
  const store = service.service.admin.store
  await closeMonths({ ...service.service, store, currency: 'EUR' }, service.clock.now())
  const closed = await read()
  const whole = await read('')
  await service.admin('POST', '/credits/adjustments', { project: 'acme', environment: 'production', amount: -1 })
  const rules = { ...service.service.retention, callLogDays: 1 }
  await retentionRun(store, { now: service.clock.now(), rules, actor: 'test' })
  await service.restart()

  const paid = receipts.reduce((sum, { credits }) => sum + credits, 0)
  const cost = calls
    .flatMap(({ attempts }) => attempts)
    .reduce((sum, each) => sum + Math.round((each.cost ?? 0) * 100), 0)
  expect(open).toMatchObject({ in_progress: true, digest: null, opening_balance: 0, granted: 100, corrected: 5 })
  expect(open.charged).toBe(paid)
  expect(usage.rows.reduce((sum, { credits }) => sum + credits, 0)).toBe(paid)
  expect(open.closing_balance).toBe((await service.balance()).balance + 1)
  expect(open.lines.map(({ spend_tag: tag, source, calls: count }) => [tag, source, count])).toEqual([
    ['spring', 'live', 1],
    [null, 'live', 1],
    ['spring', 'store', 1],
  ])
  expect(open.provider_cost).toEqual({
    currency: 'EUR',
    total: String(cost / 100),
    by_provider: [{ provider: 'mirror', cost: String(cost / 100) }],
  })
  expect(open.value).toEqual({ currency: 'EUR', credit: '0.03', charged: '0.09' })
  const { provider_cost: _, ...shown } = open
  expect(own).toEqual(shown)
  expect(sample.lines[0]?.spend_tag).toBe('sample-campaign')
  expect(ahead.status).toBe(400)
  expect(csv.text).toMatch(/^item,price_line,endpoint,source,spend_tag,calls,credits,cost,currency\r\nopening balance,/)
  expect(page.text).toContain('<h1>Statement 2026-11: acme</h1>')
  expect(closed).toEqual({ ...open, in_progress: false, digest: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(whole).toMatchObject({ in_progress: false, environment: null, charged: paid })
  expect([await read(), await read('')]).toEqual([closed, whole])
  const next = await service.admin<OperatorStatement>('GET', '/statement?project=acme&month=2026-12')
  expect(next).toMatchObject({ opening_balance: closed.closing_balance, corrected: -1, in_progress: true })
})

test('a month whose calls retention removed before it was closed keeps its lines and costs', async () => {
  const service = await openTestService({ env: { VITAE_MIRROR_COST: '0.1' }, credits: 100 })
  for (const slug of ['ada', 'ada', 'grace']) await service.person(slug, '', { 'X-Spend-Tag': 'spring' })
  const read = () =>
    service.admin<OperatorStatement>('GET', '/statement?project=acme&environment=production&month=2026-11')
  const before = await read()
  service.clock.advance({ days: 3 })

  const { store } = service.service.admin
  const rules = { ...service.service.retention, callLogDays: 1 }
  const removed = await retentionRun(store, { now: service.clock.now(), rules, actor: 'test' })

  expect(removed.calls).toBe(3)
  expect(before.provider_cost.total).not.toBe('0')
  expect(await read()).toEqual(before)
})
