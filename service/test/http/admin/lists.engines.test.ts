import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../harness/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ upstream: 'directory' })
})
afterAll(() => service.close())

interface Named {
  id?: string
  name?: string
  label?: string | null
  hash?: string
}

/** All pages of a list, one after another. */
async function walk(path: string, list: string): Promise<Named[]> {
  const rows: Named[] = []
  for (let cursor: string | null = null, pages = 0; pages < 50; pages++) {
    const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await service.admin<Record<string, Named[]> & { next_cursor: string | null }>('GET', path + next)
    rows.push(...(page[list] ?? []))
    cursor = page.next_cursor
    if (cursor === null) return rows
  }
  throw new Error('the list does not end')
}

test('keys are searched, filtered and sorted page by page, and an expired key is not active', async () => {
  const project = 'lists'
  const ids: string[] = []
  for (const label of ['Crm sync', 'nightly 100%', 'crm_export', 'soon over', 'over']) {
    const settings = label === 'soon over' ? { expires_at: '2026-11-15' } : {}
    ids.push((await service.makeKey({ project, label, ...settings })).id)
    service.clock.advance({ minutes: 1 })
  }
  await service.admin('POST', `/keys/${ids[4]}/revoke`, {})
  const labels = async (query: string) =>
    (await walk(`/keys?project=${project}&limit=2${query}`, 'keys')).map(({ label }) => label)

  expect(await labels('&order=newest')).toEqual(['over', 'soon over', 'crm_export', 'nightly 100%', 'Crm sync'])
  expect(await labels('&order=oldest&text=crm')).toEqual(['Crm sync', 'crm_export'])
  expect(await labels(`&order=oldest&text=${encodeURIComponent('0%')}`)).toEqual(['nightly 100%'])
  expect(await labels(`&order=newest&text=${ids[1]}`)).toEqual(['nightly 100%'])
  expect((await labels('')).toSorted((a, b) => String(a).localeCompare(String(b)))).toHaveLength(5)
  expect(await labels('&order=oldest&state=ended')).toEqual(['over'])
  service.clock.advance({ days: 2 })
  expect(await labels('&order=oldest&state=ended')).toEqual(['soon over', 'over'])
  expect(await labels('&order=oldest&state=active')).toEqual(['Crm sync', 'nightly 100%', 'crm_export'])
  expect(await labels('&order=last_used&mode=test')).toEqual([])
  expect(await service.admin('GET', `/projects/${project}`)).toMatchObject({ environments: [{ keys: 3 }] })
})

test('projects are searched, filtered and sorted page by page, and without a limit the list is complete', async () => {
  const names = ['zeta one', 'alpha one', 'Mid One']
  for (const name of names) {
    await service.admin('POST', '/projects', { name, environments: ['production'] })
    service.clock.advance({ minutes: 1 })
  }
  await service.admin('PATCH', '/projects/alpha%20one', { suspended: true })
  const found = async (query: string) =>
    (await walk(`/projects?text=one&limit=1${query}`, 'projects')).map(({ name }) => name)

  expect(await found('&order=newest')).toEqual(['Mid One', 'alpha one', 'zeta one'])
  expect(await found('&order=oldest')).toEqual(names)
  expect(new Set(await found(''))).toEqual(new Set(names))
  expect(await found('&state=suspended')).toEqual(['alpha one'])
  expect((await service.admin<{ projects: object[] }>('GET', '/projects')).projects.length).toBeGreaterThan(3)
})

test('an empty project can be deleted, and one with a working key, a call or credits cannot', async () => {
  const remove = async (name: string) => {
    const headers = { authorization: `Bearer ${service.service.admin.ownerToken}` }
    const { status, json } = await service.get(`/admin/v1/projects/${name}`, headers, 'DELETE')
    return [status, json['deleted'] ?? json['detail']]
  }
  const { id } = await service.makeKey({ project: 'typo' })
  const kept = await service.makeKey({ project: 'called', mode: 'test' })
  await service.get('/v1/people/profile?profile_id=sample-complete', { ApiKey: kept.key })
  await service.admin('POST', `/keys/${kept.id}/revoke`, {})
  await service.admin('POST', '/projects', { name: 'granted', environments: ['production'] })
  await service.grant(5, 'production', 'granted')

  expect(await remove('typo')).toEqual([409, expect.stringContaining('still has an active key')])
  await service.admin('POST', `/keys/${id}/revoke`, {})
  expect(await remove('typo')).toEqual([200, 'typo'])
  expect(await remove('typo')).toEqual([404, expect.stringContaining('no project typo')])
  expect(await remove('granted')).toEqual([409, expect.stringContaining('ledger has entries')])
  expect(await remove('called')).toEqual([409, expect.stringContaining('calls were made')])
  expect(await service.admin('GET', '/audit?action=project.delete')).toMatchObject({ entries: [{ subject: 'typo' }] })
})

test('the audit log names the viewer of a record, the record and the token, and forgets the name with the record', async () => {
  const { id, token } = await service.admin<{ id: string; token: string }>('POST', '/tokens', {
    role: 'operator',
    label: 'support desk',
  })
  await service.person('amara-okafor')
  const headers = { authorization: `Bearer ${token}` }
  await service.get('/admin/v1/records/people/amara-okafor', headers)
  await service.get('/admin/v1/records/people/amara-okafor/history', headers)

  const looked = await service.admin('GET', '/audit?record=amara-okafor&since=1h')
  const nobody = await service.get('/admin/v1/audit?record=nobody-at-all', {
    authorization: `Bearer ${service.service.admin.ownerToken}`,
  })
  await service.admin('POST', '/records/people/amara-okafor/erase', { reason: 'asked for' })
  const after = JSON.stringify(await service.admin('GET', `/audit?actor=token:${id}`))

  const by = { actor: `token:${id}`, actor_name: 'support desk' }
  const record = { kind: 'people', key: expect.any(String), name: 'Amara Okafor' }
  expect(looked).toMatchObject({
    entries: [
      { ...by, action: 'record.history', record },
      { ...by, action: 'record.show', record },
    ],
  })
  expect(nobody.status).toBe(404)
  expect(after).toContain('record.show')
  expect(after).not.toMatch(/amara/i)
})

test('sessions and suppressions are paged, and suppressions can be listed newest first', async () => {
  for (let count = 0; count < 3; count++) {
    await service.admin('POST', '/session', { token: service.service.admin.ownerToken })
    await service.admin('POST', '/suppressions', { kind: 'people', ids: [`listed-${count}`], origin: 'a feed' })
    service.clock.advance({ minutes: 1 })
  }
  const all = await service.admin<{ sessions: Named[] }>('GET', '/sessions')
  const oldest = await walk('/suppressions?origin=a%20feed&limit=2', 'suppressions')
  const newest = await walk('/suppressions?origin=a%20feed&order=newest&limit=2', 'suppressions')

  expect((await walk('/sessions?limit=2', 'sessions')).map(({ id }) => id)).toEqual(all.sessions.map(({ id }) => id))
  expect(await walk('/sessions?limit=2&text=nobody', 'sessions')).toEqual([])
  expect(newest).toEqual(oldest.toReversed())
  expect(new Set(newest.map(({ hash }) => hash)).size).toBe(newest.length)
  expect(await walk('/suppressions?origin=a%20feed&kind=companies&limit=2', 'suppressions')).toEqual([])
})

test('a list of identifiers with an invalid line is refused as a whole, and the line is named', async () => {
  const answer = await service.get(
    '/admin/v1/suppressions',
    { authorization: `Bearer ${service.service.admin.ownerToken}`, 'content-type': 'application/json' },
    'POST',
    JSON.stringify({ kind: 'people', ids: ['fine-one', 'https://example.com/nowhere', 'fine-two'] }),
  )
  const { suppressed } = await service.admin<{ suppressed: string[] }>('POST', '/suppressions/check', {
    kind: 'people',
    ids: ['fine-one'],
  })

  expect(answer.status).toBe(400)
  expect(answer.json).toMatchObject({ errors: [{ parameter: 'ids/1', detail: expect.stringContaining('Line 2') }] })
  expect(suppressed).toEqual([])
})

test('a number that no column can store is refused with 400, in a path, a query and a body', async () => {
  const owner = `Bearer ${service.service.admin.ownerToken}`
  const acme = { project: 'acme', environment: 'production' }
  const asked: [string, string, object?][] = [
    ['GET', '/v1/people/history?profile_id=ada&before=9223372036854775808'],
    ['GET', '/v1/batches/batch_x/results?after=1e30'],
    ['GET', '/admin/v1/records/versions/9223372036854775808'],
    ['POST', '/v1/batches/batch_x/resume', { max_credits: 1e30 }],
    ['POST', '/admin/v1/credits/budgets', { ...acme, monthly: 1e30 }],
    ['POST', '/admin/v1/credits/recurring', { ...acme, monthly: 2 ** 63, carry_over: false }],
  ]
  for (const [method, path, body] of asked) {
    const who: Record<string, string> = path.startsWith('/v1') ? { ApiKey: service.liveKey } : { authorization: owner }
    const headers = { ...who, ...(body && { 'content-type': 'application/json' }) }
    const { status, json } = await service.get(path, headers, method, body && JSON.stringify(body))
    expect([path, status, json['code']]).toEqual([path, 400, 'invalid_request'])
  }
})

test('a NUL byte is refused with 400, in a path, a query and a body, on every engine', async () => {
  const owner = `Bearer ${service.service.admin.ownerToken}`
  const acme = { project: 'acme', environment: 'production' }
  const asked: [string, string, object?][] = [
    ['GET', '/v1/receipts/a%00b'],
    ['GET', '/v1/batches/a%00b'],
    ['GET', '/v1/events?type=a%00b'],
    ['GET', '/admin/v1/keys?project=a%00b'],
    ['GET', '/admin/v1/calls?tag=a%00b'],
    ['GET', '/admin/v1/projects/a%00b'],
    ['POST', '/admin/v1/keys', { project: 'a\0b', environment: 'production', mode: 'test' }],
    ['POST', '/admin/v1/credits/grants', { project: 'a', environment: 'production', amount: 1, reason: 'a\0b' }],
    ['POST', '/admin/v1/watches', { ...acme, watches: [{ kind: 'people', id: 'ada', note: 'a\0b' }] }],
    ['POST', '/admin/v1/prices', { lines: [{ project: 'a\0b', credits: 1 }, { credits: 1 }] }],
    ['POST', '/v1/watches', { kind: 'people', match: { name: 'a\0b', company: 'Acme' } }],
    ['POST', '/v1/batches', { kind: 'people', name: 'a\0b', ids: ['ada'] }],
  ]
  for (const [method, path, body] of asked) {
    const who: Record<string, string> = path.startsWith('/v1') ? { ApiKey: service.liveKey } : { authorization: owner }
    const headers = { ...who, ...(body && { 'content-type': 'application/json' }) }
    const { status, json } = await service.get(path, headers, method, body && JSON.stringify(body))
    expect([path, status, json['code']]).toEqual([path, 400, 'invalid_request'])
  }
})
