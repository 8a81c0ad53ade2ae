import { expect, test } from 'vitest'
import { openTestService } from '../../harness/test-service.ts'

interface Item {
  level: string
  kind: string
  name: string
  detail: string
  code?: string
}

test('a spike of refused or failing calls is measured against the usual rate, and says how much and since when', async () => {
  const service = await openTestService({ env: { VITAE_BREAKER_FAILURES: '1000000' } })
  const items = async () => {
    const { attention } = await service.admin<{ attention: Item[] }>('GET', '/overview')
    return attention.filter(({ kind }) => kind === 'failures' || kind === 'provider')
  }
  const [usual, calm] = [await service.newCaller(1_000), await service.newCaller(1_000)]
  const make = async (key: string, good: number, bad: number) => {
    for (let call = 0; call < good; call++) await service.person('ada', '', { ApiKey: key })
    for (let call = 0; call < bad; call++) await service.get('/v1/people/profile', { ApiKey: key })
  }
  await make(usual.key, 60, 50)
  await make(calm.key, 108, 2)
  service.clock.advance({ days: 1 })
  expect(await items()).toEqual([])

  await make(usual.key, 12, 12)
  await make(calm.key, 28, 12)
  await service.upstream.setFault(500)
  for (let call = 0; call < 12; call++) await service.person('ada', '&bypass_cache=true', { ApiKey: service.liveKey })
  await service.upstream.setFault(null)
  service.clock.advance({ minutes: 20 })

  const began = new Date(service.clock.now() - 20 * 60_000).toISOString().slice(11, 13)
  const found = await items()
  expect(found.find(({ name }) => name === `${calm.project}/production`)).toMatchObject({
    level: 'warning',
    detail: expect.stringMatching(
      new RegExp(
        `^12 of 40 calls failed in the last hour \\(30 %, usually 2 %\\)\\. It began at ${began}:\\d\\d UTC\\. Most have the code invalid_request\\.$`,
      ),
    ),
    code: 'invalid_request',
  })
  expect(found.filter(({ name }) => name === `${usual.project}/production`)).toEqual([])
  expect(found.find(({ name }) => name === 'acme/production')).toMatchObject({ level: 'danger' })
  expect(found.find(({ kind }) => kind === 'provider')?.detail).toMatch(/^12 of \d+ attempts failed in the last hour/)
})
