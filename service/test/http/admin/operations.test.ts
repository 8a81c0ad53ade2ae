import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openTestHouse } from '../../harness/test-service.ts'

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

test('the settings show how the service runs, and no secret of any kind', async () => {
  const secrets = {
    VITAE_ADMIN_TOKEN: 'admin-token-0123456789',
    VITAE_SECRET_KEY: 'secret-key-0123456789',
    VITAE_CORESIGNAL_KEY: 'coresignal-key-0123456789',
    VITAE_CORESIGNAL_URL: 'https://user:hidden-password@api.example.com',
  }
  const house = await openTestHouse({ env: { ...secrets, VITAE_MIRROR_KEY: 'secret', VITAE_PRICE_PEOPLE: '3' } })

  const answer = await house.get('/admin/v1/settings', { authorization: `Bearer ${secrets.VITAE_ADMIN_TOKEN}` })

  expect(answer.json).toMatchObject({ settings: { credits: { prices: { people: 3 } }, admin_token: '(set)' } })
  for (const hidden of ['0123456789', 'hidden-password', '"secret"']) expect(answer.text).not.toContain(hidden)
})

test('every change is audited with who made it, why, and what was before and after', async () => {
  const house = await openTestHouse({ upstream: 'directory' })
  const { id, token } = await house.admin<{ id: string; token: string }>('POST', '/tokens', { role: 'operator' })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const key = await house.makeKey({ ceiling: 5 })

  await house.get(`/admin/v1/keys/${key.id}`, headers, 'PATCH', '{"ceiling":9}')
  await house.get('/admin/v1/providers/directory/pause', headers, 'POST', '{"reason":"moving"}')
  const { entries } = await house.admin<Audit>('GET', '/audit?limit=2')
  const verified = await house.admin('GET', '/audit/verify')

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

test('a revoked token opens nothing from the next request on', async () => {
  const house = await openTestHouse({ upstream: 'directory' })
  const { id, token } = await house.admin<{ id: string; token: string }>('POST', '/tokens', { role: 'viewer' })
  const headers = { authorization: `Bearer ${token}` }

  const before = await house.get('/admin/v1/keys', headers)
  await house.admin('POST', `/tokens/${id}/revoke`)
  const after = await house.get('/admin/v1/keys', headers)

  expect(before.status).toBe(200)
  expect(after.status).toBe(401)
})

test('providers tell their state, and a check says whether one answers and accepts the key', async () => {
  const house = await openTestHouse({ env: { VITAE_MIRROR_BUDGET: '50' } })
  await house.person('ada')

  const good = await house.admin('POST', '/providers/mirror/check')
  await house.upstream.setFault(401)
  const rejected = await house.admin('POST', '/providers/mirror/check')
  const unset = await house.admin('POST', '/providers/coresignal/check')
  const { providers } = await house.admin<{ providers: Record<string, unknown>[] }>('GET', '/providers')

  expect(good).toMatchObject({ ok: true, verdict: 'answers' })
  expect(rejected).toMatchObject({ ok: false, verdict: 'rejected' })
  expect(unset).toMatchObject({ ok: false, verdict: 'not_configured' })
  expect(providers).toHaveLength(7)
  expect(providers[0]).toMatchObject({
    name: 'mirror',
    in_chain: true,
    breaker: 'closed',
    budget: { month: '2026-11', calls: 3, limit: 50 },
    recent: { calls: 1, failures: 0 },
  })
})

test('the doctor warns of files that others may read, and of what is not set', async () => {
  const house = await openTestHouse({ upstream: 'directory' })
  chmodSync(join(house.folder, 'admin-token'), 0o644)

  const { checks } = await house.admin<{ checks: { name: string; state: string; mend: string | null }[] }>(
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
  const house = await openTestHouse({ generate: true })
  const { id, key } = await house.makeKey()
  const lastUse = async () => (await house.admin<{ last_used_at: string | null }>('GET', `/keys/${id}`)).last_used_at
  expect(await lastUse()).toBe(null)
  const used = async () => {
    expect((await house.person('ada-example', '', { ApiKey: key })).status).toBe(200)
    return new Date(house.clock.now()).toISOString()
  }

  const first = await used()
  await expect.poll(lastUse, { timeout: 10_000 }).toBe(first)
  house.clock.advance({ seconds: 6 })
  const second = await used()
  await pause(1_200)
  expect(await lastUse()).toBe(first)
  house.clock.advance({ seconds: 5 })
  await expect.poll(lastUse, { timeout: 10_000 }).toBe(second)
})
