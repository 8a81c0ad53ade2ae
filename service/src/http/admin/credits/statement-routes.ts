import { OperatorStatement, StatementMonth } from '@vitae/contract'
import Type from 'typebox'
import { readStatement } from '../../../credits/statements/read-statement.ts'
import { utcMonth } from '../../../foundation/clock.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { statementCsv, statementPage } from './statement-forms.ts'

/** What a project, or one environment, had, got and spent in a month. */
export const statementRoutes = adminRoute('credits', (deps: AppDeps) => ({
  route: 'GET /statement',
  operationId: 'readStatement',
  summary: 'The statement of a project or environment for a month',
  description:
    'A month is closed an hour after its end, as soon as no call holds credits of it. The closed statement never changes, and the audit log has its digest (`statement.close`); later corrections belong to the month in which they are made. The digest of a whole project is the SHA-256 of the lines `NAME DIGEST` of its environments.',
  role: 'viewer',
  query: Type.Object({
    project: Type.String(),
    environment: Type.Optional(Type.String({ description: 'All environments of the project if left out.' })),
    ...StatementMonth.properties,
    format: Type.Optional(Type.Enum(['json', 'csv', 'html'])),
  }),
  response: OperatorStatement,
  produces: { 'text/csv': Type.String(), 'text/html': Type.String() },
  project: ({ query }) => query.project,
  async handle({ query, reply }) {
    await deps.callsWritten()
    const { project, environment = null, month = utcMonth(deps.clock.now()), format = 'json' } = query
    const asked = { project, environment, month }
    const statement = await readStatement({ ...deps, currency: deps.providers.currency }, asked)
    if (format === 'csv') return reply.type('text/csv; charset=utf-8').send(statementCsv(statement))
    if (format === 'html') return reply.type('text/html; charset=utf-8').send(statementPage(statement))
    return statement
  },
}))
