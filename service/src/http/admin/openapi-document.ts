import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../deps.ts'

const description = `For operators: projects, keys, credits, records, providers. Lists come a page at a time: give the
\`next_cursor\` of one page as \`cursor\` to get the next. Every change, and every look at a record, is audited.`

const tags = [
  { name: 'session', description: 'Signing in to the console.' },
  { name: 'projects', description: 'Projects and their environments.' },
  { name: 'keys', description: 'API keys of projects.' },
  { name: 'credits', description: 'Credits, the ledger behind them, and receipts.' },
  { name: 'calls', description: 'The calls that were answered.' },
  { name: 'usage', description: 'Calls and credits per period.' },
  { name: 'overview', description: 'Everything at a glance.' },
  { name: 'records', description: 'What is stored about people and companies.' },
  { name: 'lookup', description: 'Lookups by operators, which nobody pays for.' },
  { name: 'suppressions', description: 'Who is kept out, as keyed hashes.' },
  { name: 'retention', description: 'How long data is kept.' },
  { name: 'backups', description: 'Copies of the embedded store.' },
  { name: 'providers', description: 'Where records come from.' },
  { name: 'tokens', description: 'Admin tokens.' },
  { name: 'audit', description: 'Who did what.' },
  { name: 'settings', description: 'The service as it runs.' },
]

/** The admin API's own OpenAPI document, made from the routes themselves. */
export async function adminDocument(app: FastifyInstance, deps: AppDeps): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Vitae admin API',
        version: deps.version,
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This service' }],
      tags,
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
    },
  })
  app.get('/admin/openapi.json', { schema: { hide: true } }, async () => app.swagger())
}
