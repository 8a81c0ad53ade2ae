import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'

/** The promise is 50 ms. This figure includes the client's share and the compilation of a route's first call. */
const cpuAtMostMs = 400

const isLong = Boolean(process.env['VITAE_TEST_LONG'])

interface Operation {
  parameters?: { name: string; in: string }[]
}
interface Sent {
  method: string
  path: string
  type?: string
  body?: string
}

let service: TestService
let sample = ''

beforeAll(async () => {
  service = await startTestService({ env: { VITAE_UNAUTHORIZED_RATE: '1000000/60s' } })
  sample = (await service.makeKey({ mode: 'test' })).key
})
afterAll(() => service.close())

const texts = ['a'.repeat(7_000), '9'.repeat(7_000), 'a,'.repeat(3_500), 'a.'.repeat(3_500), '%F0%9F%A6%8A'.repeat(580)]
const size = 250_000
const members: [name: string, json: string][] = [
  ['a long text', JSON.stringify('a'.repeat(size))],
  ['a long name in a list', JSON.stringify(['a'.repeat(size)])],
  ['names in a list', JSON.stringify(Array.from({ length: 50 }, () => 'a'.repeat(4_900)))],
  ['many numbers', `[${'1,'.repeat(size / 2)}1]`],
  ['many texts', `["${'a","'.repeat(size / 4)}"]`],
  ['many objects', `[${'{},'.repeat(size / 3)}{}]`],
  ['nested lists', `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`],
  ['unknown names', JSON.stringify(['a'.repeat(1_000)])],
  ['many members', `{${Array.from({ length: 15_000 }, (_, index) => `"m${index}":1`).join()}}`],
]

async function inQueries(): Promise<Sent[]> {
  const { json } = await service.get('/openapi.json')
  return Object.entries(json['paths'] as Record<string, Record<string, Operation>>).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).flatMap(([method, { parameters = [] }]) =>
      parameters
        .filter((parameter) => parameter.in === 'query')
        .flatMap(({ name }) => texts.map((text) => `${filled(path)}?${name}=${text}`))
        .map((target) => ({ method: method.toUpperCase(), path: target })),
    ),
  )
}

async function inBodies(): Promise<Sent[]> {
  const taken: [path: string, member: string][] = [
    ['/v1/batches', 'fields'],
    ['/v1/batches', 'name'],
    ['/v1/watches', 'id'],
    ['/v1/watches', 'kind'],
    ['/mcp', 'params'],
  ]
  return taken.flatMap(([path, name]) =>
    members.map(([, json]) => ({
      method: 'POST',
      path,
      type: 'application/json',
      body: `{"ids":["ada"],"kind":"people","${name}":${json}}`,
    })),
  )
}

/** Every member of an admin body at once, within the ordinary size limit and far above it. */
async function inAdminBodies(): Promise<Sent[]> {
  const authorization = `Bearer ${service.service.admin.ownerToken}`
  const { json } = await service.get('/admin/openapi.json', { authorization })
  const operations = Object.entries(json['paths'] as Record<string, Record<string, AdminOperation>>).flatMap(
    ([path, byMethod]) => Object.entries(byMethod).map(([method, operation]) => ({ path, method, operation })),
  )
  return operations
    .flatMap(({ path, method, operation }, index) => {
      const names = Object.keys(operation.requestBody?.content['application/json']?.schema.properties ?? {})
      if (names.length === 0) return []
      const within = hostile(60_000 / names.length - 40)
      const above = hostile(1_000_000 / names.length - 40)
      // Above the limit no route reads the content, so each gets a different body. The long form sends all of them to
      // each.
      return [...within, ...(isLong ? above : [above[index % above.length] ?? ''])].map((value) => ({
        path,
        method,
        names,
        value,
      }))
    })
    .map(({ path, method, names, value }) => ({
      method: method.toUpperCase(),
      path: filled(path),
      type: 'application/json',
      body: `{${names.map((name) => `"${name}":${value}`).join()}}`,
    }))
}

interface AdminOperation {
  requestBody?: { content: Record<string, { schema: { properties?: object } }> }
}

function hostile(bytes: number): string[] {
  return [
    JSON.stringify('a'.repeat(bytes)),
    JSON.stringify(['a'.repeat(bytes)]),
    `["${'abc","'.repeat(bytes / 6)}abc"]`,
    `[${'{},'.repeat(bytes / 3)}{}]`,
    `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`,
  ]
}

function filled(path: string): string {
  return path.replaceAll(/\{[^}]+\}/g, 'none')
}

/** The CPU time of this thread, which runs the service and its client. The store has its own thread. */
async function cpuOf({ method, path, type, body }: Sent): Promise<{ ms: number; status: number }> {
  const key: Record<string, string> = path.startsWith('/admin')
    ? { authorization: `Bearer ${service.service.admin.ownerToken}` }
    : { ApiKey: sample }
  const before = process.threadCpuUsage()
  const { status } = await service.get(path, { ...key, ...(type ? { 'content-type': type } : {}) }, method, body)
  const { user, system } = process.threadCpuUsage(before)
  return { ms: (user + system) / 1_000, status }
}

test.each([
  ['query', inQueries],
  ['body', inBodies],
  ['admin body', inAdminBodies],
])('no route spends much time on an input that it refuses: in its %s', async (_place, all) => {
  const dear: string[] = []
  let refused = 0
  for (const sent of await all()) {
    // Repeats an expensive one, because its first run includes compilation.
    const first = await cpuOf(sent)
    if (first.status < 400) continue
    refused++
    const again = first.ms > cpuAtMostMs / 5 ? await cpuOf(sent) : first
    if (again.ms > cpuAtMostMs)
      dear.push(`${again.ms} ms: ${sent.method} ${sent.path.slice(0, 80)} ${sent.body?.slice(0, 80) ?? ''}`)
  }

  expect(refused).toBeGreaterThan(30)
  expect(dear).toEqual([])
})
