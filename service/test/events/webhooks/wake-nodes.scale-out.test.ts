import { expect, onTestFinished, test } from 'vitest'
import { openServices } from '../../harness/node-services.ts'
import { hasEngines, ownRedis, until } from '../../harness/scale-out-engine.ts'
import { Receiver } from './webhook-fixture.ts'

const never = 24 * 60 * 60_000

/** Two nodes with their own Redis. The first one sends, and polls only at the given interval. */
async function openPair(firstLooksEveryMs: number) {
  const receiver = new Receiver()
  onTestFinished(() => receiver.close())
  const url = await receiver.listen()
  const redis = await ownRedis()
  const { services } = await openServices([redis.url, redis.url], { VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8' })
  const [sending, other] = services
  if (!sending || !other) throw new Error('two nodes were asked for')
  await sending.admin('POST', '/webhooks', { project: 'acme', url, events: ['ceiling.reached'] })
  // From here on it holds the lease.
  await sending.service.webhookSender.once()
  sending.service.webhookSender.start(firstLooksEveryMs)
  other.service.webhookSender.start(never)
  /** Writes an event on the other node. */
  const write = async () => {
    const { key } = await other.makeKey({ ceiling: 1 })
    expect((await other.person('ada', '', { ApiKey: key })).status).toBe(200)
  }
  return { sending, other, redis, receiver, write }
}

test.runIf(hasEngines)('the sending node is woken through Redis by an event of another node', async () => {
  const { receiver, write } = await openPair(never)

  await write()
  await receiver.arrived(1)

  expect(receiver.requests).toHaveLength(1)
})

test.runIf(hasEngines)('without Redis the sender finds events of other nodes by polling', async () => {
  const { sending, other, redis, receiver, write } = await openPair(200)
  await redis.kill()
  await until(async () => (await sending.get('/readyz')).text.includes('"disconnected"'))
  await until(async () => (await other.get('/readyz')).text.includes('"disconnected"'))

  await write()
  await receiver.arrived(1)

  expect(receiver.requests).toHaveLength(1)
})
