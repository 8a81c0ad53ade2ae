import type { TSchema } from 'typebox'
import { Problem } from '../failures.ts'
import { type AdminOperation, type AdminOperationRows, rolesThatMay } from './operation.ts'

const description = `For operators: projects, keys, credits, records, providers. Lists come a page at a time: give the
\`next_cursor\` of one page as \`cursor\` to get the next. Every change and every read of a record is audited.`

const problem = (text: string) => ({ description: text, content: { 'application/problem+json': { schema: Problem } } })

/** The failures of every admin operation. */
const failures = {
  400: problem('A parameter is missing or not valid.'),
  401: problem('The admin token is missing or opens nothing.'),
  403: problem('The admin token may not do this.'),
  404: problem('The object does not exist.'),
}

/** The operations of each tag of the reference. */
export type Subjects = Record<string, { description: string; operations: AdminOperationRows }>

/** Builds the OpenAPI document of these operations. */
export function documentOf(subjects: Subjects, version: string) {
  const paths: Record<string, Record<string, object>> = {}
  for (const [tag, { operations }] of Object.entries(subjects))
    for (const [id, row] of Object.entries(operations)) {
      const [method = '', path = ''] = row.route.split(' ', 2)
      const methods = (paths[`/admin/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`] ??= {})
      methods[method.toLowerCase()] = described(tag, id, row)
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Vitae admin API',
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: Object.entries(subjects).map(([name, subject]) => ({ name, description: subject.description })),
    components: {
      securitySchemes: {
        adminToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'An admin token: "vitae tokens create" makes one.',
        },
      },
    },
    security: [{ adminToken: [] }],
    paths,
  }
}

function described(tag: string, operationId: string, row: AdminOperation) {
  const text = [row.description, ruleText(row)].filter(Boolean).join(' ')
  const parameters = [...parametersOf('path', row.params), ...parametersOf('query', row.query)]
  const types = row.uploads ?? (row.body ? ['application/json'] : [])
  return {
    operationId,
    summary: row.summary,
    tags: [tag],
    ...(text ? { description: text } : {}),
    ...(row.role === null ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(types.length > 0 ? { requestBody: { required: true, content: contentOf(types, row.body ?? {}) } } : {}),
    responses: { [row.status ?? 200]: answerOf(row), ...failures },
  }
}

function parametersOf(place: 'path' | 'query', schema: TSchema | undefined) {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: object; required?: string[] }
  return Object.entries<{ description?: string }>({ ...properties }).map(([name, property]) => {
    const { description: text, ...rest } = property
    const named = { name, in: place, required: required.includes(name), schema: rest }
    return text === undefined ? named : { ...named, description: text }
  })
}

function contentOf(types: readonly string[], schema: object) {
  return Object.fromEntries(types.map((type) => [type, { schema }]))
}

function answerOf({ response, produces }: AdminOperation) {
  const content = Object.entries({ ...(response ? { 'application/json': response } : {}), ...produces })
  const { description: text = 'The answer.' }: { description?: string } = response ?? {}
  return { description: text, content: Object.fromEntries(content.map(([type, schema]) => [type, { schema }])) }
}

function ruleText({ role, scope }: AdminOperation): string {
  if (role === null) return ''
  const needed = rolesThatMay[role].map((one) => `\`${one}\``).join(' or ')
  const who = role === 'viewer' ? 'Open to every role.' : `Needs the role ${needed}.`
  const limited = {
    'own project': role === 'billing' ? ' Limited to one project only `billing` may, and for that project.' : '',
    'own part': ' A token of one project gets the part of that project.',
    'whole service': ' Not for tokens of one project.',
  }
  return who + limited[scope]
}
