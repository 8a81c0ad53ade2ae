import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostileRequests } from '../corpora/corpora.ts'
import { startWatchedService, type WatchedService } from '../harness/watched-service.ts'
import { Random } from '../simulation/world/random.ts'
import {
  attackService,
  hugeAndPolluting,
  inHeaders,
  inParameters,
  inPaths,
  marker,
  people,
  randomBytes,
  strings,
} from './hostile-attacks.ts'
import { exchange, getBytes, statusesIn, type Attack } from './raw-http.ts'

const long = process.env['VITAE_TEST_LONG'] === '1'
const patience = 600_000
let service: WatchedService
let live = ''
let sample = ''

beforeAll(async () => {
  // The long form misses more often than the default allows.
  service = await startWatchedService({ VITAE_NOT_FOUND_RATE: '1000000/1h' })
  live = (await service.makeKey()).key
  sample = (await service.makeKey({ mode: 'test' })).key
}, patience)
// After all inputs: no other connection, no name lookup, a clean log, and an orderly exit.
afterAll(async () => {
  const ended = await service.end()
  const log = ended.stdout + ended.stderr
  const allowed = [`connect ${new URL(service.upstream.url).host}`, 'polluted []']
  await service.close()

  expect(ended.code, ended.stderr).toBe(0)
  expect(ended.watched.filter((line) => !allowed.includes(line))).toEqual([])
  expect(ended.watched).toEqual(expect.arrayContaining(allowed))
  expect(log.split('\n').length).toBeGreaterThan(100)
  // Short strings are words that occur in any log.
  const secrets = [live, sample, service.token, marker, ...strings.filter((text) => text.length >= 16)]
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
  expect(secrets.slice(0, 3).filter((secret) => log.includes(Buffer.from(secret).join()))).toEqual([])
  expect(log.match(/[\w.-]+@[\w-]+\.\w+/g)).toBeNull()
}, patience)

async function survive(attacks: Iterable<Attack>, options?: { mayBeSilent: boolean }): Promise<Map<number, number>> {
  const { seen, wrong } = await attackService(service, { live, sample }, attacks, options)
  expect(wrong).toEqual([])
  return seen
}

describe('hostile strings and URLs', () => {
  test(
    'in any parameter: 2xx or 4xx, no charge for a failure, only slugs requested, nothing logged',
    async () => {
      const seen = await survive(inParameters({ live, sample }, long))

      // 404: another person's URN is well-formed, and unknown.
      expect([...seen.keys()].toSorted((a, b) => a - b)).toEqual([200, 400, 404])
      expect(service.upstream.requests.length).toBeGreaterThan(5)
    },
    patience,
  )

  test(
    'in any header: 2xx or 4xx, even with line breaks',
    async () => {
      const seen = await survive(inHeaders({ live, sample }, long), { mayBeSilent: true })

      expect(seen.get(200)).toBeGreaterThan(10)
      expect(seen.get(401)).toBeGreaterThan(5)
    },
    patience,
  )

  test(
    'in the path, raw and encoded, as the whole target and in place of the method',
    async () => {
      const seen = await survive(inPaths({ live, sample }, service.token, long), { mayBeSilent: true })

      expect(seen.get(404)).toBeGreaterThan(30)
      expect(seen.get(401)).toBeGreaterThan(5)
    },
    patience,
  )
})

test(
  'huge, repeated and prototype-polluting parameters, headers and bodies',
  async () => {
    const seen = await survive(hugeAndPolluting({ live, sample }, service.token), { mayBeSilent: true })

    expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 400, 414, 431, 405]))
  },
  patience,
)

test(
  'a path under /admin with another spelling is guarded like any other',
  async () => {
    const spellings = [
      '/%61dmin/v1/keys',
      '/admin%2Fv1/keys',
      '//admin/v1/keys',
      '/ADMIN/v1/keys',
      '/admin/v1/keys/',
      '/./admin/v1/keys',
      '/admin;x/v1/keys',
      'http://vitae.example/admin/v1/keys',
      'x://admin/v1/keys',
      'admin/v1/keys',
      '/%2561dmin/v1/keys',
      '/admin/v1/../v1/keys',
    ]
    for (const spelling of spellings) {
      const statuses = statusesIn(await exchange(service.port, getBytes(spelling, { Connection: 'close' })))
      expect(statuses, spelling).toHaveLength(1)
      expect([400, 401, 404], spelling).toContain(statuses[0])
    }
  },
  patience,
)

describe('bytes that are barely requests', () => {
  test(
    'splitting, smuggling and wrong lengths: no case ends the process or is answered with 5xx',
    async () => {
      const cases = hostileRequests()
      const seen = await survive(cases.map(({ name, bytes }) => ({ name, bytes, alone: true })))

      expect(seen.get(400)).toBeGreaterThan(15)
    },
    patience,
  )

  test(
    'a request hidden in the body of another is never answered',
    async () => {
      const hidden = `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`
      const lookup = `GET ${people}?profile_id=ada HTTP/1.1\r\nHost: x\r\nApiKey: ${sample}\r\n`
      const smuggled = [
        `${lookup}Content-Length: ${hidden.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
        `${lookup}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${hidden}`,
        `${lookup}Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
        `${lookup}Content-Length: +${hidden.length}\r\n\r\n${hidden}`,
        `${lookup}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
        `${lookup}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
        `${lookup}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
        `${lookup}Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
        `${lookup}X: y\rContent-Length: 5\r\n\r\n${hidden}`,
        `${lookup}X: y\n\r\n${hidden}`,
      ]
      for (const request of smuggled) {
        const heard = await exchange(service.port, Buffer.from(request, 'latin1'))
        expect(heard, request).not.toContain('"status":"ok"')
        expect(statusesIn(heard).filter((status) => status !== 400).length, request).toBeLessThanOrEqual(1)
      }
    },
    patience,
  )

  test(
    'random bytes, and valid requests with a few changed bytes',
    async () => {
      const seed = Math.floor(Math.random() * 2 ** 32)
      console.log(`seed of the random bytes: ${seed}`)
      const random = new Random(seed)
      const seen = await survive(randomBytes({ live, sample }, (limit) => random.below(limit), long ? 10_000 : 300))

      expect(seen.get(400)).toBeGreaterThan(30)
      expect(seen.get(200)).toBeGreaterThan(3)
    },
    patience,
  )
})
