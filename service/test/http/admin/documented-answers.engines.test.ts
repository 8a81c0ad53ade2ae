import { type AdminOperation, adminOperations } from '@vitae/contract/admin'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examplePerson } from '../../../../contract/src/operations/example-records.ts'
import { startTestService, type TestService } from '../../harness/test-service.ts'
import { requests } from './access-table.ts'

const ada = { ...examplePerson, public_identifier: 'ada-example' }

let service: TestService
const named: Record<string, string> = { project: 'acme', ref: 'ada-example', kind: 'people', id: '1' }

beforeAll(async () => {
  service = await startTestService({ people: { 'ada-example': ada } })
  await service.person('ada-example')
  const answered = await service.person('ada-example', 'max_age_days=0')
  named['request_id'] = answered.headers.get('x-request-id') ?? ''
  await service.person('nobody')
  await service.admin('POST', '/suppressions', { kind: 'people', ids: ['someone-else'], reason: 'objection' })
  await service.admin('POST', '/prices', { lines: [{ kind: 'people', credits: 2 }, { credits: 1 }] })
  await service.admin('POST', '/watches', {
    ...{ project: 'acme', environment: 'production' },
    watches: [{ kind: 'people', id: 'ada-example' }],
  })
  await service.get(
    '/admin/v1/session',
    { 'content-type': 'application/json' },
    'POST',
    JSON.stringify({ token: service.service.admin.ownerToken }),
  )
})
afterAll(() => service.close())

/** Reads that need no row of a certain id, and those of the record and of the call that are there. */
const reads = Object.entries<AdminOperation>(adminOperations).filter(([, { route, response }]) => {
  const [method, path = ''] = route.split(' ', 2)
  const isNamed = /\/(calls|receipts)\/:|\/people\/:ref|\/records\/versions\/:id/.test(path)
  return method === 'GET' && response && (isNamed || !path.includes(':'))
})

test.each(reads)('%s answers with all fields that its row documents, and no other', async (id, row) => {
  const path = row.route.slice('GET '.length).replaceAll(/:(\w+)/g, (_all, name: string) => named[name] ?? '')
  const { query = '' } = requests[id as keyof typeof requests] ?? {}
  const schema = row.response as TSchema

  const answer: unknown = await service.admin('GET', `${path}?${query}`)

  expect([...Compile(schema).Errors(answer)].map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual(
    [],
  )
  expect(undocumented(schema, answer, '')).toEqual([])
})

test('the reads are most of the reads of the API', () => expect(reads.length).toBeGreaterThan(35))

interface Shape {
  anyOf?: TSchema[]
  items?: TSchema
  properties?: Record<string, TSchema>
  type?: string
}

/** The paths of an answer that its schema does not name. */
function undocumented(schema: TSchema, value: unknown, path: string): string[] {
  const { anyOf, items, properties } = schema as Shape
  const [only, other] = anyOf?.filter((one) => (one as Shape).type !== 'null') ?? []
  if (only && !other) return undocumented(only, value, path)
  if (items && Array.isArray(value)) return value.flatMap((item) => undocumented(items, item, `${path}[]`))
  if (!properties || typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const property = properties[name]
    return property ? undocumented(property, inner, `${path}.${name}`) : [`${path}.${name}`]
  })
}
