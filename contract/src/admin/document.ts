import type { TSchema } from 'typebox'
import { Problem } from '../failures.ts'
import { type AdminOperation, type AdminOperationRows, rolesThatMay } from './operation.ts'

const description = `For operators: projects, keys, credits, records, providers. Lists are returned one page at a time: send the
\`next_cursor\` of a page as \`cursor\` to get the next page. Every change and every read of a record is audited.`

const problem = (text: string) => ({ description: text, content: { 'application/problem+json': { schema: Problem } } })

/** The failures of every admin operation. */
const failures = {
  400: problem('A parameter is missing or not valid.'),
  401: problem('The admin token is missing, unknown or revoked.'),
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
          description: 'An admin token. Create one with "vitae tokens create".',
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
  const { description: text = 'The request succeeded.' }: { description?: string } = response ?? {}
  return { description: text, content: Object.fromEntries(content.map(([type, schema]) => [type, { schema }])) }
}

function ruleText({ role, scope }: AdminOperation): string {
  if (role === null) return ''
  const needed = rolesThatMay[role].map((one) => `\`${one}\``).join(' or ')
  const who = role === 'viewer' ? 'Open to every role.' : `Needs the role ${needed}.`
  const limited = {
    'own project':
      role === 'billing'
        ? ' Of the tokens that are limited to one project, only those with the role `billing` may call it, for their own project.'
        : '',
    'own part': ' A token that is limited to one project sees only the data of that project.',
    'whole service': ' Tokens that are limited to one project may not call it.',
  }
  return who + limited[scope]
}
