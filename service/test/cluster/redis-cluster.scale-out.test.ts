import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../harness/start-engines.ts'
import { hasEngines, openNode, ownDatabase, ownFolder, until } from '../harness/scale-out-engine.ts'
import { openServices } from '../harness/node-services.ts'
import { Gate, goodPerson } from '../harness/scripted-provider.ts'

const slots = 16_384
const members = 3

/** Three masters that share the slots; returns the URL of the first. */
async function startCluster(): Promise<string> {
  const ports: { port: number; bus: number }[] = []
  for (let index = 0; index < members; index++) ports.push({ port: await freePort(), bus: await freePort() })
  for (const { port, bus } of ports) {
    const flags = [
      '--port',
      port,
      '--cluster-port',
      bus,
      '--cluster-enabled',
      'yes',
      '--bind',
      '127.0.0.1',
      '--save',
      '',
    ]
    const child = spawn('redis-server', [...flags, '--dir', ownFolder()].map(String), { stdio: 'ignore' })
    onTestFinished(async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    })
  }
  const clients = ports.map(({ port }) => new Redis(port, '127.0.0.1', { retryStrategy: () => 50 }))
  for (const client of clients) client.on('error', () => undefined)
  for (const [index, client] of clients.entries()) {
    const from = Math.ceil((index * slots) / members)
    const to = Math.ceil(((index + 1) * slots) / members) - 1
    await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to)
    for (const { port, bus } of ports) await client.call('CLUSTER', 'MEET', '127.0.0.1', port, bus)
  }
  const isWhole = async (client: Redis) =>
    String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok') &&
    String(await client.call('CLUSTER', 'NODES'))
      .trim()
      .split('\n').length === members
  await until(async () => (await Promise.all(clients.map(isWhole))).every(Boolean))
  for (const client of clients) client.disconnect()
  return `redis://127.0.0.1:${ports[0]?.port}?cluster=true`
}

describe.skipIf(!hasEngines)('a Redis cluster', () => {
  test('limits, claims and events work across its members: no operation crosses slots', async () => {
    const url = await startCluster()
    const databaseUrl = await ownDatabase()
    const nodes = await Promise.all([openNode(databaseUrl, url), openNode(databaseUrl, url)])
    await until(() => nodes.every((node) => node.peers.connected))
    // Long enough that neither a window nor a claim ends before its verdicts are there.
    const [rate, claimMs] = [{ limit: 5, windowMs: 600_000 }, 600_000]

    for (const id of Array.from({ length: 20 }, (_, index) => `key-${index}`)) {
      const verdicts = await Promise.all(
        nodes.flatMap(({ limiter }) => [1, 2, 3, 4].map(async () => limiter.take(id, rate))),
      )
      expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(5)
      await nodes[0]!.limiter.giveBack(id, rate)
      expect((await nodes[1]!.limiter.peek(id, rate)).remaining).toBe(1)
      expect(await nodes[0]!.peers.claim(id, claimMs)).toBe(true)
      expect(await nodes[1]!.peers.claim(id, claimMs)).toBe(false)
      await nodes[0]!.peers.giveUp(id)
      expect(await nodes[1]!.peers.claim(id, claimMs)).toBe(true)
    }
    expect(nodes.every((node) => node.peers.connected)).toBe(true)
  })

  test('nodes that use it share their fetches through it', async () => {
    const url = await startCluster()
    const { services, upstream } = await openServices([url, url], { VITAE_UPSTREAM_TIMEOUT_MS: '120000' })
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)

    const calls = services.map((service) => service.person('ada-fiction'))
    await until(async () => (await services[0]!.balance()).held === 2)
    gate.open()

    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200])
    expect(upstream.asked).toEqual(['ada-fiction'])
  })
})
