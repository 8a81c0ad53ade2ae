import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

describe('batches over HTTP', () => {
  let service: TestService
  const caller = async (credits: number, wish: Record<string, unknown> = {}) => {
    const made = await service.newCaller(credits, wish)
    return { ...made, batches: new BatchCaller(service.url, made.key) }
  }

  beforeAll(async () => {
    service = await startTestService({ realClock: true, env: { VITAE_BATCH_ROWS: '3000' } })
  })
  afterAll(() => service.close())

  test('a row with a NUL byte is invalid, wherever the byte is, and does not affect other rows', async () => {
    const { batches } = await caller(100)
    const strange = [
      'a\0b',
      { id: 'a\0b' },
      { email: 'a\0b@acme.example' },
      { id: 'ada-batch', expect: { last_name: '\0' } },
    ]

    const answer = await batches.post({ kind: 'people', ids: [...strange, { id: 'ada-batch', note: 'a\0b' }] })
    const batch = await batches.until(String(answer.json['id']))
    const rows = await batches.results(batch.id)

    expect(rows.map(({ status }) => status)).toEqual(['invalid', 'invalid', 'invalid', 'invalid', 'found'])
    expect(rows.at(-1)).toMatchObject({ columns: { note: 'a\0b' } })
  })

  test('a batch answers every row in input order, and each id is paid once', async () => {
    const { batches, balance } = await caller(100)
    const ids = ['ada-batch', 'https://www.linkedin.com/in/grace-batch/', 'not an id', 'missing-person', 'ada-batch']

    const answer = await batches.post({ kind: 'people', ids, name: 'guests' })
    const id = String(answer.json['id'])
    const batch = await batches.until(id)
    const rows = await batches.results(id)

    expect(answer.status).toBe(202)
    expect(answer.headers.get('location')).toBe(`/v1/batches/${id}`)
    expect(answer.json).toEqual({ id, status: 'queued', total: 5, created_at: expect.any(String) })
    expect(batch).toMatchObject({ status: 'completed', name: 'guests', credits_spent: 2, seconds_left: 0 })
    expect(batch.counts).toEqual({ found: 3, not_found: 1, invalid: 1, failed: 0, waiting: 0 })
    expect(rows.map(({ row, input, status }) => [row, input, status])).toEqual([
      [1, 'ada-batch', 'found'],
      [2, 'https://www.linkedin.com/in/grace-batch/', 'found'],
      [3, 'not an id', 'invalid'],
      [4, 'missing-person', 'not_found'],
      [5, 'ada-batch', 'found'],
    ])
    expect(rows.map(({ error, credits }) => [error, credits])).toEqual([
      [null, 1],
      [null, 1],
      ['invalid_request', 0],
      ['not_found', 0],
      [null, 0],
    ])
    expect(rows[2]?.detail).toBe('profile_id has spaces, backslashes or characters that cannot be shown')
    expect(rows[4]).toMatchObject({ record: rows[0]?.record, request_id: rows[0]?.request_id })
    expect(rows[0]?.record).toEqual(
      (await service.get('/v1/people/profile?profile_id=ada-batch', { ApiKey: batches.key })).json,
    )
    expect(await balance()).toBe(97)
  })

  test('an upload that was removed for being slow becomes no batch, even if it completes meanwhile', async () => {
    const { batches } = await caller(10)
    const { store, keyCache } = service.service
    const { environmentId, keyId } = await keyCache.find(batches.key)
    const at = Date.now()
    const upload = { publicId: 'batch_slow', environmentId, keyId, mode: 'live', idempotencyHash: null } as const
    const begun = await store.batches.beginBatch({ ...upload, openAtMost: 100, at, expiresAt: at + 1_000 })
    const id = begun?.id ?? 0
    const row = { input: 'ada-slow', subject: null, names: null, question: null, columns: null }
    await store.batches.addBatchRows({ id, after: 0, rows: [row] })

    const expired = await store.batches.expiredBatches({ now: at + 1_000, limit: 100 })
    const settings = { kind: 'people', name: null, options: '{}', maxCredits: null } as const
    const end = store.batches.finishBatch({
      id,
      environmentId,
      ...settings,
      idempotencyHash: null,
      digest: '',
      total: 1,
      at,
    })

    await expect(end).rejects.toMatchObject({ code: 'invalid_request' })
    expect(expired).toContainEqual({ id, publicId: 'batch_slow', environmentId, rows: 1 })
  })

  test('ids may come as CSV, NDJSON or JSON with trailing settings, and produce the same rows', async () => {
    const { batches } = await caller(100)
    const csv = 'name;linkedin_url\r\n"Ada; a friend";ada-forms\r\nGrace;grace-forms\r\n'
    const ndjson = '"ada-forms"\n\n{"linkedin_url":"grace-forms"}\n'
    const json = '{"ids":["ada-forms",\n"grace-\\u0066orms"],"fields":["first_name"],"kind":"people"}'
    const query = '?kind=people&fields=first_name'

    const made = [
      await batches.submit(csv, { 'content-type': 'text/csv' }, `${query}&column=linkedin_url`),
      await batches.submit(ndjson, { 'content-type': 'application/x-ndjson' }, `${query}&column=linkedin_url`),
      await batches.submit(json),
    ]
    const rows = await Promise.all(made.map(async (id) => (await batches.until(id), batches.results(id))))

    for (const some of rows) {
      expect(some.map(({ input, status }) => [input, status])).toEqual([
        ['ada-forms', 'found'],
        ['grace-forms', 'found'],
      ])
      expect(Object.keys(some[0]?.record as object)).toEqual(['member_urn', 'first_name'])
    }
  })

  test('a repeated submission with the same Idempotency-Key is the same batch, and other content under it is 422', async () => {
    const { batches } = await caller(100)
    const header = { 'Idempotency-Key': 'again-1' }
    const first = await batches.submit({ kind: 'people', ids: ['ada-again'] }, header)

    const same = await batches.submit({ kind: 'people', ids: ['ada-again'] }, header)
    const limited = await batches.submit({ kind: 'people', ids: ['ada-again'], max_credits: 5 }, header)
    const other = await batches.post({ kind: 'people', ids: ['grace-again'] }, header)

    expect([same, limited]).toEqual([first, first])
    expect([other.status, other.json['code']]).toEqual([422, 'idempotency_key_reused'])
    expect((await batches.ask('/v1/batches')).json['batches']).toHaveLength(1)
  })

  test('invalid input is refused clearly, and none of it is stored', async () => {
    const { batches, keyId } = await caller(0)
    const { environmentId: own } = await service.service.store.keys.payerOfKey({ id: keyId })
    const csv = { 'content-type': 'text/csv' }
    const ask = '?kind=people&column=linkedin_url'
    const many = `linkedin_url\n${'ada\n'.repeat(1_000_000)}`

    const answers = [
      await batches.post('{"kind":"people"}', csv, ask),
      await batches.post(`linkedin_url\n${'"'.repeat(1_000_001)}`, csv, ask),
      await batches.post(many, csv, ask),
      await batches.post('name,url\nAda,ada\n', csv, ask),
      await batches.ask(`/v1/batches${ask}`, { method: 'POST', headers: csv, body: new Uint8Array([0, 255, 128, 10]) }),
      await batches.post('{"kind":"people","ids":["ada"'),
      await batches.post({ kind: 'people', ids: ['ada'], max_credit: 5 }),
      await batches.post({ kind: 'planets', ids: ['ada'] }),
      await batches.post({ kind: 'people', ids: [] }),
      await batches.post('ada', { 'content-type': 'text/plain' }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 413, 400, 400, 400, 400, 400, 400, 415])
    for (const { json } of answers) expect(String(json['detail'])).not.toBe('')
    expect(answers[2]?.json['detail']).toMatch(/at most 3000 rows.*Split.*VITAE_BATCH_ROWS/)
    expect(answers[3]?.json['detail']).toMatch(/column is not in the CSV, which has: name, url/)
    expect((await batches.ask('/v1/batches')).json).toEqual({ batches: [], next: null })
    const now = Number.MAX_SAFE_INTEGER
    const stored = await service.service.store.batches.expiredBatches({ now, limit: 100 })
    expect(stored.filter(({ environmentId }) => environmentId === own)).toEqual([])
  })

  test('a batch without credits pauses with a reason and resumes by itself when credits arrive; max_credits is never exceeded', async () => {
    const { batches, project, balance } = await caller(1)
    const id = await batches.submit({
      kind: 'people',
      ids: ['ada-paused', 'grace-paused', 'emmy-paused'],
      max_credits: 2,
    })
    const paused = await batches.until(id, ({ status }) => status === 'paused')
    await service.grant(10, 'production', project)
    const full = await batches.until(id, ({ pause_reason: reason }) => reason === 'max_credits_reached')
    await batches.change(id, 'resume', { max_credits: 3 })
    const done = await batches.until(id, ({ status }) => status === 'completed')

    expect(paused).toMatchObject({ pause_reason: 'out_of_credits', credits_spent: 1, resumed_by: expect.any(String) })
    expect(full).toMatchObject({ status: 'paused', credits_spent: 2 })
    expect(done).toMatchObject({ credits_spent: 3, counts: { found: 3, waiting: 0 } })
    expect(await balance()).toBe(8)
  })

  test('an erased person looks like one that was not found, and no batch names them any longer', async () => {
    const { batches } = await caller(10)
    const id = await batches.submit({ kind: 'people', ids: ['https://www.linkedin.com/in/Erased-Batch/', 'ada-stays'] })
    await batches.until(id)
    await service.admin('POST', '/records/people/erased-batch/erase', { reason: 'asked' })

    const rows = await batches.results(id)

    expect(rows[0]).toMatchObject({
      input: null,
      status: 'not_found',
      error: 'not_found',
      source: null,
      credits: 0,
      record: null,
    })
    expect(rows[1]).toMatchObject({ input: 'ada-stays', status: 'found' })
    expect((await batches.show(id)).counts).toMatchObject({ found: 1, not_found: 1 })
  })

  test('a batch of another environment is 404 everywhere', async () => {
    const { batches } = await caller(10)
    const other = await caller(10)
    const id = await batches.submit({ kind: 'people', ids: ['ada-private'] })

    const paths = ['', '/results', '/cancel', '/resume']
    const answers = await Promise.all(
      paths.map((path) =>
        other.batches.ask(`/v1/batches/${id}${path}`, { method: /c.*l|resume/.test(path) ? 'POST' : 'GET' }),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })

  test('with a test key a batch answers from samples for free, and results are CSV that no spreadsheet executes', async () => {
    const { batches } = await caller(0, { mode: 'test' })
    const id = await batches.submit({
      kind: 'people',
      ids: ['ada-of-samples', 'sample-not-found', '=1+1'],
      paths: ['first_name'],
    })
    const batch = await batches.until(id)

    const csv = await batches.ask(`/v1/batches/${id}/results`, { headers: { accept: 'text/csv' } })
    const lines = csv.text.trim().split('\r\n')

    expect(batch).toMatchObject({ status: 'completed', credits_spent: 0, counts: { not_found: 1 } })
    expect(csv.headers.get('content-type')).toContain('text/csv')
    expect(lines[0]).toBe(
      'row,input,status,error,detail,source,fetched_at,credits,request_id,likelihood,matched_on,first_name',
    )
    expect(lines[1]).toMatch(/^1,ada-of-samples,found,,,live,/)
    expect(lines[2]).toMatch(/^2,sample-not-found,not_found,not_found,/)
    expect(lines[3]).toMatch(/^3,'=1\+1,/)
    // Batches of other tests may still run, with other ids.
    expect(service.upstream.requests.filter(({ path }) => path.includes('sample'))).toEqual([])
  })

  test('the request rate of its key does not limit a batch, and a batch never causes other calls of the key to be refused', async () => {
    const { batches, key, project } = await caller(100, { rate: '20/3600s' })
    // Reading the progress counts in the rate limit of the key that reads it.
    const reader = new BatchCaller(service.url, (await service.makeKey({ project })).key)
    const ids = Array.from({ length: 60 }, (_, index) => `paced-${index}`)
    const id = await batches.submit({ kind: 'people', ids })
    await reader.until(id)

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => service.get('/v1/people/profile?profile_id=paced-0', { ApiKey: key })),
    )

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(await batches.results(id)).toHaveLength(60)
  })
})
