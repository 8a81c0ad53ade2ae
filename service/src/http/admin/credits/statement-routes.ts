import { readStatement } from '../../../credits/statements/read-statement.ts'
import { utcMonth } from '../../../foundation/clock.ts'
import type { AdminHandlers } from '../route/admin-route.ts'
import { statementCsv, statementPage } from '../../../credits/statements/statement-forms.ts'

/** The monthly statement of a project or one environment. */
export const statementHandlers = {
  async readStatement({ query, reply }, deps) {
    await deps.callsWritten()
    const { project, environment = null, month = utcMonth(deps.clock.now()), format = 'json' } = query
    const asked = { project, environment, month }
    const statement = await readStatement({ ...deps, currency: deps.providers.currency }, asked)
    if (format === 'csv') return reply.type('text/csv; charset=utf-8').send(statementCsv(statement))
    if (format === 'html') return reply.type('text/html; charset=utf-8').send(statementPage(statement))
    return statement
  },
} satisfies Partial<AdminHandlers>
