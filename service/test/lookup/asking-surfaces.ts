import type { Batch } from '@vitae/contract'
import { runDueWatches } from '../../src/watches/run-watches.ts'
import { BatchCaller } from '../batches/batch-caller.ts'
import type { TestAnswer, TestCaller, TestService } from '../harness/test-service.ts'

/** Someone who asks for one name. */
export interface Asker {
  service: TestService
  caller: TestCaller
  name: string
}

type Surface = (asker: Asker) => Promise<unknown>

const get = async ({ service, caller }: Asker, path: string, headers: Record<string, string> = {}) =>
  plain(await service.get(path, { ApiKey: caller.key, ...headers }))

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

/** Every way to ask for a person or a company by name, each giving all that the one who asks can see of the answer. */
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
  'tool check_price': tool('check_price', (id) => ({ kind: 'people', id })),
}

/** Three rows, so that an outage is seen as one. */
async function batch({ service, caller, name }: Asker): Promise<unknown> {
  const batches = new BatchCaller(service.url, caller.key)
  const id = await batches.submit({ kind: 'people', ids: [name, name, name] })
  // Asked as the operator: how often it is asked must not show in the caller's rate limit.
  const { status, counts, pause_reason, error, credits_spent } = await untilDone(service, id)
  const results = await batches.ask(`/v1/batches/${id}/results`)
  // It must not go on in the middle of another test.
  await batches.change(id, 'cancel')
  const rows = results.text.replaceAll(/"request_id":"[^"]*"/g, '"request_id":""')
  return { status, counts, pause_reason, error, credits_spent, results: [results.status, rows] }
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
  await service.service.store.makePartitions({ now: service.clock.now() })
  await runDueWatches(service.service, 8)
  const listed = await service.get('/v1/watches', { ApiKey: caller.key })
  const [{ id: _, ...seen } = {}] = listed.json['watches'] as Record<string, unknown>[]
  return { status: made.status, seen }
}

const ownOfEachAnswer = new Set(['date', 'x-request-id', 'content-length', 'keep-alive', 'connection'])

/** An answer without what differs between any two. */
function plain({ status, headers, text }: TestAnswer): unknown {
  const body = text.replaceAll(/"request_id":"[^"]*"/g, '"request_id":""')
  return { status, headers: [...headers].filter(([name]) => !ownOfEachAnswer.has(name)), body }
}
