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
      description: 'Of a provider file: an operator has confirmed it against the live API. Null for other providers.',
    }),
  ),
  certainty: orNull(
    Type.Enum(['seen_live', 'documented', 'inferred'], { description: 'How sure the facts of a provider file are.' }),
  ),
  recent: Type.Object(
    { calls: Count, failures: Count, p50_ms: orNull(Type.Number()) },
    { description: 'The last hour.' },
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
    summary: 'List providers: configuration, state, budget',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({ providers: Type.Array(Provider) }),
  },
  checkProvider: {
    route: 'POST /providers/:name/check',
    summary: 'Ask a provider one cheap question',
    description: 'The call counts in the month’s budget.',
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
      'Shows request, verdict, record and cost. Until a record was found, a "not found" of the provider withdraws no stored copy and is not remembered.',
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
      record: Type.Unknown({ description: 'The record that the answer became, or null.' }),
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
