import { Agent, request } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newKey, startNodes } from '../harness/node-processes.ts'
import { openOwnDatabase } from '../harness/engines.ts'
import { hasEngines } from '../harness/scale-out-engine.ts'
import { hostName, isInstalled, proxies, startProxy, type RunningProxy } from './start-proxy.ts'

const [restarted, callers] = process.env['VITAE_TEST_LONG'] ? [3, 4] : [1, 2]
const here = proxies.filter(isInstalled)
if (here.length < proxies.length)
  console.warn('NOT RUN: rolling restarts behind every proxy, because some are not here')

/** Callers behind one proxy, each with a persistent connection, until they are stopped. */
class Load {
  readonly ends: Record<string, number> = {}
  readonly #proxy: RunningProxy
  readonly #key: string
  readonly #agent = new Agent({ keepAlive: true })
  readonly #callers: Promise<void>[]
  #isOver = false

  constructor(proxy: RunningProxy, key: string, atOnce: number) {
    this.#proxy = proxy
    this.#key = key
    this.#callers = Array.from({ length: atOnce }, () => this.#goOn())
  }

  async stop(): Promise<Record<string, number>> {
    this.#isOver = true
    await Promise.all(this.#callers)
    this.#agent.destroy()
    return this.ends
  }

  async #goOn(): Promise<void> {
    while (!this.#isOver) {
      const end = await this.#call()
      this.ends[end] = (this.ends[end] ?? 0) + 1
      // Enough calls for every moment of a restart, but fewer than the machine's limit.
      await pause(5)
    }
  }

  #call(): Promise<string> {
    const { port, ca } = this.#proxy
    const headers = { Host: hostName, ApiKey: this.#key }
    const target = { host: '127.0.0.1', port, ca, servername: hostName, agent: this.#agent, headers }
    return new Promise((resolve) => {
      const call = request({ ...target, path: '/v1/people/profile?profile_id=amara-okafor' }, (response) => {
        response.on('end', () => resolve(String(response.statusCode))).on('error', (error) => resolve(error.message))
        response.resume()
      })
      call.on('error', (error) => resolve(error.message)).end()
    })
  }
}

describe.skipIf(!hasEngines || here.length === 0)('three nodes behind each proxy with our file', () => {
  test('restart one after another under load, and no call fails', async () => {
    const database = await openOwnDatabase()
    onTestFinished(() => database.drop())
    const redis = process.env['TEST_REDIS_URL'] ?? ''
    const nodes = await startNodes(3, { DATABASE_URL: database.url, REDIS_URL: redis, VITAE_TRUST_PROXY: '127.0.0.1' })
    onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close()))))
    const urls = nodes.map(({ url }) => url)
    const { key } = await newKey(urls[0] ?? '', 'rolling', 1_000_000)
    const running = await Promise.all(here.map((proxy) => startProxy(proxy, urls)))
    onTestFinished(async () => void (await Promise.all(running.map((proxy) => proxy.stop()))))

    const loads = running.map((proxy) => new Load(proxy, key, callers))
    const codes: (number | null)[] = []
    for (const node of nodes.slice(0, restarted)) {
      codes.push(await node.end('SIGTERM'))
      await node.start()
    }
    const ends = await Promise.all(loads.map((load) => load.stop()))

    expect(codes).toEqual(Array.from({ length: restarted }, () => 0))
    const named = ends.map((end, index) => [here[index]?.name, Object.keys(end)])
    expect(named, JSON.stringify(ends)).toEqual(here.map(({ name }) => [name, ['200']]))
  })
})
