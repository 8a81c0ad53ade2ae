import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type AnyBody, anyCsv, anyJson, anyNdjson, bytesOf, knownBodies } from './any-body.ts'
import { canMeasure, type Measured, MeasuredService, type Sent } from './measured-service.ts'

const long = process.env['VITAE_TEST_LONG'] === '1'
const mega = 1_048_576
const uploadBytes = long ? 50 * mega - 1 : mega / 4
const drawn = long ? 24 : 4
const patience = long ? 3_600_000 : 120_000
const peakAtMostMb = 100
const turnAtMostMs = 50
/** The maximum number of complaints in an answer, and of its bytes. */
const listedAtMost = 20
const answerAtMost = 65_536

const shortRows: AnyBody = { type: 'text/csv', begin: 'id\n', unit: (index) => `r${index}\n`, end: '' }

let measured: MeasuredService
let keys: { live: string; test: string }
let keyId = ''
let owner: Record<string, string>

beforeAll(async () => {
  if (!canMeasure) return
  measured = await MeasuredService.start({})
  const { service } = measured
  const sample = await service.makeKey({ mode: 'test' })
  keyId = sample.id
  keys = { live: (await service.makeKey()).key, test: sample.key }
  owner = { authorization: `Bearer ${service.token}` }
  // Warms up, so that one-time loading and compiling, or running a batch, does not count as the cost of a body.
  const warm = ['a wide file', 'rows that are objects', 'a wide file of lines'].flatMap(
    (name) => knownBodies[name] ?? [],
  )
  for (const body of warm) for (const way of ways(body)) await finish(await measured.post(upload(body, way, 32_768)))
  for (const path of await bodyRoutes()) await measured.post(jsonTo(path, knownBodies['unknown members'], 60_000))
  const [way] = ways(shortRows)
  if (way) await finish(await measured.post(upload(shortRows, way, 65_536)))
}, patience)
afterAll(() => measured?.close())

interface Way {
  path: string
  headers: Record<string, string>
  isPacked: boolean
}

/** Every route that takes a file. The last one takes it compressed. */
function ways({ type }: AnyBody): Way[] {
  const query = type === 'application/json' ? '' : 'kind=people&column=id'
  const way = (path: string, headers: Record<string, string>, isPacked = false) => ({ path, headers, isPacked })
  const operator = `?key_id=${keyId}&kind=people&${query}`
  return [
    way(`/v1/batches?${query}`, { ApiKey: keys.test }),
    way(`/v1/batches/preview?${query}`, { ApiKey: keys.live }),
    way(`/admin/v1/batches${operator}`, owner),
    way(`/admin/v1/batches/preview${operator}`, owner),
    way(`/v1/batches?${query}`, { ApiKey: keys.test }, true),
  ]
}

function upload(body: AnyBody, { path, headers, isPacked }: Way, size: number): Sent {
  const bytes = bytesOf(body, size)
  const coding: Record<string, string> = isPacked ? { 'content-encoding': 'gzip' } : {}
  return {
    path,
    headers: { ...headers, 'content-type': body.type, ...coding },
    body: isPacked ? gzipSync(bytes, { level: 1 }) : bytes,
  }
}

/** Every route that takes JSON, from the two documents, plus the tools route. */
async function bodyRoutes(): Promise<string[]> {
  const { url } = measured.service
  const documents = await Promise.all(
    ['/openapi.json', '/admin/openapi.json'].map(async (path) =>
      (await fetch(`${url}${path}`, { headers: owner })).json(),
    ),
  )
  const routes = documents.flatMap((document) =>
    Object.entries((document as { paths: Record<string, Record<string, object>> }).paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        'requestBody' in operation ? [`${method.toUpperCase()} ${path.replaceAll(/\{[^}]+\}/g, 'none')}`] : [],
      ),
    ),
  )
  return [...routes, 'POST /mcp'].filter((route) => !/\/batches(\/preview)?$/.test(route))
}

function jsonTo(route: string, body: AnyBody | undefined, size: number): Sent {
  const [method = '', path = ''] = route.split(' ')
  const key = path.startsWith('/admin') ? owner : { ApiKey: keys.test }
  const tool = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"account","arguments":'
  const bytes = bytesOf(body ?? { type: 'application/json', begin: '{', unit: () => '', end: '}' }, size)
  const isTool = path === '/mcp'
  return {
    method,
    path,
    headers: { ...key, 'content-type': 'application/json' },
    body: isTool ? Buffer.concat([Buffer.from(tool), bytes, Buffer.from('}}')]) : bytes,
  }
}

const noted: { what: string; status: number; peakMb: number; longestMs: number }[] = []

/** The faults of the answer to a body, if any. */
function wrongWith(what: string, { status, body, peakMb, longestMs }: Measured): string[] {
  noted.push({ what, status, peakMb: Math.round(peakMb), longestMs: Math.round(longestMs) })
  const { errors = [] } = (status >= 400 && body.startsWith('{') ? JSON.parse(body) : {}) as { errors?: unknown[] }
  const wrong = [
    peakMb < peakAtMostMb ? null : `${peakMb} MB above idle`,
    longestMs < turnAtMostMs ? null : `${longestMs} ms of the event loop`,
    status < 500 ? null : body.slice(0, 200),
    status < 400 || body.length < answerAtMost ? null : `an answer of ${body.length} bytes`,
    errors.length <= listedAtMost ? null : `${errors.length} complaints`,
  ]
  return wrong.flatMap((one) => (one === null ? [] : [`${what} (${status}): ${one}`]))
}

interface Answer {
  status: number
  body: string
}

function followed({ status, body }: Answer) {
  if (status !== 202) return null
  const { id } = JSON.parse(body) as { id: string }
  return {
    url: `${measured.service.url}/v1/batches/${id}`,
    headers: { ApiKey: keys.test },
  }
}

/** Cancels a created batch, because its own cost is not measured here. */
async function cancel(answer: Answer): Promise<void> {
  const batch = followed(answer)
  if (batch) await fetch(`${batch.url}/cancel`, { method: 'POST', headers: batch.headers })
}

async function finish(answer: Answer): Promise<void> {
  const batch = followed(answer)
  if (!batch) return
  const isOver = async () => {
    const { status } = (await (await fetch(batch.url, { headers: batch.headers })).json()) as { status: string }
    return !['queued', 'running'].includes(status)
  }
  await vi.waitUntil(isOver, { timeout: 300_000, interval: 200 })
}

/**
 * Measures a body. Compiling, collecting garbage and background work only add to its cost. So a body that takes too much is sent
 * twice more, and the least counts.
 */
async function costOf(sent: Sent): Promise<Measured> {
  const answer = await measured.send(sent)
  await cancel(answer)
  for (let again = 0; again < 2 && !isWithinLimits(answer); again++) {
    const other = await measured.send(sent)
    await cancel(other)
    answer.peakMb = Math.min(answer.peakMb, other.peakMb)
    answer.longestMs = Math.min(answer.longestMs, other.longestMs)
  }
  return answer
}

const isWithinLimits = ({ peakMb, longestMs }: Measured) => peakMb < peakAtMostMb && longestMs < turnAtMostMs

async function wrongWithUpload(what: string, body: AnyBody, way: Way): Promise<string[]> {
  const answer = await costOf(upload(body, way, uploadBytes))
  return wrongWith(`${what} to ${way.path}${way.isPacked ? ', packed' : ''}`, answer)
}

describe.runIf(canMeasure)('for any body', { timeout: patience }, () => {
  afterAll(() => {
    const top = (by: 'peakMb' | 'longestMs') => noted.toSorted((a, b) => b[by] - a[by]).slice(0, long ? 8 : 2)
    console.log(`${noted.length} bodies; most memory, longest turn:`, top('peakMb'), top('longestMs'))
  })

  test('a file takes at most 100 MB and 50 ms of the event loop at a time, on every route', async () => {
    const wrong: string[] = []
    let turn = 0
    for (const [name, body] of Object.entries(knownBodies)) {
      const each = ways(body)
      // In the short form each file takes one of the routes.
      const some = long ? each : each.filter((_, index) => index === turn % each.length)
      for (const way of some) wrong.push(...(await wrongWithUpload(name, body, way)))
      turn++
    }
    expect(wrong).toEqual([])
  })

  test('a file of generated structure stays within the same limits, accepted or not', async () => {
    const anyFile = fc.tuple(fc.oneof(anyCsv, anyJson, anyNdjson), fc.nat({ max: 4 }))
    const files = fc.sample(anyFile, drawn)
    const wrong: string[] = []
    for (const [index, [body, way]] of files.entries()) {
      const chosen = ways(body)[way]
      const name = `file ${index} (${JSON.stringify(body.begin.slice(0, 60))} ${body.unit(0).slice(0, 60)})`
      if (chosen) wrong.push(...(await wrongWithUpload(name, body, chosen)))
    }
    expect(wrong).toEqual([])
  })

  test('any JSON stays within the same limits, on every other route', async () => {
    const routes = await bodyRoutes()
    const wrong: string[] = []
    const bodies = [knownBodies['unknown members'], ...fc.sample(anyJson, long ? 12 : 1)]
    for (const [turn, route] of routes.entries())
      for (const [index, body] of bodies.entries())
        // In the short form each route gets one body large and the other one small.
        for (const size of long ? [60_000, 1_000_000, 8_000_000] : [(turn + index) % 2 === 0 ? 60_000 : 1_000_000])
          wrong.push(...wrongWith(`body ${index} of ${size} to ${route}`, await costOf(jsonTo(route, body, size))))
    expect(wrong).toEqual([])
  })
})
