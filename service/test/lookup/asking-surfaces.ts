import type { Batch } from '@vitae/contract'
import { runDueWatches } from '../../src/watches/run-watches.ts'
import { BatchCaller } from '../batches/batch-caller.ts'
import type { KeyOperation } from '../harness/key-operations.ts'
import type { TestAnswer, TestCaller, TestService } from '../harness/test-service.ts'

/** A caller who asks for one name. */
export interface Asker {
  service: TestService
  caller: TestCaller
  name: string
}

type Surface = (asker: Asker) => Promise<unknown>

const get = async (asker: Asker, path: string, headers: Record<string, string> = {}) => {
  const answer = await asker.service.get(path, { ApiKey: asker.caller.key, ...headers })
  return { ...plain(answer), receipt: await receiptOf(asker, answer.headers.get('x-request-id')) }
}

const post =
  (path: string, body: (name: string) => object): Surface =>
  async (asker) => {
    const headers = { ApiKey: asker.caller.key, 'content-type': 'application/json' }
    const answer = await asker.service.get(path, headers, 'POST', JSON.stringify(body(asker.name)))
    return { ...plain(answer), receipt: await receiptOf(asker, answer.headers.get('x-request-id')) }
  }

/** A receipt without its id and its time. */
async function receiptOf({ service, caller }: Asker, requestId: string | null): Promise<unknown> {
  const answer = await service.get(`/v1/receipts/${requestId}`, { ApiKey: caller.key })
  const { request_id: _id, at: _at, ...receipt } = answer.json
  return { status: answer.status, receipt }
}

/** A list after one request for the name, without ids, times and cursors. */
const listAfter =
  (path: (name: string) => string): Surface =>
  async (asker) => {
    await asker.service.person(asker.name, '', { ApiKey: asker.caller.key })
    const { status, text } = await asker.service.get(path(asker.name), { ApiKey: asker.caller.key })
    return { status, text: text.replaceAll(/"(id|request_id|at|[a-z]+_at|as_of|from|to|next)":("[^"]*"|\d+)/g, '') }
  }

const person =
  (query = '', headers = {}): Surface =>
  (asker) =>
    get(asker, `/v1/people/profile?profile_id=${asker.name}${query}`, headers)

const preflight =
  (query = '', headers = {}): Surface =>
  (asker) =>
    get(asker, `/v1/people/profile/preflight?profile_id=${asker.name}${query}`, headers)

const tool =
  (name: string, args: (subject: string) => object): Surface =>
  async ({ service, caller, name: subject }) => {
    const params = { name, arguments: args(subject) }
    const headers = {
      ApiKey: caller.key,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    return plain(await service.get('/mcp', headers, 'POST', body))
  }

const onlyStored = { 'Cache-Control': 'only-if-cached' }

/**
 * Every way to ask for a person or a company by name. Each returns everything that the caller can see of the answer.
 */
export const surfaces: Record<string, Surface> = {
  lookup: person(),
  'lookup by URL': (asker) =>
    get(asker, `/v1/people/profile?profile_id=${encodeURIComponent(`https://www.linkedin.com/in/${asker.name}/`)}`),
  'lookup, only stored': person('', onlyStored),
  'lookup, live': person('&max_age_days=0'),
  'lookup, past the cache': person('&bypass_cache=true'),
  'lookup that requires a field': person('&require=headline'),
  'lookup with a value of another call': person('', { 'Idempotency-Key': 'used' }),
  'lookup of a company': (asker) => get(asker, `/v1/companies/details?company_id=${asker.name}`),
  'pre-flight': preflight(),
  'pre-flight, only stored': preflight('', onlyStored),
  'pre-flight with a value of another call': preflight('', { 'Idempotency-Key': 'used' }),
  'pre-flight of a company': (asker) => get(asker, `/v1/companies/details/preflight?company_id=${asker.name}`),
  match: post('/v1/people/match', (name) => ({ profile_id: name })),
  'match that requires a field': post('/v1/people/match', (name) => ({ profile_id: name, require: ['headline'] })),
  'pre-flight of a match': post('/v1/people/match/preflight', (name) => ({ profile_id: name })),
  'match of a company': post('/v1/companies/match', (name) => ({ company_id: name })),
  'history of a person': listAfter((name) => `/v1/people/history?profile_id=${name}`),
  'history of a company': listAfter((name) => `/v1/companies/history?company_id=${name}`),
  'provenance of a person': listAfter((name) => `/v1/people/provenance?profile_id=${name}`),
  'provenance of a company': listAfter((name) => `/v1/companies/provenance?company_id=${name}`),
  usage: listAfter(() => '/v1/usage?by=day,tag,endpoint'),
  statement: listAfter(() => '/v1/statement'),
  account: listAfter(() => '/v1/account'),
  'changes of keys': listAfter(() => '/v1/records/changes'),
  events: listAfter(() => '/v1/events'),
  resolve: (asker) => get(asker, `/v1/companies/resolve?domain=${asker.name}.example`),
  batch,
  'preview of a batch': preview,
  'preview of a batch, by a caller': ({ service, caller, name }) => {
    const body = JSON.stringify({ kind: 'people', ids: [name] })
    const headers = { ApiKey: caller.key, 'content-type': 'application/json' }
    return service.get('/v1/batches/preview', headers, 'POST', body).then(plain)
  },
  watch,
  'tool lookup_person': tool('lookup_person', (id) => ({ profile_id: id })),
  'tool receipt': async (asker) => {
    const { headers } = await asker.service.person(asker.name, '', { ApiKey: asker.caller.key })
    const shown = await tool('receipt', () => ({ request_id: headers.get('x-request-id') }))(asker)
    return JSON.stringify(shown).replaceAll(/\\*"(request_id|at)\\*":\\*"[^"\\]*\\*"/g, '')
  },
  'tool check_price': tool('check_price', (id) => ({ kind: 'people', id })),
}

/** The surfaces of every caller operation, or the reason why its answer cannot depend on the person behind a name. */
export const comparedOperations: Record<KeyOperation, readonly (keyof typeof surfaces)[] | string> = {
  getPersonProfile: ['lookup', 'lookup by URL', 'lookup, only stored', 'lookup, live'],
  preflightPersonProfile: ['pre-flight', 'pre-flight, only stored'],
  getCompanyDetails: ['lookup of a company'],
  preflightCompanyDetails: ['pre-flight of a company'],
  resolveCompany: ['resolve'],
  matchPerson: ['match', 'match that requires a field'],
  preflightPersonMatch: ['pre-flight of a match'],
  matchCompany: ['match of a company'],
  getAccount: ['account'],
  getUsage: ['usage'],
  getStatement: ['statement'],
  getReceipt: ['lookup', 'lookup of a company', 'match', 'resolve', 'batch'],
  getPersonHistory: ['history of a person'],
  getCompanyHistory: ['history of a company'],
  getPersonProvenance: ['provenance of a person'],
  getCompanyProvenance: ['provenance of a company'],
  submitBatch: ['batch'],
  previewBatch: ['preview of a batch, by a caller'],
  listBatches: ['batch'],
  getBatch: ['batch'],
  getBatchResults: ['batch'],
  cancelBatch: ['batch'],
  resumeBatch: 'names no record, and its answer is that of getBatch',
  createWatch: ['watch'],
  listWatches: ['watch'],
  deleteWatch: 'names no record, and its answer is empty',
  listEvents: ['events'],
  listRecordChanges: ['changes of keys'],
  mcp: ['tool lookup_person', 'tool check_price', 'tool receipt'],
}

/** Three rows, so that an outage is recognised. */
async function batch({ service, caller, name }: Asker): Promise<unknown> {
  const batches = new BatchCaller(service.url, caller.key)
  const id = await batches.submit({ kind: 'people', ids: [name, name, name] })
  // Polled as the operator, because polls must not change the caller's rate limit.
  const { status, counts, pause_reason, error, credits_spent } = await untilDone(service, id)
  const results = await batches.ask(`/v1/batches/${id}/results`)
  // It must not continue during another test.
  await batches.change(id, 'cancel')
  const rows = results.text.replaceAll(/"request_id":"[^"]*"/g, '"request_id":""')
  const requestIds = [...results.text.matchAll(/"request_id":"([^"]+)"/g)].map(([, requestId = '']) => requestId)
  const receipts = await Promise.all(requestIds.map((requestId) => receiptOf({ service, caller, name }, requestId)))
  // Which of the equal rows asks first depends on timing. Its receipt says most.
  const [receipt = null] = receipts.toSorted((one, other) => JSON.stringify(other).length - JSON.stringify(one).length)
  const listed = (await batches.ask('/v1/batches')).text.replaceAll(/"(id|[a-z]+_at)":"[^"]*"/g, '')
  const own = (await batches.ask(`/v1/batches/${id}`)).text.replaceAll(/"(id|[a-z]+_at)":"[^"]*"/g, '')
  return { status, counts, pause_reason, error, credits_spent, results: [results.status, rows], receipt, listed, own }
}

async function untilDone(service: TestService, id: string): Promise<Batch> {
  for (;;) {
    const batch = await service.admin<Batch>('GET', `/batches/${id}`)
    if (batch.status !== 'queued' && batch.status !== 'running') return batch
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function preview({ service, caller, name }: Asker): Promise<unknown> {
  const headers = { authorization: `Bearer ${service.service.admin.ownerToken}`, 'content-type': 'text/csv' }
  const path = `/admin/v1/batches/preview?key_id=${caller.keyId}&kind=people`
  const { project: _, ...json } = (await service.get(path, headers, 'POST', `id\n${name}\n`)).json
  return json
}

async function watch({ service, caller, name }: Asker): Promise<unknown> {
  const headers = { ApiKey: caller.key, 'content-type': 'application/json' }
  const made = await service.get('/v1/watches', headers, 'POST', JSON.stringify({ kind: 'people', id: name }))
  await service.service.store.database.makePartitions({ now: service.clock.now() })
  await runDueWatches(service.service, 8)
  const listed = await service.get('/v1/watches', { ApiKey: caller.key })
  const [{ id: _, ...seen } = {}] = listed.json['watches'] as Record<string, unknown>[]
  return { status: made.status, seen }
}

const ownOfEachAnswer = new Set(['date', 'x-request-id', 'content-length', 'keep-alive', 'connection'])

/** An answer without the parts that always differ. */
function plain({ status, headers, text }: TestAnswer) {
  const body = text.replaceAll(/"request_id":"[^"]*"/g, '"request_id":""')
  return { status, headers: [...headers].filter(([name]) => !ownOfEachAnswer.has(name)), body }
}
