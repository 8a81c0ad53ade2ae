import { once } from 'node:events'
import { request } from 'node:https'
import { connect, createServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Gate, goodPerson, ScriptedUpstream } from '../harness/scripted-provider.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { hostName, isInstalled, proxies, startProxy, type RunningProxy } from './start-proxy.ts'

/** The shortened timeout of each file. Caddy's file has no timeout. */
const shortened: Record<string, [from: string, to: string][]> = {
  nginx: [['proxy_read_timeout 75s', 'proxy_read_timeout 300ms']],
  HAProxy: [['timeout server 75s', 'timeout server 300ms']],
}
const impatient = proxies.filter(({ name }) => name in shortened)
const patiently = { timeout: 300_000 }
const upstream = new ScriptedUpstream()
let service: TestService

beforeAll(async () => {
  await upstream.start()
  const env = { ...upstream.env, VITAE_UPSTREAM_TIMEOUT_MS: '60000', VITAE_TRUST_PROXY: '127.0.0.1' }
  service = await startTestService({ env })
})
afterAll(async () => {
  await service.close()
  await upstream.close()
})

/** The status that the caller gets. */
function ask({ port, ca }: RunningProxy, name: string, headers: Record<string, string>) {
  const target = { host: '127.0.0.1', port, ca, servername: hostName, agent: false }
  return new Promise<number>((resolve, reject) => {
    const path = `/v1/people/profile?profile_id=${name}`
    const call = request({ ...target, path, headers: { Host: hostName, ...headers } }, (response) => {
      text(response).then(() => resolve(response.statusCode ?? 0), reject)
    })
    call.on('error', reject).end()
  })
}

/** A connection from the proxy to the service that shows when the proxy abandons a lookup. */
async function openWay(): Promise<{ url: string; left: Promise<void> }> {
  const left = Promise.withResolvers<void>()
  const way = createServer((near) => {
    const far = connect(Number(new URL(service.url).port), '127.0.0.1')
    let isLookup = false
    near.on('data', (bytes) => (isLookup ||= bytes.includes('/v1/people/profile')))
    near.pipe(far).pipe(near)
    near
      .on('error', () => undefined)
      .on('close', () => {
        far.destroy()
        if (isLookup) left.resolve()
      })
    far.on('error', () => undefined).on('close', () => near.destroy())
  })
  way.listen(0, '127.0.0.1')
  await once(way, 'listening')
  onTestFinished(() => void way.close())
  return { url: `http://127.0.0.1:${(way.address() as AddressInfo).port}`, left: left.promise }
}

describe.each(impatient)("behind $name with a timeout below the provider's time", (proxy) => {
  test.each([{}, { 'Idempotency-Key': `impatient-${proxy.name}` }])(
    'a caller who gets 504 pays nothing, and the retry is served from the store, once: %o',
    async (idempotency) => {
      if (!isInstalled(proxy)) return console.warn(`NOT RUN: ${proxy.name} that gives up, because it is not here`)
      const gate = new Gate()
      upstream.script = gate.before(goodPerson)
      const way = await openWay()
      const running = await startProxy(proxy, way.url, { changes: shortened[proxy.name] ?? [] })
      onTestFinished(() => running.stop())
      const { project, key, balance } = await service.newCaller(10)
      const name = `given-up-on-by-${proxy.name.toLowerCase()}-${Object.keys(idempotency).length}`
      const headers = { ApiKey: key, ...idempotency }

      const first = await ask(running, name, headers)
      await way.left
      // A later connection is answered, so the service has seen the end of the abandoned one.
      await service.get('/healthz')
      gate.open()
      await expect.poll(() => service.service.guard.inFlight, patiently).toBe(0)

      expect([first, await balance()]).toEqual([504, 10])
      // Not through the proxy, which might time out again on a busy machine.
      const retry = await service.person(name, '', headers)
      expect([retry.status, retry.headers.get('x-data-source')]).toEqual([200, 'store'])
      expect(await service.balance('production', project)).toEqual({ balance: 9, held: 0, available: 9 })
      expect(upstream.asked.filter((asked) => asked === name)).toHaveLength(1)
    },
  )
})
