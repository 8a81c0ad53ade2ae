import Type from 'typebox'
import type { AdminOperationRows } from '../operation.ts'

/** The running configuration, and the service's own health checks. */
export const settingOperations = {
  readSettings: {
    route: 'GET /settings',
    summary: 'The running configuration; secrets are masked',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({
      version: Type.String(),
      settings: Type.Record(Type.String(), Type.Unknown()),
      variables: Type.Array(
        Type.Object({ name: Type.String(), value: Type.Union([Type.String(), Type.Null()]), source: Type.String() }),
        { description: 'Each variable, and where its value came from.' },
      ),
    }),
  },
  runDoctor: {
    route: 'GET /doctor',
    summary: 'Find problems and how to fix them',
    description:
      'Asks each provider of the chain one cheap question, which counts in its budget, and reads the pages of an embedded store for up to 15 seconds.',
    role: 'operator',
    scope: 'whole service',
    response: Type.Object({
      checks: Type.Array(
        Type.Object({
          name: Type.String(),
          state: Type.Enum(['ok', 'warning', 'error']),
          detail: Type.String(),
          mend: Type.Union([Type.String(), Type.Null()]),
        }),
      ),
    }),
  },
} satisfies AdminOperationRows

/** After a restore, batches, watches and webhooks wait until an operator resumes them. */
export const workOperations = {
  readWork: {
    route: 'GET /work',
    summary: 'Whether batches, watches and webhooks are stopped because the store was restored',
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
    response: Type.Object({ resumed: Type.Boolean({ description: 'False if nothing was stopped.' }) }),
  },
} satisfies AdminOperationRows
