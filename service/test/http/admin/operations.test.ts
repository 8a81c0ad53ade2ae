import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openTestService } from '../../harness/test-service.ts'

interface Audit {
  entries: {
    actor: string
    action: string
    subject: string | null
    reason: string | null
    before: object
    after: object
  }[]
}

test('the settings show how the service runs, and no secret', async () => {
  const secrets = {
    VITAE_ADMIN_TOKEN: 'admin-token-0123456789',
    VITAE_SECRET_KEY: 'secret-key-0123456789',
    VITAE_CORESIGNAL_KEY: 'coresignal-key-0123456789',
    VITAE_CORESIGNAL_URL: 'https://user:hidden-password@api.example.com',
  }
  const service = await openTestService({ env: { ...secrets, VITAE_MIRROR_KEY: 'secret', VITAE_PRICE_PEOPLE: '3' } })

  const answer = await service.get('/admin/v1/settings', { authorization: `Bearer ${secrets.VITAE_ADMIN_TOKEN}` })

  expect(answer.json).toMatchObject({ settings: { credits: { prices: { people: 3 } }, admin_token: '(set)' } })
  for (const hidden of ['0123456789', 'hidden-password', '"secret"']) expect(answer.text).not.toContain(hidden)
})

test('every change is audited with actor, reason, and the values before and after', async () => {
  const service = await openTestService({ upstream: 'directory' })
  const { id, token } = await service.admin<{ id: string; token: string }>('POST', '/tokens', { role: 'operator' })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const key = await service.makeKey({ ceiling: 5 })

  await service.get(`/admin/v1/keys/${key.id}`, headers, 'PATCH', '{"ceiling":9}')
  await service.get('/admin/v1/providers/directory/pause', headers, 'POST', '{"reason":"moving"}')
  const { entries } = await service.admin<Audit>('GET', '/audit?limit=2')
  const verified = await service.admin('GET', '/audit/verify')

  expect(entries).toMatchObject([
    {
      actor: `token:${id}`,
      action: 'provider.pause',
      reason: 'moving',
      before: { paused: false },
      after: { paused: true },
    },
    { actor: `token:${id}`, action: 'key.update', subject: key.id, before: { ceiling: 5 }, after: { ceiling: 9 } },
  ])
  expect(verified).toMatchObject({ ok: true, broken_at: null })
})

test('a revoked token is refused from the next request on', async () => {
  const service = await openTestService({ upstream: 'directory' })
  const { id, token } = await service.admin<{ id: string; token: string }>('POST', '/tokens', { role: 'viewer' })
  const headers = { authorization: `Bearer ${token}` }

  const before = await service.get('/admin/v1/keys', headers)
  await service.admin('POST', `/tokens/${id}/revoke`)
  const after = await service.get('/admin/v1/keys', headers)

  expect(before.status).toBe(200)
  expect(after.status).toBe(401)
})

test('providers show their state, and a check reports whether one answers and accepts the key', async () => {
  const service = await openTestService({ env: { VITAE_MIRROR_BUDGET: '50' } })
  await service.person('ada')

  const good = await service.admin('POST', '/providers/mirror/check')
  await service.upstream.setFault(401)
  const rejected = await service.admin('POST', '/providers/mirror/check')
  const unset = await service.admin('POST', '/providers/coresignal/check')
  const { providers } = await service.admin<{ providers: Record<string, unknown>[] }>('GET', '/providers')

  expect(good).toMatchObject({ ok: true, verdict: 'answers' })
  expect(rejected).toMatchObject({ ok: false, verdict: 'rejected' })
  expect(unset).toMatchObject({ ok: false, verdict: 'not_configured' })
  expect(providers).toHaveLength(17)
  expect(providers[0]).toMatchObject({
    name: 'mirror',
    in_chain: true,
    breaker: 'closed',
    budget: { month: '2026-11', calls: 3, limit: 50 },
    recent: { calls: 1, failures: 0 },
  })
})

test('the doctor warns of files that others may read, and of missing settings', async () => {
  const service = await openTestService({ upstream: 'directory' })
  chmodSync(join(service.folder, 'admin-token'), 0o644)

  const { checks } = await service.admin<{ checks: { name: string; state: string; mend: string | null }[] }>(
    'GET',
    '/doctor',
  )

  const states = Object.fromEntries(checks.map(({ name, state }) => [name, state]))
  expect(states).toMatchObject({
    node: 'ok',
    'file modes': 'warning',
    engine: 'ok',
    retention: 'warning',
    backups: 'warning',
  })
  expect(checks.find(({ name }) => name === 'file modes')?.mend).toMatch(/^chmod go-rwx .*admin-token$/)
})

test('the last use of a key is shown soon after it, and that of a key in constant use within ten seconds', async () => {
  const service = await openTestService({ generate: true })
  const { id, key } = await service.makeKey()
  const lastUse = async () => (await service.admin<{ last_used_at: string | null }>('GET', `/keys/${id}`)).last_used_at
  expect(await lastUse()).toBe(null)
  const used = async () => {
    expect((await service.person('ada-example', '', { ApiKey: key })).status).toBe(200)
    return new Date(service.clock.now()).toISOString()
  }

  const first = await used()
  await expect.poll(lastUse).toBe(first)
  service.clock.advance({ seconds: 6 })
  const second = await used()
  await pause(1_200)
  expect(await lastUse()).toBe(first)
  service.clock.advance({ seconds: 5 })
  await expect.poll(lastUse).toBe(second)
})
