import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { startTestService } from '../harness/test-service.ts'

const message = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a page', version: '1' } },
}

/**
 * A service with these settings, and the status that a browser page gets from its `/mcp` with the given `Host` and
 * `Origin`.
 */
async function askAs(env: Record<string, string> = {}) {
  const service = await startTestService({ env })
  onTestFinished(() => service.close())
  const { key } = await service.makeKey({ mode: 'test' })
  const { port } = new URL(service.url)
  const ask = async (host: string, origin?: string): Promise<number> => {
    const headers = {
      ApiKey: key,
      'Content-Type': 'application/json',
      Host: host,
      ...(origin ? { Origin: origin } : {}),
    }
    const sent = request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers })
    sent.end(JSON.stringify(message))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode ?? 0
  }
  return { ask, port }
}

test('a page whose name was rebound to this machine is refused, pages of this machine are not', async () => {
  const { ask, port } = await askAs()

  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'localhost'])
    expect(await ask(host, `http://${host}`), host).toBe(200)
  for (const host of ['evil.example.com', `evil.example.com:${port}`, `127.0.0.1.evil.example.com:${port}`, '10.0.0.1'])
    expect(await ask(host, `http://${host}`), host).toBe(403)
  for (const origin of ['http://evil.example.com', 'null', `http://localhost:${port}`])
    expect(await ask(`127.0.0.1:${port}`, origin), origin).toBe(403)
  // Programs send no origin.
  expect(await ask('vitae.internal:8080')).toBe(200)
})

test('a page of the public URL, or behind a trusted proxy, is accepted', async () => {
  const known = await askAs({ VITAE_PUBLIC_URL: 'https://vitae.example.com' })
  const behind = await askAs({ VITAE_TRUST_PROXY: '127.0.0.0/8', VITAE_DRAIN_SECONDS: '0' })

  expect(await known.ask('vitae.example.com', 'https://vitae.example.com')).toBe(200)
  expect(await known.ask('evil.example.com', 'https://evil.example.com')).toBe(403)
  expect(await behind.ask('vitae.example.com', 'https://vitae.example.com')).toBe(200)
  expect(await behind.ask('vitae.example.com', 'https://evil.example.com')).toBe(403)
})
