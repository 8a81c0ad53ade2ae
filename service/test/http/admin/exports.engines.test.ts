import type { Export } from '@vitae/contract/admin'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestAnswer, type TestService } from '../../harness/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ upstream: 'directory' })
})
afterAll(() => service.close())

type Ask = Record<string, string>

const bearer = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
const owner = () => service.service.admin.ownerToken

function begin(list: string, ask: Ask = {}, token = owner()): Promise<TestAnswer> {
  return service.get('/admin/v1/exports', bearer(token), 'POST', JSON.stringify({ list, ask }))
}

async function ended(id: string, token = owner()): Promise<Export> {
  const show = async () => (await service.get(`/admin/v1/exports/${id}`, bearer(token))).json as unknown as Export
  await expect.poll(async () => (await show()).state).not.toBe('preparing')
  return show()
}

async function fileOf(list: string, ask: Ask = {}, token = owner()): Promise<string[][]> {
  const { json } = await begin(list, ask, token)
  const { state, detail, id } = await ended(String(json['id']), token)
  expect([state, detail]).toEqual(['ready', null])
  const file = await fetch(`${service.url}/admin/v1/exports/${id}/file`, { headers: bearer(token) })
  expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="[a-z-]+-\d{4}-\d\d-\d\d\.csv"$/)
  const text = await file.text()
  return text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))
}

test('an export has all rows of a list once, with labels and names instead of ids, and is audited without its filters', async () => {
  const { key, project } = await service.newCaller(50, { label: '=cmd sync' })
  await service.person('amara-okafor', '', { ApiKey: key, 'X-Spend-Tag': 'spring' })
  await service.person('nobody-at-all', '', { ApiKey: key })

  const [labels = [], ...calls] = await fileOf('listCalls', { project })
  const cell = (row: string[] | undefined, label: string) => row?.[labels.indexOf(label)]
  expect(calls).toHaveLength(2)
  expect(cell(calls[1], 'Record')).toBe('Amara Okafor')
  expect(cell(calls[1], 'Spend tag')).toBe('spring')
  expect(cell(calls[0], 'Code')).toBe('not_found')
  // A spreadsheet must not run it as a formula.
  expect(cell(calls[0], 'Key')).toBe("'=cmd sync")
  const ids = Array.from({ length: 2_100 }, (_, index) => `opt-out-${index}`)
  for (const part of [ids.slice(0, 1_000), ids.slice(1_000, 2_000), ids.slice(2_000)])
    await service.admin('POST', '/suppressions', { kind: 'people', ids: part })
  const [, ...suppressed] = await fileOf('listSuppressions', { origin: 'operator' })
  expect(new Set(suppressed.map(([hash]) => hash)).size).toBe(2_100)
  const { entries } = await service.admin<{ entries: { action: string; after: unknown }[] }>(
    'GET',
    '/audit?action=export.begin&limit=2',
  )
  expect(entries.map(({ after }) => after)).toEqual([
    { list: 'listSuppressions', filters: ['origin'] },
    { list: 'listCalls', filters: ['project'] },
  ])
})

test('every list can be exported, and a wrong parameter is refused by its name', async () => {
  const { project } = await service.newCaller(5)
  const hook = { project, url: 'https://receiver.example/hook', events: ['credits.low'] }
  const { id } = await service.admin<{ id: string }>('POST', '/webhooks', hook)
  const asks: Record<string, Ask> = {
    listWebhookDeliveries: { id },
    listParkedEvents: { id },
    creditHistory: { project, environment: 'production' },
    readUsage: { group: 'key', per: 'all' },
  }
  const lists = 'listCalls listKeys listProjects listBatches listWatches listWebhooks searchRecords listAudit'
  for (const list of [...lists.split(' '), 'listSessions', 'listTokens', ...Object.keys(asks)]) {
    const [labels = []] = await fileOf(list, asks[list])
    expect(labels.length, list).toBeGreaterThan(4)
  }
  expect(await begin('listCalls', { status: 'many' })).toMatchObject({
    status: 400,
    json: { errors: [{ parameter: 'status' }] },
  })
})

test('an export has the rights of its list, and only its own admin sees it', async () => {
  const mine = await service.newCaller(5)
  const other = await service.newCaller(5)
  const tokenOf = async (body: object) => (await service.admin<{ token: string }>('POST', '/tokens', body)).token
  const limited = await tokenOf({ label: 'limited', role: 'viewer', project: mine.project })
  const viewer = await tokenOf({ label: 'viewer', role: 'viewer' })

  const [labels = [], ...keys] = await fileOf('listKeys', {}, limited)
  expect(new Set(keys.map((row) => row[labels.indexOf('Project')]))).toEqual(new Set([mine.project]))
  expect((await begin('listTokens', {}, viewer)).status).toBe(403)
  expect((await begin('searchRecords', {}, limited)).status).toBe(403)
  const history = { project: other.project, environment: 'production' }
  expect((await begin('creditHistory', history, limited)).status).toBe(403)
  const { json } = await begin('listKeys', {}, limited)
  for (const path of ['', '/file'])
    expect((await service.get(`/admin/v1/exports/${String(json['id'])}${path}`, bearer(viewer))).status).toBe(404)
})

test('a cancelled export ends, and a file is removed after a day', async () => {
  const { json } = await begin('listKeys')
  const kept = await ended(String(json['id']))
  const { store, clock } = service.service
  const id = String((await begin('listProjects')).json['id'])
  const cancelled = await service.admin<Export>('DELETE', `/exports/${id}`)
  expect(cancelled.state).toBe('cancelled')
  expect((await service.get(`/admin/v1/exports/${id}/file`, bearer(owner()))).status).toBe(409)

  service.clock.advance({ days: 1, seconds: 1 })
  expect((await service.get(`/admin/v1/exports/${kept.id}/file`, bearer(owner()))).status).toBe(404)
  await store.exports.removeExports({ before: clock.now() })
  expect(await store.exports.showExport({ id: kept.id })).toBeNull()
  expect(await store.exports.readExportPart({ id: kept.id, number: 1 })).toBeNull()
})

test('what a dead node has prepared is begun again, and the dead node can add nothing', async () => {
  const { store, clock, exports } = service.service
  const facts = { actor: 'owner', role: 'owner' as const, project: null, list: 'listKeys', ask: '{}', filters: [] }
  const at = clock.now()
  await store.exports.beginExport({ id: 'exp_left', ...facts, names_records: 0, at, expiresAt: at + 86_400_000 })
  const left = await store.exports.claimExport({ node: 'dead', leaseMs: 1 })
  const part = { id: 'exp_left', lease: left?.lease ?? 0, rows: 7, body: Buffer.from('half') }
  expect(await store.exports.addExportPart({ ...part, number: 1 })).toBe(true)

  service.clock.advance({ seconds: 1 })
  await expect
    .poll(() => {
      exports.wake()
      return ended('exp_left').then(({ state }) => state)
    })
    .toBe('ready')
  const { keys } = await service.admin<{ keys: object[] }>('GET', '/keys?limit=1000')
  expect((await ended('exp_left')).rows).toBe(keys.length)
  expect(await store.exports.addExportPart({ ...part, number: 9 })).toBe(false)
})

test('an erasure removes the files that could name the erased person, and no other', async () => {
  const { key } = await service.newCaller(5)
  await service.person('salma-idrissi', '', { ApiKey: key })
  const calls = await ended(String((await begin('listCalls')).json['id']))
  const keys = await ended(String((await begin('listKeys')).json['id']))

  await service.admin('POST', '/records/people/salma-idrissi/erase', { reason: 'asked for it' })

  const removed = await ended(calls.id)
  expect(removed).toMatchObject({ state: 'removed', detail: expect.stringContaining('Begin the export again') })
  expect(await service.service.store.exports.readExportPart({ id: calls.id, number: 1 })).toBeNull()
  expect((await ended(keys.id)).state).toBe('ready')
  const [labels = [], ...rows] = await fileOf('listCalls')
  expect(rows.map((row) => row[labels.indexOf('Record')])).not.toContain('Salma Idrissi')
})
