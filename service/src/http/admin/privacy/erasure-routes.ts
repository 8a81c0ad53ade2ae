import { kinds, type Kind } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { eraseRecord } from '../../../lifecycle/erasure/erase-record.ts'
import { previewErasure, type ErasurePreview } from '../../../lifecycle/erasure/erase-subject.ts'
import { refuseSuspects } from '../../../lifecycle/erasure/refuse-suspects.ts'
import { toFailure } from '../../failure-response.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { noteAccess, nouns, refOf, RefParams } from '../records/find-record.ts'
import { ndjson, type Emit } from './ndjson.ts'
import { Count, KindName, orNull } from '../schemas.ts'

const tag = 'records'
const Alias = Type.Object({ type: Type.String(), value: Type.String() })

const Plan = Type.Object({
  kind: KindName,
  asked: Type.Array(Alias, { description: 'Kept out even if nothing is stored under them.' }),
  entities: Type.Array(
    Type.Object({
      id: Type.Integer(),
      key: Type.String(),
      name: orNull(Type.String()),
      aliases: Type.Array(Alias),
      former_aliases: Type.Array(Alias, { description: 'Held by someone else now, and not kept out.' }),
      versions: Count,
      fetches: Count,
      payloads: Count,
      suspect_names: Type.Array(Type.String(), {
        description:
          'Names in its versions that contradict each other: it may be two subjects, and is to be split first.',
      }),
    }),
    { description: 'Everyone who holds or ever held the name.' },
  ),
  calls: Count,
  replays: Count,
  mentions: Type.Integer({ description: 'Payloads and versions of others that mention the subject.' }),
})

export const TablesLeft = Type.Array(Type.String(), {
  description:
    'On PostgreSQL: tables that still hold deleted rows, because another transaction reads them. A job rewrites them when it has ended.',
})

const Erased = Type.Object({
  erased: Type.Object({
    entities: Count,
    versions: Count,
    fetches: Count,
    payloads: Count,
    calls: Count,
    replays: Count,
    redacted_payloads: Type.Integer({ description: 'Of others, out of which the subject was taken.' }),
  }),
  suppressed_hashes: Count,
  files_rewritten: Type.Boolean(),
  tables_left: TablesLeft,
  duration_ms: Count,
})

export const EraseSuspects = Type.Optional(
  Type.Boolean({
    description:
      'Erase a record as one subject although its versions have names that contradict each other; refused with 409 otherwise.',
  }),
)

const Body = Type.Object({
  reason: Type.String({ minLength: 1, maxLength: 500, description: 'For the audit log. Do not name the person here.' }),
  entity_ids: Type.Optional(
    Type.Array(Type.Integer(), { description: 'Those of the plan who are meant; all of them by default.' }),
  ),
  markers: Type.Optional(
    Type.Array(Type.String({ minLength: 3 }), {
      maxItems: 20,
      description: 'Further words by which others’ data may mention the subject, such as a full name.',
    }),
  ),
  erase_suspects: EraseSuspects,
})

/** Erasure: first what it would remove, then its end. */
export function erasureRoutes(app: FastifyInstance, deps: AppDeps): void {
  for (const kind of kinds) {
    planRoute(kind)(app, deps)
    eraseRoute(kind)(app, deps)
  }
}

const planRoute = (kind: Kind) =>
  adminRoute(tag, (deps: AppDeps) => ({
    route: `GET /records/${kind}/:ref/erasure`,
    operationId: `plan${nouns[kind]}Erasure`,
    summary: 'What an erasure would remove; changes nothing',
    role: 'operator',
    params: RefParams,
    response: Plan,
    async handle({ admin, params }) {
      const plan = await previewErasure(deps.store, { kind, ref: refOf(deps, kind, params.ref) })
      const entityIds = plan.entities.map(({ entityId }) => entityId)
      const suspects = await deps.store.suspectsAmong({ entityIds })
      const [first] = plan.entities
      await noteAccess(deps, admin, 'record.plan_erasure', first ? { kind, entityId: first.entityId } : null)
      return planView(plan, new Map(suspects.map(({ entityId, names }) => [entityId, names.map(({ name }) => name)])))
    },
  }))

const eraseRoute = (kind: Kind) =>
  adminRoute(tag, (deps: AppDeps) => ({
    route: `POST /records/${kind}/:ref/erase`,
    operationId: `erase${nouns[kind]}`,
    summary: 'Erase a person or company, and keep them out from now on',
    description: 'With `Accept: application/x-ndjson` the answer is a line per step, and the result as the last line.',
    role: 'owner',
    params: RefParams,
    body: Body,
    response: Erased,
    produces: { 'application/x-ndjson': Type.String() },
    async handle({ admin, params, body, request, reply }) {
      const ref = refOf(deps, kind, params.ref)
      const { entity_ids: entityIds } = body
      if (!body.erase_suspects) await refuseSuspects(deps.store, [{ kind, ref, ...(entityIds ? { entityIds } : {}) }])
      const erase = (emit: Emit) => eraseNow(deps, kind, params.ref, body, admin.actor, emit)
      if (!request.headers.accept?.includes('application/x-ndjson')) return erase(() => undefined)
      return reply.type('application/x-ndjson').send(ndjson(erase, (error) => ({ error: toFailure(error).message })))
    },
  }))

async function eraseNow(
  deps: AppDeps,
  kind: Kind,
  ref: string,
  { reason, entity_ids: entityIds, markers }: Static<typeof Body>,
  actor: string,
  emit: Emit,
): Promise<Static<typeof Erased>> {
  const startedAt = deps.clock.now()
  // What was answered a moment ago must be in the call log before that is cleaned.
  await deps.callsWritten()
  const report = await eraseRecord(
    { ...deps, secret: deps.lookup.secret },
    {
      kind,
      ref: refOf(deps, kind, ref),
      reason,
      actor,
      ...(entityIds ? { entityIds } : {}),
      ...(markers ? { markers } : {}),
      onProgress: (step, seen) => emit({ step, seen }),
    },
  )
  const { mentions, suppressed, rewritten, left, ...erased } = report
  return {
    erased: { ...erased, redacted_payloads: mentions },
    suppressed_hashes: suppressed,
    files_rewritten: rewritten,
    tables_left: left,
    duration_ms: deps.clock.now() - startedAt,
  }
}

function planView(plan: ErasurePreview, suspects: ReadonlyMap<number, string[]>): Static<typeof Plan> {
  const { kind, asked, calls, replays, mentions } = plan
  const entities = plan.entities.map((entity) => ({
    id: entity.entityId,
    key: entity.key,
    name: entity.name,
    aliases: entity.aliases.map(({ type, value }) => ({ type, value })),
    former_aliases: entity.formerAliases.map(({ type, value }) => ({ type, value })),
    versions: entity.versions,
    fetches: entity.fetches,
    payloads: entity.payloads,
    suspect_names: suspects.get(entity.entityId) ?? [],
  }))
  return { kind, asked: asked.map(({ type, value }) => ({ type, value })), entities, calls, replays, mentions }
}
