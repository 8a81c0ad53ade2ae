import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendHttp } from '../src/admin/send-http.ts'
import { vitae } from './vitae.ts'

/** Echoes the request; below `/old` it redirects, and `/silent` never answers. */
const server = createServer((request, response) => {
  if (request.url === '/silent') return
  if (request.url?.startsWith('/old/')) return void response.writeHead(307, { location: 'https://new.example/' }).end()
  response.writeHead(201, { 'x-seen': request.headers.authorization ?? '' })
  response.write(`${request.method} ${request.url} `)
  request.pipe(response)
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('a request is answered, with its method, its headers and its body', async () => {
  const wish = { method: 'POST', headers: { authorization: 'Bearer t' }, body: 'Åsa' }
  const { status, headers, body } = await sendHttp(`${url}/new`, wish)

  expect([status, headers['x-seen'], await text(body)]).toEqual([201, 'Bearer t', 'POST /new Åsa'])
})

test('a timeout and an unreachable server are reported differently', async () => {
  const wish = { method: 'GET', headers: {} }
  const ends = await Promise.allSettled([
    sendHttp(`${url}/silent`, { ...wish, signal: AbortSignal.timeout(50) }),
    sendHttp('http://127.0.0.1:1/', wish),
  ])

  expect(ends).toMatchObject([{ reason: { name: 'TimeoutError' } }, { reason: { code: 'ECONNREFUSED' } }])
})

test("a token is not sent to a redirect's target, and the command names the target", async () => {
  const { code, stderr } = await vitae(['projects', 'list', '--url', `${url}/old`], { env: { VITAE_ADMIN_TOKEN: 't' } })

  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('/old redirects to https://new.example: use that address.'),
  ])
})
