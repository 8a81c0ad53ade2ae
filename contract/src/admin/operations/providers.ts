import Type, { type Static } from 'typebox'
import type { AdminOperation, AdminOperationRows } from '../operation.ts'
import { Time, Count, orNull } from '../schemas.ts'

const Name = Type.Object({ name: Type.String() })
export const Provider = Type.Object({
  name: Type.String(),
  label: Type.String(),
  configured: Type.Boolean(),
  in_chain: Type.Boolean(),
  supplies: Type.Object({ people: Type.Array(Type.String()), companies: Type.Array(Type.String()) }),
  breaker: orNull(Type.Enum(['closed', 'open', 'half-open'])),
  in_flight: Count,
  queued: Count,
  last_fault: orNull(Type.Object({ kind: Type.String(), at: Time })),
  last_answer_at: orNull(Time),
  budget: Type.Object({ month: Type.String(), calls: Count, limit: orNull(Count) }),
  paused: Type.Boolean(),
  confirmed: orNull(
    Type.Boolean({
      description:
        'True if an operator has confirmed the provider file against the live API. Null for providers without a provider file.',
    }),
  ),
  certainty: orNull(
    Type.Enum(['seen_live', 'documented', 'inferred'], {
      description:
        'The evidence for the facts in the provider file: seen in live answers, read in the vendor documentation, or inferred.',
    }),
  ),
  recent: Type.Object(
    {
      calls: Count,
      failures: Count,
      p50_ms: orNull(Type.Number()),
      failing: orNull(
        Type.String({
          description: 'How much fails and since when, if the share of failures is far above that of the last 14 days.',
        }),
      ),
    },
    { description: 'The attempts of the last hour. Each retry counts.' },
  ),
})
export type Provider = Static<typeof Provider>

const pauseRow = {
  role: 'operator',
  scope: 'whole service',
  params: Name,
  body: Type.Object({ reason: Type.Optional(Type.String()) }),
  response: Provider,
} satisfies Partial<AdminOperation>

/** Providers: the state of each, a check, and pausing. */
export const providerOperations = {
  listProviders: {
    route: 'GET /providers',
    summary: 'List providers with configuration, state and budget',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({ providers: Type.Array(Provider) }),
  },
  checkProvider: {
    route: 'POST /providers/:name/check',
    summary: 'Test a provider with one cheap request',
    description: 'The request counts in the monthly budget of the provider.',
    role: 'operator',
    scope: 'whole service',
    params: Name,
    response: Type.Object({
      ok: Type.Boolean(),
      verdict: Type.String(),
      detail: Type.String(),
      duration_ms: Type.Number(),
    }),
  },
  confirmProvider: {
    route: 'POST /providers/:name/confirm',
    summary: 'Confirm a provider file with one paid call',
    description:
      'Returns the request, the verdict, the record and the cost. Until the provider has found its first record, its "not found" answers neither withdraw stored copies nor are remembered.',
    role: 'operator',
    scope: 'whole service',
    params: Name,
    body: Type.Object({ id: Type.String(), kind: Type.Optional(Type.Enum(['person', 'company'])) }),
    response: Type.Object({
      ok: Type.Boolean(),
      verdict: Type.String(),
      detail: Type.String(),
      request: orNull(Type.Object({ method: Type.String(), url: Type.String(), body: orNull(Type.String()) })),
      status: orNull(Type.Integer()),
      cost: orNull(Type.Number()),
      record: Type.Unknown({
        description: 'The record that the provider’s answer was mapped to; null if the provider found no record.',
      }),
      unsaid: Type.Array(Type.String()),
    }),
  },
  pauseProvider: {
    route: 'POST /providers/:name/pause',
    summary: 'Pause a provider',
    ...pauseRow,
  },
  resumeProvider: {
    route: 'POST /providers/:name/resume',
    summary: 'Resume a paused provider',
    ...pauseRow,
  },
} satisfies AdminOperationRows
