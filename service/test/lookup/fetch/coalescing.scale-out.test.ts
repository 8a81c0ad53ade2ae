import { describe, expect, test } from 'vitest'
import { Gate, goodPerson, sendJson } from '../../harness/scripted-provider.ts'
import type { TestService } from '../../harness/test-service.ts'
import { hasEngines, ownRedis, until } from '../../harness/scale-out-engine.ts'
import { suppressionHash } from '../../../src/records/suppression/suppression-hash.ts'
import { openServices } from '../../harness/node-services.ts'

/** Calls that are all in progress, on every node, before upstream answers. */
async function underWay(services: readonly TestService[], name: string, perService: number) {
  const calls = services.flatMap((service) => Array.from({ length: perService }, () => service.person(name)))
  await until(async () => ((await services[0]?.balance())?.held ?? 0) >= calls.length)
  return calls
}

describe.skipIf(!hasEngines)('one fetch for all nodes', () => {
  test('concurrent misses on three nodes are one upstream call, and each caller is charged once', async () => {
    const redis = await ownRedis()
    const { services, upstream } = await openServices([redis.url, redis.url, redis.url])
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)

    const calls = await underWay(services, 'ada-fiction', 10)
    gate.open()
    const answers = await Promise.all(calls)

    expect(upstream.asked).toEqual(['ada-fiction'])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await services[0]?.balance()).toMatchObject({ balance: 10_000 - 30, held: 0 })
  })

  test('a failure is shared by callers waiting on other nodes, with its kind, and costs nobody', async () => {
    const redis = await ownRedis()
    const { services, upstream } = await openServices([redis.url, redis.url])
    const gate = new Gate()
    upstream.script = gate.before((_request, response) => sendJson(response, '{'))

    const calls = await underWay(services, 'bea-fiction', 3)
    gate.open()
    const answers = await Promise.all(calls)

    expect(upstream.asked).toHaveLength(1)
    expect(answers.map(({ json }) => json['code'])).toEqual(answers.map(() => 'upstream_invalid'))
    expect(await services[0]?.balance()).toMatchObject({ balance: 10_000, held: 0 })
    upstream.script = goodPerson
    expect((await services[1]!.person('bea-fiction')).status).toBe(200)
  })

  test('a 404 is shared too', async () => {
    const redis = await ownRedis()
    const { services, upstream } = await openServices([redis.url, redis.url])
    const gate = new Gate()
    upstream.script = gate.before((_request, response) => void response.writeHead(404).end('{}'))

    const calls = await underWay(services, 'nobody-fiction', 3)
    gate.open()

    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 404))
    expect(upstream.asked).toHaveLength(1)
  })

  test('when the fetching node dies, another takes over', async () => {
    const redis = await ownRedis()
    const { services, upstream } = await openServices([redis.url, redis.url])
    // A claim that is no longer renewed, as after a killed process.
    const { Redis } = await import('ioredis')
    const client = new Redis(redis.url)
    const instance = await services[0]!.service.store.settings.readSetting({ name: 'instance' })
    await client.set(`vitae:{${instance}:people/slug/cleo-fiction?7}:claim`, 'someone dead', 'PX', 3_000)
    client.disconnect()

    const answers = await Promise.all(services.map((service) => service.person('cleo-fiction')))

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(upstream.asked).toEqual(['cleo-fiction'])
  })

  test('a node that takes over does not serve an unexpected person who was fetched for others meanwhile', async () => {
    const redis = await ownRedis()
    const { services, upstream } = await openServices([redis.url, redis.url])
    const [first, second] = [services[0]!, services[1]!]
    const { store, lookup } = first.service
    const { Redis } = await import('ioredis')
    const client = new Redis(redis.url)
    const instance = await store.settings.readSetting({ name: 'instance' })
    const expected = { type: 'expect', value: 'expect.last_name=Zwetschgenbaum' } as const
    const name = `people/slug/elsa-fiction?7 ${suppressionHash(lookup.secret, 'people', expected)}`
    await client.set(`vitae:{${instance}:${name}}:claim`, 'someone dead', 'PX', 3_000)
    client.disconnect()
    upstream.script = goodPerson

    const guarded = first.person('elsa-fiction', '&expect.last_name=Zwetschgenbaum')
    await until(async () => (await first.balance()).held > 0)
    const plain = await second.person('elsa-fiction')

    expect(plain.status).toBe(200)
    expect((await guarded).json).toMatchObject({ status: 404, code: 'identity_mismatch' })
    expect(await first.balance()).toMatchObject({ balance: 10_000 - 1, held: 0 })
  })

  test('without Redis each node makes its own, and nobody waits for anybody', async () => {
    const redis = await ownRedis()
    const { services, upstream } = await openServices([redis.url, redis.url])
    await redis.kill()
    await until(() => services.every(({ service }) => !service.lookup.peers.connected))
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)

    const calls = await underWay(services, 'dora-fiction', 3)
    gate.open()

    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200))
    expect(upstream.asked).toHaveLength(2)
  })
})
