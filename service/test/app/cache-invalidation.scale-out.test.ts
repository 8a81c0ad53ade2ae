import { describe, expect, test } from 'vitest'
import type { TestService } from '../harness/test-service.ts'
import { cuttableWay, hasEngines, ownRedis, until } from '../harness/scale-out-engine.ts'
import { openServices } from '../harness/node-services.ts'

/** A key that every node has used and cached. */
async function knownKey(services: readonly TestService[], mode: 'live' | 'test') {
  const { id, key } = await services[0]!.makeKey({ mode })
  for (const service of services) expect((await service.person('ada-fiction', '', { ApiKey: key })).status).toBe(200)
  return { id, key }
}

describe.skipIf(!hasEngines)('a change on one node invalidates the cache of all others', () => {
  test.each(['live', 'test'] as const)(
    'a %s key revoked on one node is refused by the very next call on any node',
    async (mode) => {
      const redis = await ownRedis()
      const { services } = await openServices([redis.url, redis.url, redis.url])
      const { id, key } = await knownKey(services, mode)

      await services[2]!.admin('POST', `/keys/${id}/revoke`)

      for (const service of services)
        expect((await service.person('ada-fiction', '', { ApiKey: key })).text).toBe('revoked_api_key')
    },
  )

  test('a revoked key is refused by a node that joined after the last heartbeat of the revoking node', async () => {
    const redis = await ownRedis()
    const { services } = await openServices([redis.url, redis.url])
    const { id, key } = await knownKey(services, 'test')

    await services[0]!.admin('POST', `/keys/${id}/revoke`)

    expect((await services[1]!.person('ada-fiction', '', { ApiKey: key })).text).toBe('revoked_api_key')
  })

  test.each(['killed', 'frozen'] as const)(
    'a revoked test key, which no ledger checks, is refused, with Redis %s',
    async (how) => {
      const redis = await ownRedis()
      // A frozen Redis is noticed by its silence.
      const { services } = await openServices([redis.url, redis.url], {}, undefined, { redisPatience: 4 })
      const { id, key } = await knownKey(services, 'test')

      if (how === 'killed') await redis.kill()
      else redis.freeze()
      await services[1]!.admin('POST', `/keys/${id}/revoke`)
      const answers = await Promise.all(services.map((service) => service.person('ada-fiction', '', { ApiKey: key })))
      redis.thaw()

      expect(answers.map(({ text }) => text)).toEqual(['revoked_api_key', 'revoked_api_key'])
    },
  )

  test('a revoked key is refused if only the revoking node is cut off from Redis', async () => {
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
    'no node serves an erased person, %s',
    async (how) => {
      const redis = await ownRedis()
      const way = await cuttableWay(redis.url)
      const { services } = await openServices([redis.url, way.url], { VITAE_RATE_LIMIT: '100000/1s' })
      for (const service of services) expect((await service.person('eve-fiction')).status).toBe(200)

      if (how !== 'with Redis') way.cut()
      await services[1]!.admin('POST', '/records/people/eve-fiction/erase', { reason: 'asked for it' })

      for (const service of services) {
        const statuses: number[] = []
        // Without Redis the running window of the rate limit is closed until it ends.
        await until(
          async () => statuses.push((await service.person('eve-fiction')).status) > 0 && statuses.at(-1) !== 429,
        )
        expect(statuses.at(-1)).toBe(404)
      }
    },
  )

  test('all nodes serve a newer record that one node fetched', async () => {
    const redis = await ownRedis()
    const { services } = await openServices([redis.url, redis.url])
    for (const service of services) await service.person('fay-fiction')

    const fresh = await services[1]!.person('fay-fiction', '&bypass_cache=true')
    const fetchedAt = fresh.headers.get('x-fetched-at')

    expect(fetchedAt).not.toBeNull()
    await until(async () => (await services[0]!.person('fay-fiction')).headers.get('x-fetched-at') === fetchedAt)
  })

  test('nothing is cached while other nodes cannot be heard; calls still work, and caching resumes afterwards', async () => {
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
