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
  // How full the disk of the machine is that runs this is its own affair.
  return items.filter(({ kind }) => kind !== 'disk' && kind !== 'backup')
}

test('nothing is said of what is well; an environment that no live key can spend from needs no credits', async () => {
  await service.makeKey({ project: 'idle', mode: 'test' })
  expect((await attention()).filter(({ project }) => project === 'idle' || project === 'acme')).toEqual([])
})

test('an environment without credits, one that soon has none, a key at its ceiling and a spent budget are told', async () => {
  const empty = await service.newCaller(0)
  const low = await service.newCaller(7)
  for (const id of ['ada', 'ada', 'ada', 'ada', 'ada']) await service.person(id, '', { ApiKey: low.key })
  const full = await service.newCaller(5_000, { ceiling: 1, label: 'nightly' })
  await service.person('ada', '', { ApiKey: full.key })
  const spent = await service.newCaller(5_000)
  const budget = { project: spent.project, environment: 'production', monthly: 1 }
  await service.admin('POST', '/credits/budgets', budget)
  await service.person('ada', '', { ApiKey: spent.key })
  // Spend is counted again after five minutes.
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
  expect(items.at(-1)).toMatchObject({
    ...{ level: 'warning', kind: 'environment', name: `${low.project}/production` },
    detail: '2 credits, enough for about 5 days.',
  })
})

test('a provider that rejects our key is told until it answers again', async () => {
  await service.upstream.setFault(401)
  await service.person('dee')
  const troubled = await attention()
  await service.upstream.setFault(null)
  service.clock.advance({ minutes: 1 })
  await service.person('eve')

  expect(troubled[0]).toMatchObject({ level: 'danger', kind: 'provider', name: 'Another Vitae' })
  expect((await attention()).filter(({ kind }) => kind === 'provider')).toEqual([])
})

test.skipIf(onPostgres)('a backup that is overdue is told, and only to those who see the whole service', async () => {
  const { token } = await service.admin<{ token: string }>('POST', '/tokens', { role: 'viewer', project: 'acme' })
  const mine = await service.get('/admin/v1/overview', { authorization: `Bearer ${token}` })
  const { attention: all } = await service.admin<{ attention: Item[] }>('GET', '/overview')

  expect(all).toContainEqual(expect.objectContaining({ kind: 'backup', level: 'warning' }))
  expect(JSON.stringify(mine.json['attention'])).not.toMatch(/backup|Another Vitae|project-/)
})
