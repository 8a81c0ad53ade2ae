import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { goodPerson, nameIn, ScriptedUpstream } from '../../harness/scripted-provider.ts'
import { openTestService } from '../../harness/test-service.ts'

const upstream = new ScriptedUpstream()
beforeAll(() => upstream.start())
afterAll(() => upstream.close())

const held: ServerResponse[] = []
let isHanging = true

/** Names that begin with `hang` are not answered until the test ends, because a closing service waits for its calls. */
upstream.script = (request, response) => {
  if (isHanging && nameIn(request).startsWith('hang')) held.push(response)
  else void goodPerson(request, response)
}
beforeEach(() => void (isHanging = true))

function release(): void {
  isHanging = false
  for (const response of held.splice(0)) response.destroy()
}

test('hanging lookups of one key do not delay the misses of another environment', async () => {
  const env = { ...upstream.env, VITAE_UPSTREAM_CONCURRENCY: '8', VITAE_UPSTREAM_TIMEOUT_MS: '60000' }
  const service = await openTestService({ env, realClock: true })
  const greedy = await service.newCaller(100)
  const left = new AbortController()
  const hanging = Array.from({ length: 30 }, (_none, index) =>
    fetch(`${service.url}/v1/people/profile?profile_id=hang-${index}`, {
      headers: { ApiKey: greedy.key },
      signal: left.signal,
    }),
  )
  const ended = Promise.allSettled(hanging)
  while (upstream.asked.length < 6) await service.get('/healthz')

  const answers = await Promise.all(Array.from({ length: 20 }, (_none, index) => service.person(`calm-${index}`)))

  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  left.abort()
  release()
  expect((await ended).every(({ status }) => status === 'rejected')).toBe(true)
})

test('hanging lookups of one key do not close the provider to another environment', async () => {
  const limits = { VITAE_UPSTREAM_TIMEOUT_MS: '300', VITAE_UPSTREAM_TOTAL_MS: '20000', VITAE_BREAKER_FAILURES: '5' }
  const service = await openTestService({ env: { ...upstream.env, ...limits }, realClock: true })
  const greedy = await service.newCaller(100)
  const ask = (id: string) => service.person(id, '', { ApiKey: greedy.key })
  const failed = await Promise.all(Array.from({ length: 10 }, (_none, index) => ask(`hang-on-${index}`)))

  const own = await ask('calm-own')
  const other = await service.person('calm-other')

  // 503: a late call met the breaker, which is open for this environment by then.
  expect(failed.filter(({ status }) => status !== 504 && status !== 503)).toEqual([])
  expect(own.status).toBe(503)
  expect(other.status).toBe(200)
})
