import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { onPostgres } from '../harness/engines.ts'
import { startTestService, type TestCaller, type TestService } from '../harness/test-service.ts'
import { expectProblem } from './provenance.ts'

let second: FakeProvider
let service: TestService
/** Environments that only the mirror, only HarvestAPI, or both may answer. */
let mirrorOnly: TestCaller
let harvestOnly: TestCaller
let all: TestCaller

const route = (project: string, providers: string[] | null) =>
  service.admin('POST', `/projects/${project}/route`, { environment: 'production', providers })
const ask = (caller: TestCaller, slug: string, query = '') => service.person(slug, query, { ApiKey: caller.key })
const asked = () => [service.upstream.requests.length, second.requests.length]
async function providerOf(caller: TestCaller, slug: string, query = ''): Promise<string | undefined> {
  const answer = await ask(caller, slug, query)
  expect(answer.status).toBe(200)
  const { versions } = (await service.get(`/v1/people/history?profile_id=${slug}`, { ApiKey: caller.key }))
    .json as unknown as { versions: { provider: string }[] }
  return versions[0]?.provider
}

beforeAll(async () => {
  second = await startFakeProvider({ provider: 'harvestapi' })
  service = await startTestService({
    env: {
      VITAE_UPSTREAM: 'mirror,harvestapi',
      VITAE_HARVESTAPI_URL: second.url,
      VITAE_HARVESTAPI_KEY: second.key,
      VITAE_BREAKER_FAILURES: '1000000',
    },
  })
  mirrorOnly = await service.newCaller(1_000)
  harvestOnly = await service.newCaller(1_000)
  all = await service.newCaller(1_000)
  await route(mirrorOnly.project, ['mirror'])
  await route(harvestOnly.project, ['harvestapi'])
})
afterAll(async () => {
  await service?.close()
  await second?.close()
})
beforeEach(async () => {
  await service.upstream.setFault(null)
  await second.setFault(null)
  service.upstream.requests.length = 0
  second.requests.length = 0
})

test('an environment gets neither fetches nor stored copies of an excluded provider', async () => {
  expect(await providerOf(all, 'shared')).toBe('mirror')
  expect(await providerOf(harvestOnly, 'shared')).toBe('harvestapi')
  expect(asked()).toEqual([1, 1])
  // HarvestAPI's copy is the newest now. Each environment keeps its newest allowed copy, without a fetch.
  expect(await providerOf(mirrorOnly, 'shared')).toBe('mirror')
  expect(await providerOf(harvestOnly, 'shared')).toBe('harvestapi')
  expect(asked()).toEqual([1, 1])
})

test('the order of a route is the order in which its providers are asked', async () => {
  const turned = await service.newCaller(10)
  await route(turned.project, ['harvestapi', 'mirror'])

  expect(await providerOf(turned, 'turned')).toBe('harvestapi')
  expect(asked()).toEqual([0, 1])
})

test('concurrent misses do not share a fetch across routes, and do within one', async () => {
  const same = await service.newCaller(10)
  await route(same.project, ['harvestapi'])
  const gate = Promise.withResolvers<void>()
  second.until = gate.promise
  const asking = Promise.all([all, mirrorOnly, harvestOnly, same].map((caller) => ask(caller, 'crowded')))
  const held = async ({ project }: TestCaller) => (await service.balance('production', project)).held
  while ((await held(harvestOnly)) === 0 || (await held(same)) === 0 || second.requests.length === 0) continue
  gate.resolve()
  second.until = null
  const answers = await asking

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(second.requests).toHaveLength(1)
  expect(service.upstream.requests.length).toBeLessThanOrEqual(2)
})

test('in an outage no copy of an excluded provider is served', async () => {
  await ask(all, 'outage')
  await second.setFault('malformed')

  expectProblem(await ask(harvestOnly, 'outage'), 502, 'upstream_invalid')
  service.clock.advance({ days: 8 })
  await service.upstream.setFault('malformed')
  expect((await ask(mirrorOnly, 'outage')).headers.get('x-data-source')).toBe('stale_fallback')
  expectProblem(await ask(harvestOnly, 'outage'), 502, 'upstream_invalid')
})

test("a route's 404 withdraws nothing from others, and is remembered for the environment itself", async () => {
  await ask(all, 'denied')
  await second.setFault(404)

  expectProblem(await ask(harvestOnly, 'denied'), 404, 'not_found')
  expectProblem(await ask(harvestOnly, 'denied'), 404, 'not_found')
  expect(second.requests).toHaveLength(1)
  expect((await ask(all, 'denied')).headers.get('x-data-source')).toBe('store')
  expect((await ask(mirrorOnly, 'denied')).headers.get('x-data-source')).toBe('store')

  service.clock.advance({ seconds: 1 })
  service.upstream.people.set('denied', null)
  expectProblem(await ask(mirrorOnly, 'denied', '&bypass_cache=true'), 404, 'not_found')
  expectProblem(await ask(mirrorOnly, 'denied'), 404, 'not_found')
  expect((await ask(all, 'denied')).headers.get('x-data-source')).toBe('store')
  service.upstream.people.delete('denied')
  service.clock.advance({ minutes: 61 })
  expect((await ask(mirrorOnly, 'denied')).headers.get('x-data-source')).toBe('live')
  expect((await ask(mirrorOnly, 'denied')).headers.get('x-data-source')).toBe('store')
})

test('a preflight, a batch preview and its rows follow the route', async () => {
  await ask(all, 'planned')
  const preflight = await service.get('/v1/people/profile/preflight?profile_id=planned', { ApiKey: harvestOnly.key })
  const headers = { ApiKey: harvestOnly.key, 'content-type': 'application/json' }
  const body = JSON.stringify({ kind: 'people', ids: ['planned'] })
  const preview = await service.get('/v1/batches/preview', headers, 'POST', body)

  expect(preflight.json).toMatchObject({ source: 'live', asks_provider: true })
  expect(preview.json).toMatchObject({ stored: 0 })
  const { id } = (await service.get('/v1/batches', headers, 'POST', body)).json as { id: string }
  await expect.poll(async () => (await service.get(`/v1/batches/${id}`, headers)).json['status']).toBe('completed')
  expect(asked()).toEqual([1, 1])
})

test('a hit of an environment with a route costs as much as any hit', async () => {
  const count = async (caller: TestCaller) => {
    await ask(caller, 'counted')
    const { lookup } = service.service
    const { store, settle } = lookup
    const made: string[] = []
    const records = new Proxy(store.records, {
      get: (target, name: keyof typeof store.records) => {
        made.push(name)
        return target[name]
      },
    })
    lookup.store = { records }
    lookup.settle = (request) => {
      made.push(request.type)
      return settle(request)
    }
    expect((await ask(caller, 'counted')).headers.get('x-data-source')).toBe('store')
    Object.assign(lookup, { store, settle })
    return made
  }

  const plain = await count(all)

  // Without Redis a node beside others caches nothing, and reads the store.
  expect(plain).toEqual(onPostgres ? ['readRecord', 'charge'] : ['charge'])
  expect(await count(mirrorOnly)).toEqual(plain)
})

test('an unknown provider is refused with the list of valid ones, and every change is audited', async () => {
  const { project } = await service.newCaller(1)
  await expect(route(project, ['acme'])).rejects.toThrow(/acme.*VITAE_UPSTREAM are mirror, harvestapi/)
  await route(project, ['harvestapi'])
  await route(project, null)

  const { entries } = await service.admin<{ entries: { action: string; subject: string; after: unknown }[] }>(
    'GET',
    '/audit',
  )
  const own = entries
    .filter(({ subject }) => subject === `${project}/production`)
    .filter(({ action }) => action !== 'credits.grant')
  expect(own.map(({ action, after }) => [action, after]).toReversed()).toEqual([
    ['environment.route', { providers: ['harvestapi'] }],
    ['environment.route', { providers: null }],
  ])
})

test('if no provider of a route is configured any more, the failure and the doctor say so', async () => {
  const { project, key } = await service.newCaller(5)
  const environment = 'production'
  const by = { reason: null, actor: 'owner', at: 0 }
  await service.service.store.projects.setRoute({ project, environment, route: ['gone'], ...by })
  await service.service.keysChanged()

  const failed = await service.person('nobody-left', '', { ApiKey: key })
  expectProblem(failed, 503, 'upstream_unavailable')
  expect(failed.json['detail']).toMatch(/use only gone, and none of them is configured/)
  const findings = await service.service.diagnose()
  expect(findings.find(({ name }) => name === `route of ${project}/production`)).toMatchObject({ state: 'error' })
})
