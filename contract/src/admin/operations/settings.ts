import Type from 'typebox'
import type { AdminOperationRows } from '../operation.ts'

/** The running configuration, and the service's own health checks. */
export const settingOperations = {
  readSettings: {
    route: 'GET /settings',
    summary: 'Show the running configuration, with masked secrets',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({
      version: Type.String(),
      settings: Type.Record(Type.String(), Type.Unknown()),
      variables: Type.Array(
        Type.Object({ name: Type.String(), value: Type.Union([Type.String(), Type.Null()]), source: Type.String() }),
        { description: 'Each setting, and where its value came from.' },
      ),
    }),
  },
  runDoctor: {
    route: 'GET /doctor',
    summary: 'Check the service, and return problems with their solutions',
    description:
      'Sends one cheap request to each provider of the chain. The request counts in the budget of the provider. Reads the pages of an embedded store for up to 15 seconds.',
    role: 'operator',
    scope: 'whole service',
    costs: true,
    response: Type.Object({
      checks: Type.Array(
        Type.Object({
          name: Type.String(),
          state: Type.Enum(['ok', 'warning', 'error']),
          detail: Type.String(),
          mend: Type.Union([Type.String(), Type.Null()]),
          hint: Type.Optional(Type.String({ description: 'The command that repairs it.' })),
        }),
      ),
    }),
  },
} satisfies AdminOperationRows

/** After a restore, batches, watches and webhooks wait until an operator resumes them. */
export const workOperations = {
  readWork: {
    route: 'GET /work',
    summary: 'Show whether batches, watches and webhooks are stopped because the store was restored',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({ stopped: Type.Boolean() }),
  },
  resumeWork: {
    route: 'POST /work/resume',
    summary: 'Resume the batches, watches and webhooks of a restored store',
    description:
      'First stop the service that the backup came from. Two services with the same watches pay twice, and receivers get the same events twice.',
    role: 'owner',
    scope: 'whole service',
    response: Type.Object({ resumed: Type.Boolean({ description: 'False if nothing was stopped before this call.' }) }),
  },
} satisfies AdminOperationRows
