import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { keepConnections, post } from '../../../src/events/webhooks/delivery/post.ts'
import { targetRules } from '../../../src/events/webhooks/delivery/target-addresses.ts'

const message = { headers: {}, body: '{}' }

/** A receiver on all loopback addresses, and a function that sends it one event as its name stands for an address. */
async function startReceiver(answer: RequestListener) {
  const server = createServer(answer)
  const connectedTo: (string | undefined)[] = []
  server.on('connection', ({ localAddress }) => connectedTo.push(localAddress))
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://hooks.example.com:${(server.address() as AddressInfo).port}/`
  const kept = keepConnections()
  const send = (address: string) =>
    post({ rules: targetRules(['127.0.0.0/8']), resolve: async () => [address], kept }, { ...message, url })
  return { connectedTo, kept, send }
}

test('the events for a receiver use one connection', async () => {
  const { connectedTo, send } = await startReceiver((_request, response) => response.end())

  const results = [await send('127.0.0.1'), await send('127.0.0.1'), await send('127.0.0.1')]

  expect(results.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered', 'delivered'])
  expect(connectedTo).toEqual(['127.0.0.1'])
})

test('a kept connection is not used once its name stands for another address', async () => {
  const { connectedTo, send } = await startReceiver((_request, response) => response.end())
  await send('127.0.0.1')

  const moved = await send('127.0.0.2')

  expect(moved.outcome).toBe('delivered')
  expect(connectedTo).toEqual(['127.0.0.1', '127.0.0.2'])
})

test('an event is sent over a new connection if the receiver ends the kept one', async () => {
  const used = new WeakSet<object>()
  const { connectedTo, send } = await startReceiver(({ socket }, response) => {
    if (used.has(socket)) socket.destroy()
    else response.end()
    used.add(socket)
  })
  await send('127.0.0.1')

  const next = await send('127.0.0.1')

  expect(next.outcome).toBe('delivered')
  expect(connectedTo).toHaveLength(2)
})

test('an event is sent over a new connection even if the receiver has ended several kept ones', async () => {
  const used = new WeakSet<object>()
  const { connectedTo, send } = await startReceiver(({ socket }, response) => {
    if (used.has(socket)) socket.destroy()
    else response.end()
    used.add(socket)
  })
  await Promise.all([send('127.0.0.1'), send('127.0.0.1')])

  const next = await send('127.0.0.1')

  expect(next.outcome).toBe('delivered')
  expect(connectedTo).toHaveLength(3)
})

test('a connection that is not used for 4 s is ended, before a receiver ends it', async () => {
  const { kept, send } = await startReceiver((_request, response) => response.end())

  await send('127.0.0.1')

  const idle = Object.values(kept['http:'].freeSockets).flatMap((sockets) => sockets ?? [])
  expect(idle.map(({ timeout }) => timeout)).toEqual([4_000])
})
