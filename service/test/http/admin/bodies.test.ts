import { expect, test } from 'vitest'
import { openTestService } from '../../harness/test-service.ts'

test('null removes a setting, and is never read as 0 or as an empty text', async () => {
  const service = await openTestService({ upstream: 'directory' })
  const { id } = await service.makeKey({
    ceiling: 5,
    daily_ceiling: 2,
    label: 'spare',
    rate: '10/60s',
    networks: ['127.0.0.1'],
  })

  const zero = await service.admin('PATCH', `/keys/${id}`, { ceiling: 0, daily_ceiling: 0, label: '' })
  const none = await service.admin('PATCH', `/keys/${id}`, {
    ceiling: null,
    daily_ceiling: null,
    label: null,
    rate: null,
    networks: null,
  })
  const token = await service.admin('POST', '/tokens', { role: 'viewer', label: null, project: null })

  expect(zero).toMatchObject({ ceiling: 0, daily_ceiling: 0, label: '' })
  expect(none).toMatchObject({ ceiling: null, daily_ceiling: null, label: null, rate: null, networks: null })
  expect(token).toMatchObject({ label: null, project: null })
})

test('an invalid body is not coerced: each fault is named', async () => {
  const service = await openTestService({ upstream: 'directory' })
  const headers = { authorization: `Bearer ${service.service.admin.ownerToken}`, 'content-type': 'application/json' }
  const send = (path: string, body: unknown) => service.get(`/admin/v1${path}`, headers, 'POST', JSON.stringify(body))

  const wrongType = await send('/credits/grants', { project: 'acme', environment: 'production', amount: '5' })
  const key = { project: 'acme', environment: 'production', mode: 'test' }
  const tooLong = await send('/keys', { ...key, label: 'x'.repeat(300) })
  const missing = await send('/credits/grants', { project: 'acme', amount: 5 })

  expect(wrongType.json).toMatchObject({ status: 400, errors: [{ parameter: 'amount' }] })
  expect(tooLong.json).toMatchObject({ status: 400, errors: [{ parameter: 'label' }] })
  expect(missing.json).toMatchObject({ status: 400, errors: [{ parameter: 'environment' }] })
  expect((await service.balance()).balance).toBe(1_000)
})

test('a change without a body is a change without a reason', async () => {
  const service = await openTestService({ upstream: 'directory' })
  const { id } = await service.makeKey()

  const revoked = await service.admin<{ revoked_at: string | null }>('POST', `/keys/${id}/revoke`)

  expect(revoked.revoked_at).not.toBeNull()
})
