import { dataSources } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { Failure } from '../../../foundation/failure.ts'
import { listCalls, type CallPlace, type CallView } from '../../../credits/reports/calls.ts'
import type { AppDeps } from '../../deps.ts'
import type { Admin } from '../access.ts'
import { noteAccess } from '../records/find-record.ts'
import { adminRoute } from '../admin-route.ts'
import { ExplainedCall, explainedCall } from './explained-call.ts'
import { pageQuery } from '../pagination.ts'
import { readTimeIfGiven, spanQuery } from '../read-time.ts'
import { Cursor, given, KindName, orNull, Time } from '../schemas.ts'
import { invalidParameter } from '../../validate.ts'
import { isoTime } from '../../../foundation/clock.ts'

const Call = Type.Object({
  request_id: Type.String(),
  at: Time,
  project: Type.String(),
  environment: Type.String(),
  key_id: Type.String(),
  key_name: Type.String({ description: 'Its label, or what is shown of it.' }),
  mode: Type.Enum(['live', 'test']),
  kind: KindName,
  status: Type.Integer(),
  code: orNull(Type.String()),
  source: orNull(Type.String()),
  credits: Type.Integer(),
  entity_key: orNull(
    Type.String({ description: 'The member_urn or company_id of the record; null after an erasure.' }),
  ),
  entity_name: orNull(
    Type.String({ description: 'With `names` the name of the record, for those who may read records.' }),
  ),
  duration_ms: orNull(Type.Number()),
  replay_of: orNull(Type.String()),
  tag: orNull(Type.String({ description: 'What the caller said it was for, X-Spend-Tag.' })),
})

const CallQuery = Type.Object({
  project: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  kind: Type.Optional(KindName),
  status: Type.Optional(Type.Integer()),
  code: Type.Optional(Type.String()),
  source: Type.Optional(Type.Enum([...dataSources])),
  tag: Type.Optional(Type.String({ description: 'What the caller said it was for, X-Spend-Tag.' })),
  request_id: Type.Optional(Type.String({ maxLength: 100 })),
  record: Type.Optional(
    Type.String({ maxLength: 300, description: 'The member_urn or company_id of the record that was served.' }),
  ),
  names: Type.Optional(
    Type.Boolean({ description: 'Name the records too, where the token may read them; that is audited.' }),
  ),
  ...spanQuery,
  ...pageQuery,
})

/** The calls that were answered, newest first, and one of them with all that explains it. */
export function callRoutes(app: FastifyInstance, deps: AppDeps): void {
  listCallsRoute(app, deps)
  showCallRoute(app, deps)
}

const showCallRoute = adminRoute('calls', (deps: AppDeps) => ({
  route: 'GET /calls/:request_id',
  operationId: 'showCall',
  summary: 'One call: what was asked for, what each provider did, what it cost and where its time went',
  role: 'viewer',
  params: Type.Object({ request_id: Type.String() }),
  filtered: true,
  response: ExplainedCall,
  async handle({ admin, params }) {
    await deps.callsWritten()
    const requestId = params.request_id
    const receipt = await deps.store.receipt({ requestId })
    const visible = receipt && (admin.project === null || admin.project === receipt.project)
    const call = visible ? receipt.call : null
    if (!visible || !call) throw new Failure('not_found', { detail: noSuchCall(requestId) })
    const details = await deps.store.callDetails({ requestId, entityId: call.entityId })
    const showsSuppression = admin.role === 'owner' && admin.project === null
    return explainedCall(receipt, call, details, { showsSuppression, currency: deps.providers.currency })
  },
}))

function noSuchCall(requestId: string): string {
  return `The call log has no call ${requestId}. Calls without a valid key are only in the log, and old ones are removed (VITAE_CALL_LOG_DAYS).`
}

const listCallsRoute = adminRoute('calls', (deps: AppDeps) => ({
  route: 'GET /calls',
  operationId: 'listCalls',
  summary: 'List calls, newest first',
  description:
    'A page looks through at most 500,000 calls: it may have fewer than asked for, or none, and still a `next_cursor`.',
  role: 'viewer',
  filtered: true,
  query: CallQuery,
  response: Type.Object({ calls: Type.Array(Call), next_cursor: Cursor }),
  async handle({ admin, query }) {
    // Free calls are written in the background; the list must show those of a moment ago too.
    await deps.callsWritten()
    const now = deps.clock.now()
    const { key_id: keyId, request_id: requestId, since, until, cursor, limit = 100, names = false, ...filters } = query
    const page = await listCalls(deps.store, {
      ...given({
        ...filters,
        keyId,
        requestId,
        project: admin.project ?? query.project,
        since: readTimeIfGiven('since', since, now),
        until: readTimeIfGiven('until', until, now),
      }),
      before: cursor === undefined ? null : readCursor(cursor),
      limit,
    })
    const named = names ? await namesOf(deps, admin, page.calls) : new Map<number, string | null>()
    const calls = page.calls.map((call) => callView(call, named.get(call.entityId ?? -1) ?? null))
    return { calls, next_cursor: page.next && `${page.next.at}_${page.next.requestId}` }
  },
}))

/** The names of the records of a page, for whoever may read records; such a look is audited like a search for them. */
async function namesOf(deps: AppDeps, admin: Admin, calls: CallView[]): Promise<Map<number, string | null>> {
  const ids = [...new Set(calls.flatMap(({ entityId }) => entityId ?? []))]
  if (admin.project !== null || ids.length === 0) return new Map()
  const found = await deps.store.entityNames({ ids })
  await noteAccess(deps, admin, 'record.names', null, { found: found.length })
  return new Map(found.map(({ entityId, name }) => [entityId, name]))
}

function readCursor(cursor: string): CallPlace {
  const [, at, requestId] = /^(\d{1,15})_([\w-]{1,100})$/.exec(cursor) ?? []
  if (at !== undefined && requestId !== undefined) return { at: Number(at), requestId }
  throw invalidParameter('cursor', 'must be the next_cursor of a page')
}

function callView(call: CallView, entityName: string | null): Static<typeof Call> {
  return {
    request_id: call.requestId,
    at: isoTime(call.at),
    project: call.project,
    environment: call.environment,
    key_id: call.keyId,
    key_name: call.keyLabel || (call.keyDisplay ?? call.keyId),
    mode: call.mode,
    kind: call.kind,
    status: call.status,
    code: call.code,
    source: call.source,
    credits: call.credits,
    entity_key: call.entityKey,
    entity_name: entityName,
    duration_ms: call.durationMs,
    replay_of: call.replayOf,
    tag: call.tag,
  }
}
