import { expect, test } from 'vitest'
import { openTestService, type TestService } from '../../harness/test-service.ts'

interface Top {
  as_of: string
  rows: {
    period: string
    tag?: string | null
    key_label?: string | null
    rest?: number
    calls: number
    credits: number
    credits_before?: number
  }[]
  groups: number
  total: { calls: number; credits: number; credits_before?: number }
  next_cursor: string | null
}

/** On each of two days, `a` pays once, `b` twice, and so on. */
async function spendByTags(service: TestService): Promise<void> {
  for (let day = 0; day < 2; day++) {
    for (const [index, tag] of ['a', 'b', 'c', 'd'].entries())
      for (let call = 0; call <= index; call++)
        await service.person('ada', '', { ApiKey: service.liveKey, 'X-Spend-Tag': tag })
    if (day === 0) service.clock.advance({ days: 1 })
  }
}

const shown = ({ rows }: Top) => rows.map((row) => [row.rest ?? row.tag, row.credits])

test('the largest groups come first and all others as one row, page by page, and together they are the total', async () => {
  const service = await openTestService()
  await spendByTags(service)

  const first = await service.admin<Top>('GET', '/usage?group=tag&per=all&top=2&compare=true')
  const second = await service.admin<Top>('GET', `/usage?group=tag&per=all&top=2&cursor=${first.next_cursor}`)
  const headers = { authorization: `Bearer ${service.service.admin.ownerToken}` }
  const csv = await service.get(`/admin/v1/usage?group=tag&per=all&top=2&as_of=${first.as_of}&format=csv`, headers)

  expect(shown(first)).toEqual([
    ['d', 8],
    ['c', 6],
    [2, 6],
  ])
  expect(shown(second)).toEqual([
    ['b', 4],
    ['a', 2],
    [2, 14],
  ])
  expect(first).toMatchObject({ groups: 4, total: { calls: 20, credits: 20, credits_before: 0 } })
  expect([first.next_cursor === null, second.next_cursor]).toEqual([false, null])
  expect(csv.text.trim().split('\r\n').length).toBe(1 + first.rows.length)
  expect(csv.text).toMatch(/^period,tag,rest,calls,credits,p50_ms,p95_ms\r\n[^\r]*,d,,8,8,,\r\n/)
})

test('by day the same groups are shown on each, in chronological order, and the earlier period has the same length', async () => {
  const service = await openTestService()
  await spendByTags(service)
  const today = service.clock.now() - (service.clock.now() % 86_400_000)
  const since = new Date(today).toISOString()
  const yesterday = new Date(today - 86_400_000).toISOString()

  const days = await service.admin<Top>('GET', `/usage?group=tag&per=day&top=1&since=${yesterday}`)
  const later = await service.admin<Top>('GET', `/usage?group=tag&per=all&top=1&since=${since}&compare=true`)
  const tagged = await service.admin<Top>('GET', '/usage?group=key&per=all&top=1&tag=b')
  const untagged = await service.admin<Top>('GET', '/usage?group=key&per=all&top=1&tag=(none)')

  expect(days.rows.map((row) => [row.period, row.tag ?? row.rest, row.credits])).toEqual([
    [yesterday, 'd', 4],
    [yesterday, 3, 6],
    [since, 'd', 4],
    [since, 3, 6],
  ])
  // The earlier period begins as long ago as the day is old, before any call.
  expect(later.rows[0]).toMatchObject({ tag: 'd', credits: 4, credits_before: 0 })
  expect(tagged).toMatchObject({ groups: 1, total: { credits: 4 }, rows: [{ key_label: null, credits: 4 }] })
  expect(untagged).toMatchObject({ groups: 0, rows: [] })
})

test('every answer is bounded: too many rows, groups by period or days are refused by parameter name', async () => {
  const service = await openTestService({ upstream: 'directory' })
  const wrong = [
    ['/usage?limit=1001', 'limit'],
    ['/usage?group=key&top=101&per=all', 'top'],
    ['/usage?group=key&top=20&per=day&since=90d', 'top'],
    ['/usage?group=key,day&top=2', 'group'],
    ['/usage?per=hour&since=32d', 'since'],
    ['/usage?per=day&since=2001-01-01', 'since'],
    ['/usage?group=key&top=2&cursor=x', 'cursor'],
    ['/overview?since=500d', 'since'],
  ] as const

  for (const [path, parameter] of wrong) {
    const answer = await service.get(`/admin/v1${path}`, {
      authorization: `Bearer ${service.service.admin.ownerToken}`,
    })
    expect([path, answer.status]).toEqual([path, 400])
    expect(answer.json).toMatchObject({ code: 'invalid_request', errors: [{ parameter }] })
  }
})

test('per=auto takes the buckets of the overview: from the whole window, even from its future part', async () => {
  const service = await openTestService()
  await service.person('ada')
  const [today, tomorrow] = [0, 86_400_000].map((ms) => new Date(service.clock.now() + ms).toISOString().slice(0, 10))

  for (const [span, seconds] of [
    ['since=1h', 60],
    [`since=${today}&until=${tomorrow}`, 900],
    ['since=30d', 86_400],
  ] as const) {
    const ask = { usage: `/usage?per=auto&group=project&top=4&${span}`, overview: `/overview?${span}` }
    const usage = await service.admin<Top & { bucket_seconds: number }>('GET', ask.usage)
    const overview = await service.admin<{ bucket_seconds: number }>('GET', ask.overview)

    expect([usage.bucket_seconds, overview.bucket_seconds], span).toEqual([seconds, seconds])
    expect(
      usage.rows.map(({ period }) => Date.parse(period) % (seconds * 1_000)),
      span,
    ).toEqual([0])
  }
})
