import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VitaeClient, VitaeError, type ClientOptions } from '../../client/src/index.ts'
import { startTestService, type TestService } from '../../service/test/harness/test-service.ts'
import { cases, type Case } from './cases.ts'
import { findPython, PythonClient } from './python.ts'

const python = findPython('httpx')
if (python === null) console.warn('!! Python 3 with httpx is missing: the tests of the Python client are SKIPPED.')

let service: TestService
let testKey: string
let calls: PythonClient

beforeAll(async () => {
  service = await startTestService({ people: { nobody: null } })
  const { key } = await service.newCaller(20)
  const primed = new VitaeClient({ apiKey: key, baseUrl: service.url })
  await primed.people.profile('first-asked')
  await primed.companies.details('first-company')
  testKey = (await service.newCaller(0, { mode: 'test' })).key
  if (python !== null) calls = new PythonClient(python)
})
afterAll(async () => {
  calls?.close()
  await service.close()
})

describe.skipIf(python === null)('both clients have the same outcome', () => {
  test('the table has at least 120 cases, each once', () => {
    expect(new Set(cases.map(({ title, client }) => title + JSON.stringify(client ?? {}))).size).toBe(cases.length)
    expect(cases.length).toBeGreaterThanOrEqual(120)
  })

  test.each(cases.map((each) => [each.title, each] as const))('%s', async (_title, asked) => {
    const expected = await byTypeScript(asked, await keyOf(asked))
    const given = await Promise.all([keyOf(asked), keyOf(asked)])
    const ends = [await byPython(asked, given[0], false), await byPython(asked, given[1], true)]

    if (asked.refused)
      expect([expected, ...ends].map((end) => Object.keys(end))).toEqual([['refused'], ['refused'], ['refused']])
    else {
      expect(codeOf(expected)).toBe(asked.code)
      expect(ends[0]).toEqual(expected)
      expect(ends[1]).toEqual(expected)
    }
  })
})

/** A live key per client, so that all three start with the same credits. */
async function keyOf({ key }: Case): Promise<string> {
  if (key === 'live') return (await service.newCaller(20)).key
  return key === 'test' ? testKey : `vt_test_${'0'.repeat(32)}abcdef`
}

const codeOf = (end: Record<string, unknown>) => (end['failure'] as { code: string } | undefined)?.code

async function byPython(asked: Case, apiKey: string, isAsync: boolean) {
  const client = { max_retries: 0, ...asked.client }
  const { method, args, options } = asked
  const end = await calls.run({
    api_key: apiKey,
    base_url: service.url,
    client,
    method,
    args,
    options,
    is_async: isAsync,
  })
  return comparable(end)
}

async function byTypeScript(asked: Case, apiKey: string) {
  try {
    const client = new VitaeClient({
      apiKey,
      baseUrl: service.url,
      maxRetries: 0,
      ...(camel(asked.client ?? {}) as Partial<ClientOptions>),
    })
    const result = await callOf(client, asked)
    return comparable({ result: snake(await collected(result)) })
  } catch (error) {
    if (error instanceof VitaeError) return comparable({ failure: failureOf(error) })
    if (error instanceof TypeError) return { refused: error.message }
    throw error
  }
}

/** The same call of the TypeScript client. */
function callOf(client: VitaeClient, { method, args, options }: Case): unknown {
  const given = camel(options)
  const [first, second] = args
  if (method === 'companies.resolve') return client.resolveCompany(String(first), given)
  if (method === 'people.match' || method === 'companies.match') return matchOf(client, method, given)
  if (method === 'batches.create') return client.batches.create({ kind: first, ids: second, ...given } as never)
  if (method === 'batches.preview') return client.batches.preview({ kind: first, ids: second, ...given } as never)
  if (method === 'watches.create') return client.watches.create({ kind: first, id: second, ...given } as never)
  const target = method.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], client)
  return (target as (...all: unknown[]) => unknown)(...args, given)
}

const held: ReadonlySet<string> = new Set(
  'email phone firstName lastName name company companyDomain companyId location profileId domain country'.split(' '),
)

/** Python takes the known facts and the options as keyword arguments of one call. */
function matchOf(client: VitaeClient, method: string, given: Record<string, unknown>): unknown {
  const part = (isHeld: boolean) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => held.has(name) === isHeld))
  return method === 'people.match'
    ? client.people.match(part(true), part(false))
    : client.companies.match(part(true), part(false))
}

async function collected(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result
  return Array.fromAsync(result as AsyncIterable<unknown>)
}

function failureOf(error: VitaeError) {
  const { code, status, retryable, detail, retryAfterSeconds, errors, idempotencyKey, credits } = error
  const ancestors: string[] = []
  for (let at = error.constructor; at.name.startsWith('Vitae'); at = Object.getPrototypeOf(at) as typeof at)
    ancestors.push(at.name)
  return {
    class: error.constructor.name,
    code,
    status,
    retryable,
    detail,
    retry_after_seconds: retryAfterSeconds,
    errors: errors.map(({ parameter, detail: why }) => [parameter, why]),
    idempotency_key: idempotencyKey,
    credits: credits && snake(credits),
    is_a: ancestors,
  }
}

/** Without values that differ between calls: ids, times, what is left of a limit. */
function comparable(end: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(end, (name, value: unknown) => {
    if (
      /^(request_id|idempotency_key|rate_limit|fetched_at|last_checked_at|last_seen_at|created_at|at|id|next|next_due_at|environment|project|key|reset.*)$/.test(
        name,
      )
    )
      return undefined
    // Python's result has the matches in a separate field.
    if (name === 'result' && typeof value === 'object' && value !== null && 'matches' in value) {
      const { matches, ...rest } = value
      return { ...(matches as object), ...rest }
    }
    return typeof value === 'string' ? value.replaceAll('maxCredits', 'max_credits') : value
  })
  return JSON.parse(text) as Record<string, unknown>
}

const camel = (options: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/_$/, '').replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )

/** The names of an answer's fields as in Python; a record's fields keep theirs. */
function snake(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snake)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value.toISOString()
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      name === 'record' ? member : snake(member),
    ]),
  )
}
