import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { request } from 'node:https'
import { connect as connectTls } from 'node:tls'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { hostName, isInstalled, proxies, startProxy, type RunningProxy } from './start-proxy.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService({ realClock: true, env: { VITAE_TRUST_PROXY: '127.0.0.1' } })
})
afterAll(() => service.close())

interface Reply {
  status: number
  /** Whether the service sent it: all its responses have a request id, a proxy's do not. */
  fromService: boolean
  body: string
}

/** One call over TLS with a checked certificate, from a chosen loopback address. */
function ask(proxy: RunningProxy, path: string, headers: Record<string, string> = {}, localAddress = '127.0.0.1') {
  return new Promise<Reply>((resolve, reject) => {
    const target = { host: '127.0.0.1', port: proxy.port, servername: hostName, ca: proxy.ca, localAddress, path }
    const call = request({ ...target, agent: false, headers: { Host: hostName, ...headers } }, (response) => {
      text(response).then((body) => {
        const fromService = response.headers['x-request-id'] !== undefined
        resolve({ status: response.statusCode ?? 0, fromService, body })
      }, reject)
    })
    call.on('error', reject).end()
  })
}

/** Sends a request line exactly as given, with the owner's token. */
async function askRaw(proxy: RunningProxy, target: string): Promise<Reply> {
  const socket = connectTls({ host: '127.0.0.1', port: proxy.port, servername: hostName, ca: proxy.ca })
  const owner = `Authorization: Bearer ${service.service.admin.ownerToken}`
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${hostName}\r\n${owner}\r\nConnection: close\r\n\r\n`)
  const reply = await text(socket)
  return {
    status: Number(/^HTTP\/1\.\d (\d{3})/.exec(reply)?.[1] ?? 0),
    fromService: /^x-request-id:/im.test(reply),
    body: reply,
  }
}

function askHttp2(session: ClientHttp2Session, path: string): Promise<Reply> {
  return new Promise((resolve) => {
    const stream = session.request({ ':path': path, authorization: `Bearer ${service.service.admin.ownerToken}` })
    const reply: Reply = { status: 0, fromService: false, body: '' }
    stream.on('response', (headers) => {
      reply.status = headers[':status'] ?? 0
      reply.fromService = headers['x-request-id'] !== undefined
    })
    stream.on('error', () => resolve(reply))
    stream.on('close', () => resolve(reply))
    stream.resume().end()
  })
}

const operators = ['/admin', '/admin/v1/keys', '/admin/openapi.json', '/console', '/console/', '/metrics']
const percent = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`

/** Spellings of one path that some server might treat as the same. */
function spellings(path: string): string[] {
  const [, name = '', rest = ''] = /^\/(\w+)(.*)$/.exec(path) ?? []
  const first = name.charAt(0)
  return [
    path,
    `/${percent(first)}${name.slice(1)}${rest}`,
    `/${percent(first).toUpperCase()}${name.slice(1)}${rest}`,
    `/${[...name].map(percent).join('')}${rest}`,
    `/${percent(percent(first).charAt(0))}${percent(first).slice(1)}${name.slice(1)}${rest}`,
    `/${name.toUpperCase()}${rest}`,
    `/${first.toUpperCase()}${name.slice(1)}${rest}`,
    `/${path}`,
    `//${path}`,
    `/%2f${name}${rest}`,
    `/%2F${percent(first)}${name.slice(1)}${rest}`,
    `/.${path}`,
    `/%2e${path}`,
    `/v1/..${path}`,
    `/v1/%2e%2e${path}`,
    `/v1/..%2f${name}${rest}`,
    `/v1/people/profile/../../..${path}`,
    `/docs/..${path}`,
    `/docs/..%2f${name}${rest}`,
    `/console/assets/..%2f..%2f${name}${rest}`,
    `/x/..;${path}`,
    `/\\${name}${rest}`,
    `\\${name}${rest}`,
    `${path};x=1`,
    `${path}?x=/v1/`,
    `${path}#/v1/`,
    `${path}%3f/v1/`,
    `${path}%23`,
    `${path}%00`,
    `${path}%20`,
    `${path}//`,
    `${path}/..`,
    `${path}/../v1/account`,
    `${path}/%2e%2e/docs`,
  ]
}
const absolute = (path: string) => [
  `http://${hostName}${path}`,
  `https://${hostName}${path}`,
  `HTTP://x@${hostName}${path}`,
]

const notBlocked = ({ status, fromService }: Reply) => fromService || ![400, 404].includes(status)

describe.each(proxies)('behind $name with the file in deploy/proxies', (proxy) => {
  let running: RunningProxy | null = null

  beforeAll(async () => {
    running = isInstalled(proxy) ? await startProxy(proxy, service.url) : null
    if (!running) console.warn(`NOT RUN: tests behind ${proxy.name}, because there is no ${proxy.binary} or no openssl`)
  })
  afterAll(() => running?.stop())

  test('the file loads without a warning', ({ skip }) => {
    if (!running) return skip()
    // Ignores Caddy's messages about the test's changes to the file, and HAProxy's about nodes on a slow machine.
    const ours = /admin endpoint disabled|stapling OCSP|automatic HTTPS is completely disabled|is (UP|DOWN), reason/
    const complaints = running
      .said()
      .split('\n')
      .filter((line) => /warn|alert|emerg|deprecat/i.test(line))
    expect(complaints.filter((line) => !ours.test(line))).toEqual([])
  })

  test("no spelling of an operators' route reaches the service, with any token", async ({ skip }) => {
    if (!running) return skip()
    const passed: string[] = []
    // One connection each: every spelling of two routes in turn. Over HTTP/2, every spelling of all routes.
    for (const [number, path] of operators.entries()) {
      const targets = [...spellings(path), ...spellings(path).slice(0, 3).flatMap(absolute)]
      for (const target of targets.filter((_, index) => index % 3 === number % 3)) {
        const reply = await askRaw(running, target)
        if (notBlocked(reply)) passed.push(`${target}: ${reply.status}`)
      }
    }
    expect(passed).toEqual([])
  })

  test('nor over HTTP/2', async ({ skip }) => {
    if (!running) return skip()
    const session = connectHttp2(`https://${hostName}`, {
      createConnection: () =>
        connectTls({
          ...{ host: '127.0.0.1', port: running?.port ?? 0, servername: hostName, ca: running?.ca },
          ALPNProtocols: ['h2'],
        }),
    })
    const passed: string[] = []
    for (const path of operators.flatMap(spellings)) {
      const reply = await askHttp2(session, path)
      if (reply.fromService || ![0, 400, 404].includes(reply.status)) passed.push(`${path}: ${reply.status}`)
    }
    const page = await askHttp2(session, '/docs/')
    session.destroy()

    expect(passed).toEqual([])
    expect(page).toMatchObject({ status: 200, fromService: true })
  })

  test('callers reach all their routes, including the start page with its files', async ({ skip }) => {
    if (!running) return skip()
    const start = await ask(running, '/')
    const files = [...start.body.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)].map((match) => match[1] ?? '')
    const { paths } = (await service.get('/openapi.json')).json as { paths: Record<string, unknown> }

    expect(files.length).toBeGreaterThan(0)
    for (const path of ['/', '/docs/', '/openapi.json', '/healthz', '/readyz', ...files])
      expect([path, await ask(running, path)]).toMatchObject([path, { status: 200, fromService: true }])
    for (const path of Object.keys(paths))
      expect([path, await ask(running, path.replaceAll(/\{\w+\}/g, 'x'))]).toMatchObject([path, { fromService: true }])
  })

  test('a caller has its real address, and not a claimed one', async ({ skip }) => {
    if (!running) return skip()
    const { key: ApiKey } = await service.makeKey({ mode: 'test', networks: ['127.0.0.2/32'] })
    const path = `/v1/people/profile?profile_id=${encodeURIComponent('https://www.linkedin.com/in/ada/')}`
    const claim = { ApiKey, 'X-Forwarded-For': '127.0.0.2', Forwarded: 'for=127.0.0.2', 'X-Real-IP': '127.0.0.2' }

    expect(await ask(running, path, { ApiKey }, '127.0.0.2')).toMatchObject({ status: 200 })
    expect(await ask(running, path, { ApiKey, 'X-Forwarded-For': '10.9.9.9' }, '127.0.0.2')).toMatchObject({
      status: 200,
    })
    expect(await ask(running, path, claim, '127.0.0.3')).toMatchObject({ status: 403, body: 'address_not_allowed' })
  })

  test('a caller through the proxy sees no details of /readyz', async ({ skip }) => {
    if (!running) return skip()
    expect((await ask(running, '/readyz')).body).toBe('{"status":"ready"}')
  })
})
