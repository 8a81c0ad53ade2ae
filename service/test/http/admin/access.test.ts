import { type AdminOperation, adminOperations, roles } from '@vitae/contract/admin'
import { Errors } from 'typebox/schema'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examplePerson } from '../../../../contract/src/operations/example-records.ts'
import { buildApp } from '../../../src/http/app.ts'
import { registeredRoutes } from '../../harness/registered-routes.ts'
import { startTestService, type TestService } from '../../harness/test-service.ts'
import { accessOf, requests } from './access-table.ts'

type Json = Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- a document is walked, not typed

interface Operation {
  id: string
  method: string
  path: string
  responses: Json
}

const rows: Record<string, AdminOperation> = adminOperations

let service: TestService
let operations: Operation[]
const tokens = new Map<string, string>()
beforeAll(async () => {
  service = await startTestService({
    upstream: 'directory',
    env: { VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8' },
    fixed: { webhooksPerEnvironment: 1_000 },
  })
  operations = await readOperations()
  await service.makeKey({ project: 'other' })
  for (const role of roles) {
    tokens.set(role, await makeToken({ role }))
    tokens.set(`${role} of acme`, await makeToken({ role, project: 'acme' }))
    tokens.set(`${role} of other`, await makeToken({ role, project: 'other' }))
  }
})
afterAll(() => service.close())

test('every registered admin route is in the table, and the table has no other', async () => {
  const app = await buildApp(service.service, 'operators')
  await app.ready()
  const registered = registeredRoutes(app).filter((route) => /^\S+ \/admin/.test(route))
  await app.close()
  const described = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)

  expect(registered.toSorted()).toEqual(['GET /admin/openapi.json', ...described].toSorted())
  expect(operations.map(({ id }) => id).toSorted()).toEqual(Object.keys(rows).toSorted())
})

test('every route admits exactly the roles of its row, on their own project and on another, and answers in its shape', async () => {
  await service.admin('POST', '/records/import', { fetched_at: '0s', lines: [JSON.stringify(examplePerson)] })
  const requestId = (await service.person('amara-okafor')).headers.get('x-request-id') ?? ''
  const wrong: string[] = []

  for (const operation of operations.filter(({ id }) => id !== 'signIn')) {
    const sent = ['stranger', ...tokens.keys()].map(async (who) => {
      const [role = '', project] = who.split(' of ')
      const { all, own, foreign } = accessOf(rows[operation.id]!)
      const allowed = (project === 'acme' ? own : project === 'other' ? foreign : all).includes(role)
      const { status, text, json } = await send(operation, who, requestId)
      const refused = status === (who === 'stranger' ? 401 : 403)
      if (refused === allowed) wrong.push(`${operation.id} as ${who}: ${status}`)
      const leaks = project === 'other' && status < 300 && text.includes('acme')
      if (leaks) wrong.push(`${operation.id} shows acme to ${who}`)
      const misfit = status < 300 && json !== null && misfits(operation, status, json)
      if (misfit) wrong.push(`${operation.id} as ${who} does not answer in its shape: ${misfit}`)
    })
    await Promise.all(sent)
  }

  expect(wrong).toEqual([])
})

test('a session lists exactly the operations that its role and project allow', async () => {
  const named: Record<string, string[]> = {}
  const expected: Record<string, string[]> = {}

  for (const [who, token] of tokens) {
    const [role = '', project] = who.split(' of ')
    const { json } = await service.get('/admin/v1/session', bearer(token))
    named[who] = (json['capabilities'] as string[]).toSorted()
    expected[who] = Object.entries(rows)
      .filter(([id, row]) => id !== 'signIn' && accessOf(row)[project ? 'own' : 'all'].includes(role))
      .map(([id]) => id)
      .toSorted()
  }

  expect(named).toEqual(expected)
})

async function readOperations(): Promise<Operation[]> {
  const document = await service.get('/admin/openapi.json', bearer(service.service.admin.ownerToken))
  return Object.entries<Json>(document.json['paths'] as Json).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, { operationId, responses }]): Operation => {
      return { id: operationId, method: method.toUpperCase(), path, responses }
    }),
  )
}

async function send(operation: Operation, who: string, requestId: string) {
  const { query, body } = requests[operation.id as keyof typeof requests] ?? {}
  const id = await idFor(operation.path)
  const params = { project: 'acme', kind: 'people', name: 'directory', ref: 'amara-okafor', request_id: requestId, id }
  const path = Object.entries(params).reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, encodeURIComponent(value)),
    operation.path,
  )
  const token = tokens.get(who)
  const search = query ? `?${query.replace('{key}', id)}` : ''
  const type = typeof body === 'string' ? 'text/csv' : 'application/json'
  const response = await fetch(`${service.url}${path}${search}`, {
    method: operation.method,
    headers: { ...(token ? bearer(token) : {}), ...(body ? { 'content-type': type } : {}) },
    ...(body ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return { status: response.status, text, json: isJson ? JSON.parse(text) : null }
}

/** An object of project acme for the route. */
async function idFor(path: string): Promise<string> {
  if (path.includes('/batches/{id}')) return (batch ??= aBatch())
  if (path.includes('/keys/') || path.includes('/batches')) return (await service.makeKey()).id
  if (!path.includes('/webhooks/')) return '1'
  const nobodyThere = { project: 'acme', url: 'http://127.0.0.1:9/', events: ['credits.low'] }
  return (await service.admin<{ id: string }>('POST', '/webhooks', nobodyThere)).id
}

let batch: Promise<string> | null = null

async function aBatch(): Promise<string> {
  const { key } = await service.makeKey()
  const made = await fetch(`${service.url}/v1/batches?kind=people`, {
    method: 'POST',
    headers: { ApiKey: key, 'content-type': 'text/csv' },
    body: 'id\nnobody\n',
  })
  return ((await made.json()) as { id: string }).id
}

async function makeToken(wish: object): Promise<string> {
  const { token } = await service.admin<{ token: string }>('POST', '/tokens', { label: 'test', ...wish })
  return token
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}

function misfits({ responses }: Operation, status: number, json: unknown): string | null {
  const schema = responses[status]?.content?.['application/json']?.schema
  if (!schema) return `no schema for ${status}`
  const [valid, errors] = Errors(schema, json)
  return valid ? null : JSON.stringify(errors.slice(0, 2))
}
