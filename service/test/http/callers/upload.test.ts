import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { uploadOf } from '../../../src/http/callers/upload.ts'

/** A server that reads each body with `read`, and a request whose body is not sent yet. */
async function uploading(read: (request: IncomingMessage) => Promise<void>) {
  const server = createServer((incoming, response) => void read(incoming).finally(() => response.end()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server.close().closeAllConnections())
  const sent = request({ port: (server.address() as AddressInfo).port, method: 'POST' })
  sent.on('error', () => undefined)
  return sent
}

test('a body is read in small parts, each in its turn', async () => {
  const { promise, resolve } = Promise.withResolvers<{ sizes: number[]; asked: number }>()
  const sent = await uploading(async (incoming) => {
    const sizes: number[] = []
    let asked = 0
    for await (const part of uploadOf(incoming, async () => void asked++)) sizes.push(part.length)
    resolve({ sizes, asked })
  })
  sent.end('x'.repeat(300_000))

  const { sizes, asked } = await promise
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4_096)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(300_000)
  expect(asked).toBe(sizes.length)
})

test('a body that has fully arrived is read to its end, however long its parts wait', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const sent = await uploading(async (incoming) => {
    let size = 0
    const nextPart = async () => {
      for (let turn = 0; turn < 20; turn++) await nextTurn()
    }
    for await (const part of uploadOf(incoming, nextPart)) size += part.length
    resolve(size)
  })
  sent.end('x'.repeat(15_000))

  expect(await promise).toBe(15_000)
})

test('after an upload is cut off no further part is read, not even what has arrived', async () => {
  const { promise, resolve } = Promise.withResolvers<{ parts: number; error: unknown }>()
  const sent = await uploading(async (incoming) => {
    let parts = 0
    const nextPart = async () => {
      if (parts !== 1) return
      const gone = once(incoming, 'close').catch(() => undefined)
      sent.destroy()
      await gone
    }
    const reading = (async () => {
      for await (const _part of uploadOf(incoming, nextPart)) parts += 1
    })()
    const error: unknown = await reading.then(null, (reason: unknown) => reason)
    resolve({ parts, error })
  })
  sent.write('x'.repeat(60_000))

  const { parts, error } = await promise
  expect(parts).toBeLessThanOrEqual(2)
  expect(error).toMatchObject({ code: 'client_closed_request' })
})
