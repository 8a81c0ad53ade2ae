import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'

/** Headers and body together have ten seconds. A machine that runs many tests at once gets more. */
const endsWithinMs = 40_000
const long = process.env['VITAE_TEST_LONG'] === '1'
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const json = 'Content-Type: application/json\r\n'
const bodies: [name: string, rest: string][] = [
  ['no body', '\r\n'],
  ['an empty body', `${json}Content-Length: 0\r\n\r\n`],
  ['a type only', `${json}\r\n`],
  ['another type only', 'Content-Type: text/csv\r\n\r\n'],
  ['chunks, and none', `${json}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['half a body', `${json}Content-Length: 9\r\n\r\n{"a"`],
]
const undocumented = [
  '/',
  '/nowhere',
  '/console',
  '/console/assets/x',
  '/docs',
  '/docs/x',
  '/mcp',
  '/metrics',
  '/llms.txt',
  '/admin/nowhere',
]

let service: TestService
let sample = ''

beforeAll(async () => {
  service = await startTestService({ env: { VITAE_UNAUTHORIZED_RATE: '1000000/60s' } })
  sample = (await service.makeKey({ mode: 'test' })).key
})
afterAll(() => service.close())

/** Every path of the two documents, and some others. */
async function allPaths(): Promise<string[]> {
  const owner = { authorization: `Bearer ${service.service.admin.ownerToken}` }
  const documents = [await service.get('/openapi.json'), await service.get('/admin/openapi.json', owner)]
  const described = documents.flatMap(({ json: { paths } }) => Object.keys(paths as object))
  return [...described.map((path) => path.replaceAll(/\{[^}]+\}/g, 'none')), ...undocumented]
}

/** Sends a request, and waits for the first bytes or the end of the connection; null if neither comes. */
function firstBytes(request: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(request))
    const end = (heard: string | null) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(heard)
    }
    const timer = setTimeout(() => end(null), endsWithinMs)
    socket.once('data', (chunk) => end(chunk.toString('latin1').slice(0, 12)))
    socket.once('error', () => end('reset'))
    socket.once('close', () => end('closed'))
  })
}

function credentials(path: string): string {
  return path.startsWith('/admin')
    ? `Authorization: Bearer ${service.service.admin.ownerToken}\r\n`
    : `ApiKey: ${sample}\r\n`
}

test.each(bodies.map(([name, rest], turn) => [name, rest, turn] as const))(
  'every request ends, by every method, at every path, with a key and without: %s',
  async (_name, rest, turn) => {
    const all = await allPaths()
    // The long form combines every path with every body.
    const paths = all.filter((path, index) => long || undocumented.includes(path) || index % bodies.length === turn)
    const requests = methods.flatMap((method) =>
      paths.flatMap((path) =>
        [credentials(path), ''].map((key) => `${method} ${path} HTTP/1.1\r\nHost: x\r\n${key}${rest}`),
      ),
    )
    const heard = await Promise.all(requests.map(firstBytes))
    const silent = requests.filter((_, index) => heard[index] === null)
    const faults = requests.filter((_, index) => heard[index]?.startsWith('HTTP/1.1 500'))

    expect(requests.length).toBeGreaterThan(long ? 1_500 : 300)
    expect(silent).toEqual([])
    expect(faults).toEqual([])
  },
  endsWithinMs * 3,
)
