import { expect, test } from 'vitest'
import { fixedValues } from '../../src/config/fixed-values.ts'
import { openTestService } from '../harness/test-service.ts'

test('a REDIS_URL that never answers is reported in the log, by the doctor, in /readyz and in the metrics', async () => {
  const lines: unknown[] = []
  const service = await openTestService({
    env: { REDIS_URL: 'redis://127.0.0.1:1' },
    fixed: { redisPatience: 1, nodeDeadAfterMs: fixedValues.nodeDeadAfterMs },
    onLogLine: (line) => lines.push(line),
  })

  const { checks } = await service.admin<{ checks: { name: string }[] }>('GET', '/doctor')
  const ready = await service.get('/readyz')
  const metrics = await service.get('/metrics')

  expect(lines).toContainEqual(
    expect.objectContaining({ level: 40, msg: expect.stringContaining('Redis (REDIS_URL) has not answered') }),
  )
  expect(checks).toContainEqual(
    expect.objectContaining({ name: 'redis', state: 'error', mend: expect.stringContaining('REDIS_URL') }),
  )
  expect(ready).toMatchObject({ status: 200, json: { checks: { redis: 'disconnected', rate_limits: 'divided' } } })
  expect(metrics.text).toMatch(/^vitae_redis_connected 0$/m)
  // It cannot know the running windows, so it refuses calls until they have ended.
  expect((await service.person('ada')).status).toBe(429)
  service.clock.advance({ minutes: 2 })
  expect((await service.person('ada')).status).toBe(200)
})
