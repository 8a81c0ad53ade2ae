import { expect, onTestFinished, test } from 'vitest'
import { goodPerson, ScriptedUpstream } from '../harness/scripted-provider.ts'
import { openTestService } from '../harness/test-service.ts'

/** The value of every series of a metric, by its labels as text. */
function seriesOf(text: string, name: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return new Map(
    lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  )
}

test('after some traffic every metric that an operator needs exists, and none names a project, a key or a person', async () => {
  const service = await openTestService({ credits: 10, people: { nobody: null } })
  const { key: empty } = await service.makeKey({ project: 'penniless-project' })
  await service.person('marker-person')
  await service.person('marker-person')
  await service.company('marker-company')
  await service.person('nobody')
  await service.person('ada', '', { ApiKey: empty })
  await service.person('ada', '', { ApiKey: 'wrong' })
  await service.upstream.setFault(500)
  await service.person('unlucky')

  const { text } = await service.get('/metrics')

  const calls = seriesOf(text, 'vitae_call_seconds_count')
  expect(calls.get('{endpoint="people",source="live",status="200"}')).toBe(1)
  expect(calls.get('{endpoint="people",source="store",status="200"}')).toBe(1)
  expect(calls.get('{endpoint="companies",source="live",status="200"}')).toBe(1)
  for (const status of ['401', '402', '404', '503'])
    expect([status, calls.get(`{endpoint="people",source="none",status="${status}"}`)]).toEqual([status, 1])
  expect(seriesOf(text, 'vitae_credits_charged_total').get('{endpoint="people"}')).toBe(2)
  expect(seriesOf(text, 'vitae_settlement_batch_size_count').get('')).toBeGreaterThan(2)
  expect(seriesOf(text, 'vitae_settlement_seconds_count').get('')).toBeGreaterThan(2)
  const upstream = [...seriesOf(text, 'vitae_upstream_seconds_count').keys()]
  expect(upstream.length).toBeGreaterThan(1)
  for (const labels of upstream) expect(labels).toMatch(/^\{provider="mirror",outcome="\w+"\}$/)
  expect(seriesOf(text, 'vitae_breaker_open').get('{provider="mirror"}')).toBe(0)
  expect(seriesOf(text, 'vitae_cache_bytes').get('')).toBeGreaterThan(100)
  for (const name of [
    'vitae_event_loop_lag_seconds',
    'vitae_calls_in_flight',
    'vitae_calls_shed_total',
    'process_resident_memory_bytes',
  ])
    expect([name, seriesOf(text, name).size]).toEqual([name, 1])
  expect(new Set(Array.from(text.matchAll(/[{,](\w+)="/g), ([, label]) => label))).toEqual(
    new Set(['endpoint', 'source', 'status', 'provider', 'outcome', 'le', 'environment']),
  )
  for (const labels of seriesOf(text, 'vitae_credits_available').keys())
    expect(labels).toMatch(/^\{environment="\d+"\}$/)
  for (const secret of ['marker', 'acme', 'penniless', 'production', service.liveKey])
    expect(text).not.toContain(secret)
})

test("the overhead of a call is its time minus its provider's, and the whole time for a store answer", async () => {
  const upstream = await new ScriptedUpstream().start()
  onTestFinished(() => upstream.close())
  upstream.script = (request, response) => void setTimeout(() => void goodPerson(request, response), 400)
  const service = await openTestService({ env: upstream.env, realClock: true })
  await service.person('slow-example')
  await service.person('slow-example')

  const { text } = await service.get('/metrics')

  const sum = (name: string, source: string) =>
    seriesOf(text, `${name}_sum`).get(`{endpoint="people",source="${source}",status="200"}`) ?? NaN
  expect(sum('vitae_call_seconds', 'live') - sum('vitae_overhead_seconds', 'live')).toBeGreaterThan(0.39)
  expect(sum('vitae_overhead_seconds', 'store')).toBe(sum('vitae_call_seconds', 'store'))
  const counts = seriesOf(text, 'vitae_overhead_seconds_count')
  expect(counts).toEqual(seriesOf(text, 'vitae_call_seconds_count'))
})
