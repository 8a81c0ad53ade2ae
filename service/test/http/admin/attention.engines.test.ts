import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onPostgres } from '../../harness/engines.ts'
import { startTestService, type TestService } from '../../harness/test-service.ts'

interface Item {
  level: string
  kind: string
  name: string
  detail: string
  project?: string
  key_id?: string
}

let service: TestService
const backups = mkdtempSync(join(tmpdir(), 'vitae-attention-'))

beforeAll(async () => {
  service = await startTestService({ env: { VITAE_BACKUP_DIR: backups, VITAE_MIRROR_BUDGET: '40' } })
})
afterAll(async () => {
  await service?.close()
  rmSync(backups, { recursive: true, force: true })
})

async function attention(): Promise<Item[]> {
  const { attention: items } = await service.admin<{ attention: Item[] }>('GET', '/overview')
  // Ignores the disk of the test machine.
  return items.filter(({ kind }) => kind !== 'disk' && kind !== 'backup')
}

test('a healthy service has no items; an environment without a live key to spend from needs no credits', async () => {
  await service.makeKey({ project: 'idle', mode: 'test' })
  expect((await attention()).filter(({ project }) => project === 'idle' || project === 'acme')).toEqual([])
})

test('items: an environment without credits, one that soon has none, a key at its ceiling and a spent budget', async () => {
  const empty = await service.newCaller(0)
  const low = await service.newCaller(7)
  for (const id of ['ada', 'ada', 'ada', 'ada', 'ada']) await service.person(id, '', { ApiKey: low.key })
  const full = await service.newCaller(5_000, { ceiling: 1, label: 'nightly' })
  await service.person('ada', '', { ApiKey: full.key })
  const spent = await service.newCaller(5_000)
  const budget = { project: spent.project, environment: 'production', monthly: 1 }
  await service.admin('POST', '/credits/budgets', budget)
  await service.person('ada', '', { ApiKey: spent.key })
  // Spending is counted again after five minutes.
  service.clock.advance({ minutes: 6 })

  const items = await attention()

  expect(items).toContainEqual(
    expect.objectContaining({ level: 'danger', kind: 'environment', name: `${empty.project}/production` }),
  )
  expect(items).toContainEqual(
    expect.objectContaining({
      ...{ level: 'danger', kind: 'key', name: 'nightly', key_id: full.keyId },
      detail: `A key of ${full.project}/production has reached its ceiling of the month.`,
    }),
  )
  expect(items).toContainEqual(
    expect.objectContaining({ level: 'danger', kind: 'budget', name: `${spent.project}/production` }),
  )
  expect(items).toContainEqual(
    expect.objectContaining({
      ...{ level: 'warning', kind: 'environment', name: `${low.project}/production` },
      detail: '2 credits, enough for about 5 days.',
    }),
  )
  const levels = items.map(({ level }) => level)
  expect(levels).toEqual(levels.toSorted())
})

test('a provider that rejects our key is an item until it answers again', async () => {
  await service.upstream.setFault(401)
  // After the last answer, not in the same millisecond.
  service.clock.advance({ seconds: 1 })
  expect((await service.person('dee')).json['code']).toBe('upstream_unavailable')
  const troubled = await attention()
  await service.upstream.setFault(null)
  service.clock.advance({ minutes: 1 })
  await service.person('eve')

  expect(troubled).toContainEqual(expect.objectContaining({ level: 'danger', kind: 'provider', name: 'Another Vitae' }))
  expect((await attention()).filter(({ kind }) => kind === 'provider')).toEqual([])
})

test.skipIf(onPostgres)('an overdue backup is an item, and only for viewers of the whole service', async () => {
  const { token } = await service.admin<{ token: string }>('POST', '/tokens', { role: 'viewer', project: 'acme' })
  const mine = await service.get('/admin/v1/overview', { authorization: `Bearer ${token}` })
  const { attention: all } = await service.admin<{ attention: Item[] }>('GET', '/overview')

  expect(all).toContainEqual(expect.objectContaining({ kind: 'backup', level: 'warning' }))
  expect(JSON.stringify(mine.json['attention'])).not.toMatch(/backup|Another Vitae|project-/)
})

test('items with a remedy: a paused webhook, a waiting batch, a budget at 90 %, a crossed threshold and a near ceiling', async () => {
  const { key, keyId, project } = await service.newCaller(100, { ceiling: 10, label: 'nearly full' })
  const place = { project, environment: 'production' }
  const hook = { ...place, url: 'https://receiver.example/secret-path', events: ['credits.low'] }
  const { id: webhook } = await service.admin<{ id: string }>('POST', '/webhooks', hook)
  await service.admin('PATCH', `/webhooks/${webhook}`, { state: 'paused' })
  await service.admin('POST', '/credits/budgets', { ...place, monthly: 10 })
  await service.admin('POST', '/alerts', { ...place, credits_below: 95 })
  for (let call = 0; call < 9; call++) await service.person('ada', '', { ApiKey: key })

  const items = (await attention()).filter((item) => item.project === project)

  expect(items).toContainEqual(
    expect.objectContaining({
      ...{ level: 'danger', kind: 'webhook', id: webhook, state: 'paused', name: 'receiver.example' },
      advice: 'Repair the receiver, then resume the webhook: all waiting events are sent.',
    }),
  )
  expect(JSON.stringify(items)).not.toContain('secret-path')
  expect(items).toContainEqual(
    expect.objectContaining({
      ...{ level: 'warning', kind: 'budget' },
      detail: '9 of its budget of 10 credits for this month are spent.',
    }),
  )
  expect(items).toContainEqual(
    expect.objectContaining({ kind: 'environment', detail: '91 credits, below the 95 at which it is notified.' }),
  )
  expect(items).toContainEqual(
    expect.objectContaining({
      ...{ level: 'warning', kind: 'key', key_id: keyId },
      detail: `A key of ${project}/production has spent 90 % of its ceiling of the month.`,
    }),
  )
})

test("the doctor's last findings are items until its next run", async () => {
  await service.admin('GET', '/doctor')

  expect(await attention()).toContainEqual(
    expect.objectContaining({ kind: 'finding', name: expect.stringMatching(/^Doctor: /) }),
  )
})
