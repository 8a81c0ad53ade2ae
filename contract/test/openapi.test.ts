import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Errors } from 'typebox/schema'
import { expect, onTestFinished, test } from 'vitest'
import { failures, headers, openApiDocument } from '../src/index.ts'
import { exampleCompany, examplePerson } from '../src/operations/example-records.ts'

type Json = Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- a document is walked, not typed

const root = join(import.meta.dirname, '../..')
const document = openApiDocument({ serverUrl: 'http://127.0.0.1:8080/', version: '1.2.3' }) as Json
const lookups = [document.paths['/v1/people/profile'].get, document.paths['/v1/companies/details'].get]

test('the document passes redocly lint without an error and without a warning', async () => {
  const found = await lint(document)

  expect(found.problems).toEqual([])
  expect(found.totals).toMatchObject({ errors: 0, warnings: 0 })
})

test('the lint sees a broken example, so its silence means something', async () => {
  const broken = structuredClone(document)
  broken.paths['/v1/people/profile'].get.responses[200].content['application/json'].examples.answer.value.skills = 7

  const found = await lint(broken)

  expect(found.totals.errors).toBeGreaterThan(0)
})

test('every example validates against its schema', () => {
  const examples = [...examplesIn(document)]

  const wrong = examples.filter(({ schema, value }) => !isValid(schema, value))

  expect(wrong).toEqual([])
  expect(examples.length).toBeGreaterThan(50)
})

test('every answer and every header has an example', () => {
  const bare = Object.entries<Json>(document.components.headers).filter(([, part]) => part.example === undefined)
  expect(bare).toEqual([])
  for (const operation of operations()) {
    for (const response of Object.values<Json>(operation.responses)) {
      const contents = Object.values<Json>(resolve(response).content)
      const shown = contents.map(
        ({ example, examples = {} }) => example !== undefined || Object.keys(examples).length > 0,
      )
      expect(shown, operation.operationId).toContain(true)
      expect(Object.keys(resolve(response).headers)).toContain('X-Request-Id')
    }
  }
})

test('every JSON body that is sent has an example', () => {
  const bodies = operations().flatMap(({ requestBody }) => requestBody?.content['application/json'] ?? [])

  expect(bodies.filter(({ example, examples }) => example === undefined && examples === undefined)).toEqual([])
})

test('a lookup made of all examples asks for a sample, and sets nothing else', () => {
  const lookups = ['/v1/people/profile', '/v1/companies/details'].map((path) => document.paths[path].get)
  const set = lookups.map(({ parameters }) =>
    parameters
      .map(resolve)
      .filter(({ example }: Json) => example !== undefined)
      .map(({ name, example }: Json) => `${name}=${example}`),
  )

  expect(set).toEqual([['profile_id=sample-complete'], ['company_id=sample-complete']])
})

test('each lookup lists every failure it can end in, under its status, in its form', () => {
  const ofOthers = [
    ...['route_not_found', 'body_too_large', 'unsupported_media_type', 'too_many_batches'],
    ...['no_match', 'ambiguous_match'],
  ]

  for (const lookup of lookups) {
    const isCompany = lookup.operationId === 'getCompanyDetails'
    const possible = Object.entries(failures).filter(
      ([code]) => !ofOthers.includes(code) && !(isCompany && code === 'part_not_allowed'),
    )
    for (const [code, { status, body }] of possible) {
      const { content } = resolve(lookup.responses[status])
      const example = content[body === 'text' ? 'text/plain' : 'application/problem+json'].examples[code].value
      expect(body === 'text' ? example : example.code).toBe(code)
    }
    const listed = Object.keys(lookup.responses).map(Number)
    expect(codesListed(lookup).toSorted()).toEqual(possible.map(([code]) => code).toSorted())
    expect(new Set(listed)).toEqual(new Set([200, ...possible.map(([, { status }]) => status)]))
  }
})

test('a route lists no failure that it cannot give', () => {
  const { get: account } = document.paths['/v1/account']
  const { post: submit } = document.paths['/v1/batches']
  const { post: watch } = document.paths['/v1/watches']

  expect(Object.keys(account.responses)).toEqual(['200', '400', '401', '403', '405', '414', '429', '431', '500', '503'])
  expect(codesListed(account)).not.toContain('billing_blocked')
  expect(codesListed(submit)).toEqual(expect.arrayContaining(['too_many_batches', 'body_too_large']))
  expect(codesListed(submit)).not.toContain('upstream_timeout')
  expect(codesListed(watch)).toContain('conflict')
})

test('a batch is described with all its options, also for CSV and NDJSON', () => {
  const { post: submit } = document.paths['/v1/batches']
  const inBody = Object.keys(submit.requestBody.content['application/json'].schema.properties)
  const inQuery = submit.parameters.map(resolve).map(({ name }: Json) => name)

  const options = inBody.map((name) => (name === 'expect' ? 'expect.last_name' : name)).filter((name) => name !== 'ids')
  expect(inQuery).toEqual(expect.arrayContaining([...options, 'column', 'map.email', 'Idempotency-Key', 'X-Spend-Tag']))
})

test('a record carries every header of the table, those of matches only where one led to it', () => {
  const names = Object.entries(headers).map(([name, { on }]) => ({ name, on }))
  const usual = names.filter(({ on }) => on !== 'match').map(({ name }) => name)
  const ofMatches = names.filter(({ on }) => on === 'match').map(({ name }) => name)
  for (const lookup of lookups) {
    expect(Object.keys(lookup.responses[200].headers)).toEqual(expect.arrayContaining(usual))
  }
  const { post: match } = document.paths['/v1/people/match']
  expect(Object.keys(match.responses[200].headers)).toEqual(expect.arrayContaining(ofMatches))
})

test('a refused key learns nothing of limits or credits', () => {
  expect(Object.keys(document.components.responses.Unauthorized.headers)).toEqual([
    'X-Request-Id',
    'Cache-Control',
    'Vary',
  ])
})

test('a named shape is written out once', () => {
  const whole = JSON.stringify(document)

  // By its properties: a copy that may also be null differs from the shape in nothing else.
  for (const [name, { properties }] of Object.entries<Json>(document.components.schemas)) {
    expect(whole.split(JSON.stringify(properties)).length - 1, name).toBe(1)
  }
})

test('the example records have the keys of their schema, in its order', () => {
  expect(Object.keys(examplePerson)).toEqual(Object.keys(document.components.schemas.Person.properties))
  expect(Object.keys(exampleCompany)).toEqual(Object.keys(document.components.schemas.Company.properties))
})

async function lint(described: Json): Promise<{ totals: Json; problems: unknown[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'vitae-openapi-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'openapi.json')
  await writeFile(file, JSON.stringify(described))
  const redocly = join(root, 'node_modules/.bin/redocly')
  const options = ['lint', file, '--config', join(root, 'redocly.yaml'), '--format', 'json']
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' }
  // It ends with 1 when it finds something, and then says what on the same channel.
  const said = await new Promise<string>((done) => {
    execFile(process.execPath, [redocly, ...options], { env, maxBuffer: 1e8 }, (_, stdout) => done(stdout))
  })
  return JSON.parse(said)
}

function isValid(schema: Json, value: unknown): boolean {
  // The document itself is the root, so that its own references resolve.
  const [valid] = Errors({ ...document, ...schema }, value)
  return valid
}

function* examplesIn(node: unknown): Generator<{ schema: Json; value: unknown }> {
  if (node === null || typeof node !== 'object') return
  const { schema, example, examples } = node as Json
  if (schema && example !== undefined) yield { schema, value: example }
  for (const named of schema && examples ? Object.values<Json>(examples) : []) yield { schema, value: named.value }
  for (const child of Object.values(node)) yield* examplesIn(child)
}

function resolve(part: Json): Json {
  const [, , kind, name] = part.$ref?.split('/') ?? []
  return part.$ref ? document.components[kind][name] : part
}

/** The codes of all failures that an operation lists. */
function codesListed(operation: Json): string[] {
  const contents = Object.values<Json>(operation.responses).map((answer) => resolve(answer).content)
  return contents.flatMap((content) => Object.keys(content['application/problem+json']?.examples ?? {}))
}

function operations(): Json[] {
  return Object.values<Json>(document.paths).flatMap((path) => Object.values<Json>(path))
}
