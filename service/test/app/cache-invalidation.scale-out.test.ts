import { describe, expect, test } from 'vitest'
import type { TestService } from '../harness/test-service.ts'
import { cuttableWay, hasEngines, ownRedis, until } from '../harness/scale-out-engine.ts'
import { openServices } from '../harness/node-services.ts'

/** A key in use on every node, so that each has it in its cache. */
async function knownKey(services: readonly TestService[], mode: 'live' | 'test') {
  const { id, key } = await services[0]!.makeKey({ mode })
  for (const service of services) expect((await service.person('ada-fiction', '', { ApiKey: key })).status).toBe(200)
  return { id, key }
}

describe.skipIf(!hasEngines)('what one node changes, no other serves from its cache', () => {
  test.each(['live', 'test'] as const)(
    'a %s key that is revoked on one node is refused by the very next call on any',
    async (mode) => {
      const redis = await ownRedis()
      const { services } = await openServices([redis.url, redis.url, redis.url])
      const { id, key } = await knownKey(services, mode)

      await services[2]!.admin('POST', `/keys/${id}/revoke`)

      for (const service of services)
        expect((await service.person('ada-fiction', '', { ApiKey: key })).text).toBe('revoked_api_key')
    },
  )

  test('so it is on a node that has joined since the last heartbeat of the one that revokes', async () => {
    const redis = await ownRedis()
    const { services } = await openServices([redis.url, redis.url])
    const { id, key } = await knownKey(services, 'test')

    await services[0]!.admin('POST', `/keys/${id}/revoke`)

    expect((await services[1]!.person('ada-fiction', '', { ApiKey: key })).text).toBe('revoked_api_key')
  })

  test.each(['killed', 'frozen'] as const)(
    'so is a test key, which no ledger watches over, with Redis %s',
    async (how) => {
      const redis = await ownRedis()
      const { services } = await openServices([redis.url, redis.url])
      const { id, key } = await knownKey(services, 'test')

      if (how === 'killed') await redis.kill()
      else redis.freeze()
      await services[1]!.admin('POST', `/keys/${id}/revoke`)
      const answers = await Promise.all(services.map((service) => service.person('ada-fiction', '', { ApiKey: key })))
      redis.thaw()

      expect(answers.map(({ text }) => text)).toEqual(['revoked_api_key', 'revoked_api_key'])
    },
  )

  test('so it is where only the node that revokes is cut off, and the others still have Redis', async () => {
    const redis = await ownRedis()
    const way = await cuttableWay(redis.url)
    const { services } = await openServices([redis.url, redis.url, way.url])
    const { id, key } = await knownKey(services, 'test')

    way.cut()
    await services[2]!.admin('POST', `/keys/${id}/revoke`)

    for (const service of services)
      expect((await service.person('ada-fiction', '', { ApiKey: key })).text).toBe('revoked_api_key')
  })

  test.each(['with Redis', 'with the erasing node cut off'] as const)(
    'an erased person is served by no node, %s',
    async (how) => {
      const redis = await ownRedis()
      const way = await cuttableWay(redis.url)
      const { services } = await openServices([redis.url, way.url])
      for (const service of services) expect((await service.person('eve-fiction')).status).toBe(200)

      if (how !== 'with Redis') way.cut()
      await services[1]!.admin('POST', '/records/people/eve-fiction/erase', { reason: 'asked for it' })

      for (const service of services) expect((await service.person('eve-fiction')).status).toBe(404)
    },
  )

  test('a newer record that one node fetched is what all of them serve', async () => {
    const redis = await ownRedis()
    const { services } = await openServices([redis.url, redis.url])
    for (const service of services) await service.person('fay-fiction')

    const fresh = await services[1]!.person('fay-fiction', '&bypass_cache=true')
    const fetchedAt = fresh.headers.get('x-fetched-at')

    expect(fetchedAt).not.toBeNull()
    await until(async () => (await services[0]!.person('fay-fiction')).headers.get('x-fetched-at') === fetchedAt, 5_000)
  })

  test('nothing is cached while the others cannot be heard, and everything works; then it is again', async () => {
    const redis = await ownRedis()
    const { services } = await openServices([redis.url, redis.url])
    const caching = () => services.map(({ service }) => service.keyCache.caching && service.lookup.cache.caching)
    expect(caching()).toEqual([true, true])

    await redis.kill()
    await until(() => caching().every((on) => !on))
    for (const service of services) expect((await service.person('gus-fiction')).status).toBe(200)
    await redis.restart()

    await until(() => caching().every((on) => on))
  })
})
