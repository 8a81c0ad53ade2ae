import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'

let service: TestService
beforeAll(async () => void (service = await startTestService()))
afterAll(() => service.close())

async function ask(headers: Record<string, string>) {
  const { request } = await import('node:http')
  return new Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    const call = request(`${service.url}/openapi.json`, { headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    call.on('error', reject).end()
  })
}

test('the document is the same in every encoding, small when compressed, and not sent again to a client that has it', async () => {
  const plain = await ask({})
  const [gzipped, zstd] = [await ask({ 'accept-encoding': 'gzip' }), await ask({ 'accept-encoding': 'zstd, gzip' })]

  expect(gunzipSync(gzipped.bytes).equals(plain.bytes)).toBe(true)
  expect(zstdDecompressSync(zstd.bytes).equals(plain.bytes)).toBe(true)
  expect(JSON.parse(plain.bytes.toString())).toHaveProperty('openapi')
  expect(gzipped.bytes.length).toBeLessThan(plain.bytes.length / 4)
  const again = await ask({ 'accept-encoding': 'gzip', 'if-none-match': String(gzipped.headers['etag']) })
  expect([again.status, again.bytes.length]).toEqual([304, 0])
  expect(new Set([plain, gzipped, zstd].map(({ headers }) => headers['etag'])).size).toBe(3)
})
