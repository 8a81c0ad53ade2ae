import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestAnswer, type TestService } from '../../harness/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ realClock: true, env: { VITAE_BATCH_ROWS: '3000' } })
})
afterAll(() => service.close())

interface Listed {
  batches: Record<string, unknown>[]
  next_cursor: string | null
}

function send(path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const authorization = `Bearer ${service.service.admin.ownerToken}`
  const sent = { authorization, 'content-type': 'text/csv', ...headers }
  return fetch(`${service.url}/admin/v1${path}`, { method: 'POST', headers: sent, body }).then(
    async (answer): Promise<Pick<TestAnswer, 'status' | 'json'>> => ({
      status: answer.status,
      json: (await answer.json()) as Record<string, unknown>,
    }),
  )
}

async function until(id: string, status: string): Promise<Record<string, unknown>> {
  for (;;) {
    const batch = await service.admin('GET', `/batches/${id}`)
    if (batch['status'] === status) return batch
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const auditOf = async (id: string) => {
  const { entries } = await service.admin<{ entries: { action: string; actor: string; subject: string }[] }>(
    'GET',
    '/audit?limit=50',
  )
  return entries.filter(({ subject }) => subject === id).map(({ action, actor }) => `${actor} ${action}`)
}

test('a preview counts rows, distinct ids, invalid ones and stored ones, and shows the price without paying or storing', async () => {
  const { keyId, key, balance } = await service.newCaller(50)
  const at = { ApiKey: key }
  await service.get('/v1/people/profile?profile_id=ada-preview', at)
  await service.get('/v1/people/profile?profile_id=missing-preview', at)
  await service.get('/v1/people/profile?profile_id=hidden-preview', at)
  await service.admin('POST', '/suppressions', { kind: 'people', ids: ['hidden-preview'], reason: 'asked' })
  const before = { balance: await balance(), asked: service.upstream.requests.length }
  const csv = ['name;url', 'Ada;ada-preview', 'A;https://www.linkedin.com/in/Ada-Preview/', 'N;not an id', ';'].join(
    '\r\n',
  )
  const more = ['M;missing-preview', 'H;hidden-preview', 'New;new-preview', 'New;new-preview'].join('\n')

  const { status, json } = await send(
    `/batches/preview?key_id=${keyId}&kind=people&column=url`,
    `\uFEFF${csv}\n${more}\n`,
  )
  const fresh = await send(`/batches/preview?key_id=${keyId}&kind=people&max_age_days=0`, 'url\nada-preview\n')

  expect(status).toBe(200)
  expect(json).toMatchObject({ rows: 8, invalid: 2, distinct: 4, in_store: 1, fresh: 1, not_found: 1 })
  // One stored id, one suppressed and one new: each is paid once, however many rows name it.
  expect(json).toMatchObject({ credits_at_most: 3, credits_available: before.balance, ceiling_remaining: null })
  expect(fresh.json).toMatchObject({ rows: 1, in_store: 1, fresh: 0, credits_at_most: 1 })
  expect({ balance: await balance(), asked: service.upstream.requests.length }).toEqual(before)
  expect((await service.admin<Listed>('GET', `/batches?key_id=${keyId}`)).batches).toEqual([])
})

test('an operator submits a file for a key, follows it, resumes it with more credits and downloads it, all audited', async () => {
  const { keyId, project, balance } = await service.newCaller(50)
  const path = `/batches?key_id=${keyId}&kind=people&name=guests&max_credits=1&fields=first_name`
  const mark = { 'Idempotency-Key': 'console-1' }
  const submitted = await send(path, 'url\nada-file\ngrace-file\n', mark)
  const again = await send(path, 'url\nada-file\ngrace-file\n', mark)
  const id = String(submitted.json['id'])
  const paused = await until(id, 'paused')
  await service.admin('POST', `/batches/${id}/resume`, { max_credits: 2 })
  const done = await until(id, 'completed')
  const bearer = { authorization: `Bearer ${service.service.admin.ownerToken}` }
  const csv = await service.get(`/admin/v1/batches/${id}/results?format=csv`, bearer)
  const ndjson = await (await fetch(`${service.url}/admin/v1/batches/${id}/results`, { headers: bearer })).text()

  expect([submitted.status, again.json['id']]).toEqual([202, id])
  expect(paused).toMatchObject({ pause_reason: 'max_credits_reached', project, key_id: keyId, name: 'guests' })
  expect(done).toMatchObject({ counts: { found: 2, waiting: 0 }, credits_spent: 2, environment: 'production' })
  expect(await balance()).toBe(48)
  expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="${id}.csv"`)
  expect(csv.text.split('\r\n').map((line) => line.split(',', 3).join())).toEqual([
    'row,input,status',
    '1,ada-file,found',
    '2,grace-file,found',
    '',
  ])
  expect(ndjson.trim().split('\n')).toHaveLength(2)
  expect(await auditOf(id)).toEqual([
    'owner batch.download',
    'owner batch.download',
    'owner batch.resume',
    'owner batch.submit',
  ])
})

test('batches are listed page by page, newest first, by project and by state, and a cancelled one stays cancelled', async () => {
  const { keyId, project } = await service.newCaller(0)
  const ids: string[] = []
  for (const name of ['one', 'two', 'three']) {
    const { json } = await send(`/batches?key_id=${keyId}&kind=people&name=${name}`, 'id\nada-list\n')
    ids.unshift(String(json['id']))
  }
  const cancelled = await service.admin('POST', `/batches/${ids[1]}/cancel`)
  await service.admin('POST', `/batches/${ids[1]}/cancel`)
  const first = await service.admin<Listed>('GET', `/batches?project=${project}&limit=2`)
  const rest = await service.admin<Listed>('GET', `/batches?project=${project}&limit=2&cursor=${first.next_cursor}`)
  const byState = await service.admin<Listed>('GET', `/batches?project=${project}&status=cancelled`)

  expect([...first.batches, ...rest.batches].map(({ id }) => id)).toEqual(ids)
  expect(rest.next_cursor).toBeNull()
  expect(cancelled).toMatchObject({ status: 'cancelled', name: 'two' })
  expect(byState.batches.map(({ id }) => id)).toEqual([ids[1]])
  expect(await auditOf(ids[1] ?? '')).toEqual(['owner batch.cancel', 'owner batch.submit'])
})

test('an unreadable file and a key without permission are refused with a message; nothing is stored', async () => {
  const { keyId, project } = await service.newCaller(5, { endpoints: ['companies'] })
  const over = await service.makeKey({ project })
  await service.admin('POST', `/keys/${over.id}/revoke`, {})
  const people = `?key_id=${keyId}&kind=people&column=url`
  const companies = `?key_id=${keyId}&kind=companies&column=url`
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 255, 10])

  const answers = []
  for (const path of ['/batches', '/batches/preview']) {
    answers.push(
      await send(path + people, 'url\nada\n'),
      await send(`${path}?key_id=${over.id}&kind=people`, 'url\nada\n'),
      await send(`${path}?key_id=nobody&kind=people`, 'url\nada\n'),
      await send(path + companies, 'name,site\nAcme,acme.example\n'),
      await send(path + companies, png),
      await send(path + companies, `url\n${'acme\n'.repeat(3_001)}`),
      await send(path + companies, 'url\n'),
      await send(`${path}${companies}&max_credit=1`, 'url\nacme\n'),
    )
  }

  const expected = [409, 409, 404, 400, 400, 413, 400, 400]
  expect(answers.map(({ status }) => status)).toEqual([...expected, ...expected])
  expect(answers.map(({ json }) => json['detail']).slice(0, 5)).toEqual([
    'The key may not use this endpoint.',
    'The API key was revoked.',
    'There is no key nobody.',
    'column is not in the CSV, which has: name, site.',
    'The body is not UTF-8 text: see line 1.',
  ])
  expect(answers[2]?.json['hint']).toBe('"vitae keys list" shows all keys.')
  expect((await service.admin<Listed>('GET', `/batches?project=${project}`)).batches).toEqual([])
})

test('rows without a record are listed page by page with their reasons, and in full as a file', async () => {
  const { keyId } = await service.newCaller(9)
  const query = `?key_id=${keyId}&kind=people&column=id&name=unfound.csv`
  const rows = 'id,company,row\nada-unfound,Acme,7\nnot an id,"Example, Ltd",8\nmissing-unfound,=1+1,9\n'
  const { json } = await send(`/batches${query}`, rows)
  const id = String(json['id'])
  await until(id, 'completed')
  interface Page {
    rows: { row: number; status: string; error: string }[]
    next_cursor: string | null
  }

  const first = await service.admin<Page>('GET', `/batches/${id}/unfound?limit=1`)
  const rest = await service.admin<Page>('GET', `/batches/${id}/unfound?cursor=${first.next_cursor}`)
  const authorization = `Bearer ${service.service.admin.ownerToken}`
  const file = await service.get(`/admin/v1/batches/${id}/unfound?format=csv`, { authorization })

  expect([...first.rows, ...rest.rows]).toMatchObject([
    { row: 2, input: 'not an id', status: 'invalid', columns: { company: 'Example, Ltd', row: '8' } },
    { row: 3, input: 'missing-unfound', status: 'not_found', error: 'not_found' },
  ])
  expect(rest.next_cursor).toBeNull()
  expect(file.text.split('\r\n').slice(0, 3)).toEqual([
    'id,company,input_row,row,input,status,error,detail,request_id',
    expect.stringMatching(/^not an id,"Example, Ltd",8,2,not an id,invalid,invalid_request,.+,$/),
    expect.stringMatching(/^missing-unfound,'=1\+1,9,3,missing-unfound,not_found,not_found,/),
  ])
  expect(await auditOf(id)).toEqual(expect.arrayContaining(['owner batch.unfound']))
})

test('rows without a record of a test batch are listed too, with the inputs of a match', async () => {
  const { project } = await service.newCaller(0)
  const { id: keyId } = await service.makeKey({ project, mode: 'test' })
  const { json } = await send(
    `/batches?key_id=${keyId}&kind=people`,
    'profile_id,email\nada,\nsample-not-found,\n,sample-not-found@example.com\n',
  )
  const id = String(json['id'])
  await until(id, 'completed')

  const { rows } = await service.admin<{ rows: object[] }>('GET', `/batches/${id}/unfound`)
  const { counts } = await service.admin<{ counts: object }>('GET', `/batches/${id}`)

  expect(counts).toMatchObject({ found: 1, not_found: 2 })
  expect(rows).toMatchObject([
    { row: 2, input: 'sample-not-found', status: 'not_found', error: 'no_match' },
    { row: 3, input: 'sample-not-found@example.com', status: 'not_found', error: 'no_match' },
  ])
})
