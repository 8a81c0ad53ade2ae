import { afterAll, beforeAll, expect, test } from 'vitest'
import { runDueWatches } from '../../../src/watches/run-watches.ts'
import { BatchCaller } from '../../batches/batch-caller.ts'
import { startTestService, type TestAnswer, type TestCaller, type TestService } from '../../harness/test-service.ts'
import { callTool, connect } from '../../mcp/mcp-client.ts'

let service: TestService
let owner: TestCaller
/** Keys that must not see the owner's calls. */
const strangers = new Map<string, string>()
/** The ids of calls, by their kind. */
const calls = new Map<string, string>()
/** Paths to the two records that the owner has paid for twice. */
const historyPaths: string[] = []
/** Texts that no answer to another environment may contain. */
const traces: string[] = []

beforeAll(async () => {
  service = await startTestService({ people: { 'no-such-person': null } })
  owner = await service.newCaller(1_000)
  const { project } = owner
  const elsewhere = await service.newCaller(1_000)
  strangers.set('other environment', (await service.makeKey({ project, environment: 'staging' })).key)
  strangers.set('other project', elsewhere.key)
  strangers.set('own test key', (await service.makeKey({ project, mode: 'test' })).key)
  strangers.set('other test key', (await service.makeKey({ project: elsewhere.project, mode: 'test' })).key)
  await makeCalls()
  await renamePerson()
  await renameCompany()
})
afterAll(() => service.close())

const post = (path: string, body: object, ApiKey = owner.key) =>
  service.get(path, { ApiKey, 'content-type': 'application/json' }, 'POST', JSON.stringify(body))
const note = (name: string, { headers }: TestAnswer) => calls.set(name, headers.get('x-request-id') ?? '')
const own = (more: Record<string, string> = {}) => ({ ApiKey: owner.key, ...more })

/** One call of every kind in the call log. */
async function makeCalls(): Promise<void> {
  note('fetched', await service.person('seen-once', '', own({ 'X-Spend-Tag': 'secret-campaign' })))
  note('from the store', await service.person('seen-once', '', own()))
  note('first of two', await service.person('seen-again', '', own({ 'Idempotency-Key': 'once' })))
  note('replayed', await service.person('seen-again', '', own({ 'Idempotency-Key': 'once' })))
  note('missed', await service.person('no-such-person', '', own()))
  note('refused', await service.person('seen-once', '&max_age_days=wrong', own()))
  note('company', await service.company('seen-works', '', own()))
  note('resolved', await service.get('/v1/companies/resolve?domain=seen-works.example', own()))
  note('matched', await post('/v1/people/match', { email: 'seen-match@acme.example' }))
  const batches = new BatchCaller(service.url, owner.key)
  const batch = await batches.submit({ kind: 'people', ids: ['seen-in-batch'] })
  await batches.until(batch)
  const [row] = await batches.results(batch)
  calls.set('row of a batch', row?.request_id ?? '')
  await post('/v1/watches', { kind: 'people', id: 'seen-by-watch' })
  service.clock.advance({ minutes: 1 })
  await runDueWatches(service.service, 4)
  const { calls: listed } = await service.admin<{ calls: { request_id: string }[] }>(
    'GET',
    `/calls?project=${owner.project}&limit=1`,
  )
  calls.set('look of a watch', listed[0]?.request_id ?? '')
}

/** Creates two versions under two names. */
async function renamePerson(): Promise<void> {
  const { json } = await service.person('paid-ada', '', own())
  service.clock.advance({ days: 8 })
  const renamed = { ...json, public_identifier: 'paid-ada-now', headline: 'Known to the payer only' }
  for (const slug of ['paid-ada', 'paid-ada-now']) service.upstream.people.set(slug, renamed)
  await service.person('paid-ada', '', own())
  const [member, entity] = [String(json['member_urn']), String(json['entity_urn'])]
  traces.push(member, entity, 'Known to the payer only', 'secret-campaign', 'seen-once')
  addForms('/v1/people/history?profile_id=', [
    ...formsOf('paid-ada', 'in'),
    ...formsOf('paid-ada-now', 'in'),
    member,
    member.toUpperCase(),
    entity,
  ])
}

async function renameCompany(): Promise<void> {
  const { json } = await service.company('paid-works', '', own())
  service.clock.advance({ days: 8 })
  const renamed = { ...json, public_identifier: 'paid-works-now', tagline: 'Told to the payer only' }
  for (const slug of ['paid-works', 'paid-works-now']) service.upstream.companies.set(slug, renamed)
  await service.company('paid-works', '', own())
  const number = String(json['company_id'])
  traces.push(`"${number}"`, 'Told to the payer only')
  addForms('/v1/companies/history?company_id=', [
    ...formsOf('paid-works', 'company'),
    ...formsOf('paid-works-now', 'company'),
    number,
    `urn:li:company:${number}`,
    `https://www.linkedin.com/company/${number}`,
  ])
}

function formsOf(slug: string, page: string): string[] {
  return [
    slug,
    slug.toUpperCase(),
    ` ${slug} `,
    slug.replaceAll('-', '%2D'),
    `https://www.linkedin.com/${page}/${slug}/`,
    `HTTPS://DE.LinkedIn.com/${page}/${slug.toUpperCase()}?trk=mail#top`,
    `linkedin.com/${page}/${slug.replace('a', '%61')}`,
  ]
}

const addForms = (path: string, forms: string[]) =>
  historyPaths.push(...forms.map((form) => `${path}${encodeURIComponent(form)}`))

/** An answer without parts that always differ. */
const bare = ({ status, json }: TestAnswer) => ({ status, ...json, request_id: null })
const ask = (path: string, ApiKey: string) => service.get(path, { ApiKey })

test('a receipt exists for its environment under its id, and for nobody else under any form of it', async () => {
  expect([...calls].filter(([, id]) => !/^[\da-f-]{36}$/.test(id))).toEqual([])
  for (const [name, id] of calls) {
    const { status, json } = await ask(`/v1/receipts/${id}`, owner.key)
    expect([name, status, json['request_id']]).toEqual([name, 200, id])
  }
  for (const [who, key] of strangers) {
    const unknown = bare(await ask('/v1/receipts/01999999-0000-7000-8000-000000000000', key))
    expect([who, unknown.status]).toEqual([who, 404])
    for (const [name, id] of calls)
      for (const form of [id, id.toUpperCase(), id.replaceAll('-', '%2D')])
        expect([who, name, form, bare(await ask(`/v1/receipts/${form}`, key))]).toEqual([who, name, form, unknown])
  }
})

test('a call with a test key has a receipt for test keys of its environment, and for no live key', async () => {
  const practised = await service.person('sample-complete', '', { ApiKey: strangers.get('own test key') ?? '' })
  const path = `/v1/receipts/${practised.headers.get('x-request-id')}`
  const statuses: Record<string, number> = { owner: (await ask(path, owner.key)).status }
  for (const [who, key] of strangers) statuses[who] = (await ask(path, key)).status

  expect(statuses).toEqual({
    owner: 404,
    'other environment': 404,
    'other project': 404,
    'own test key': 200,
    'other test key': 404,
  })
})

test('a history exists for its environment under every name of its record, and for nobody else under any, on no page', async () => {
  const [unknown] = await strangely('/v1/people/history?profile_id=nobody-has-this')
  expect(unknown?.status).toBe(404)
  for (const path of historyPaths) {
    const { status, json } = await ask(path, owner.key)
    const [newest, oldest] = json['versions'] as { version: number }[]
    expect([path, status, oldest === undefined]).toEqual([path, 200, false])
    for (const page of ['', `&before=${newest?.version}`])
      expect([path, page, await strangely(path + page)]).toEqual([path, page, [unknown, unknown]])
    // Test keys get a sample, which may repeat the request.
    expectNoTrace(await ask(path, strangers.get('own test key') ?? ''), path)
  }
  const [path = ''] = historyPaths
  const { json } = await ask(path, owner.key)
  const [, oldest] = json['versions'] as { version: number }[]
  const behind = `&before=${oldest?.version}`
  expect((await ask(path + behind, owner.key)).json).toEqual({ ...json, versions: [], next: null })
  for (const page of [behind, '&limit=1', '&before=9007199254740991'])
    expect([page, await strangely(path + page)]).toEqual([page, [unknown, unknown]])
})

const strangely = (path: string) =>
  Promise.all(
    ['other environment', 'other project'].map(async (who) => bare(await ask(path, strangers.get(who) ?? ''))),
  )

function expectNoTrace({ text }: Pick<TestAnswer, 'text'>, asked = ''): void {
  const told = decodeURIComponent(asked).toLowerCase()
  const strange = traces.filter((trace) => !told.includes(trace.toLowerCase().replaceAll('"', '')))
  expect(strange.filter((trace) => text.includes(trace))).toEqual([])
}

test('usage covers only the own environment, whatever is requested', async () => {
  const plain = '/v1/usage?by=day,tag,endpoint'
  const mine = await ask(plain, owner.key)
  expect(mine.json['total']).not.toMatchObject({ calls: 0 })
  const wishes = [
    '',
    `&project=${owner.project}&environment=production`,
    `&project=${owner.project.toUpperCase()}`,
    `&key=${owner.keyId}&key_id=${owner.keyId}`,
    '&mode=live',
    '&tag=secret-campaign',
  ]
  for (const [who, key] of strangers)
    for (const wish of wishes) {
      const answer = await ask(`${plain}${wish}`, key)
      expectNoTrace(answer)
      // Test keys get fictional figures.
      if (!who.includes('test'))
        expect([who, wish, answer.json['total']]).toEqual([who, wish, { calls: 0, credits: 0 }])
    }
  for (const path of [`/v1/usage/${owner.project}`, `/v1/usage/${owner.project}/production`])
    expect((await ask(path, strangers.get('other project') ?? '')).status).toBe(404)
})

test('agent tools reach no more than the routes', async () => {
  for (const who of ['other environment', 'other project']) {
    const client = await connect(service.url, strangers.get(who) ?? '')
    const receipt = await callTool(client, 'receipt', { request_id: calls.get('fetched') })
    const people = await callTool(client, 'record_history', { kind: 'people', id: 'paid-ada', before: 1_000_000 })
    const companies = await callTool(client, 'record_history', { kind: 'companies', id: 'paid-works' })
    const usage = await callTool(client, 'usage', { by: 'tag' })
    await client.close()

    for (const failed of [receipt, people, companies]) {
      expect([failed.isError, failed.answer['error']]).toMatchObject([true, { code: 'not_found' }])
      expectNoTrace(failed)
    }
    expect(usage.answer).toMatchObject({ usage: { rows: [], total: { calls: 0, credits: 0 } } })
  }
})
