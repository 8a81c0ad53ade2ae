import { expect, test } from 'vitest'
import { newRequestId } from '../../src/foundation/request-id.ts'
import { openTestService } from '../harness/test-service.ts'

test('a flood of calls over the rate limit writes a few rows, not one per call, and usage counts every call', async () => {
  const service = await openTestService()
  const caller = await service.service.keyCache.find(service.liveKey)
  const refused = { kind: 'people', caller, durationMs: 0, status: 429, code: 'rate_limit_exceeded' } as const
  const nothing = {
    source: null,
    credits: 0,
    replay: null,
    entityId: null,
    trace: null,
    spendTag: null,
    startedAt: service.clock.now(),
  }

  for (let call = 0; call < 1_000; call++) {
    service.service.callEnded({ requestId: newRequestId(), ...refused, ...nothing })
  }
  service.service.callEnded({ requestId: newRequestId(), ...refused, ...nothing, status: 404, code: 'not_found' })

  const { calls } = await service.admin<{ calls: { status: number }[] }>('GET', '/calls?limit=1000')
  expect(calls.filter(({ status }) => status === 429)).toHaveLength(21)
  expect(calls.filter(({ status }) => status === 404)).toHaveLength(1)
  const { rows } = await service.admin<{ rows: object[] }>('GET', '/usage?group=status')
  expect(rows).toMatchObject([
    { status: 404, calls: 1 },
    { status: 429, calls: 1_000 },
  ])
})
