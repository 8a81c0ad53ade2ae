import { randomUUID } from 'node:crypto'
import { kinds, type Kind } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { Failure } from '../../../foundation/failure.ts'
import { importRecords } from '../../../lifecycle/records/import-records.ts'
import { operatorLookup } from '../../../lookup/operator-lookup.ts'
import { identifierName } from '../../../lookup/record-cache.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { findRecord, noteAccess, nouns, refOf, RefParams } from './find-record.ts'
import { RecordView, recordView } from './record-view.ts'
import { reprojectRoute } from './reproject-route.ts'
import { readTime } from '../read-time.ts'
import { Count, KindName, orNull } from '../schemas.ts'

const tag = 'records'
const importBytes = 32 * 1024 * 1024

/** Making records newer or more: a fetch now, a new projection, an import. */
export function recordChangeRoutes(app: FastifyInstance, deps: AppDeps): void {
  for (const kind of kinds) refreshRoute(app, deps, kind)
  reprojectRoute(app, deps)
  importRoute(app, deps)
}

function refreshRoute(app: FastifyInstance, deps: AppDeps, kind: Kind): void {
  adminRoute(app, {
    method: 'POST',
    path: `/records/${kind}/:ref/refresh`,
    operationId: `refresh${nouns[kind]}Record`,
    tag,
    summary: 'Fetch a record now; nobody is billed',
    role: 'operator',
    params: RefParams,
    response: RecordView,
    async handle({ admin, params }) {
      const identifier = await fetchable(deps, kind, params.ref)
      const freshness = { maxAgeDays: 0, bypassCache: true, refuseStale: true, onlyStored: false }
      const include = { contact: true, network: true, verifications: true }
      const { record } = await operatorLookup(deps.lookup, {
        requestId: randomUUID(),
        startedAt: deps.clock.now(),
        identifier,
        name: identifierName(identifier),
        include,
        freshness,
        idempotencyKey: null,
      })
      await noteAccess(deps, admin, 'record.refresh', record)
      await deps.recordsChanged()
      const entity = await findRecord(deps, kind, params.ref)
      const history = await deps.store.history({ kind, ref: { key: entity.key } })
      return recordView(entity, history?.versions ?? [], deps.clock.now())
    },
  })
}

/** A key is no name that providers understand: then the record's own slug or number is asked for. */
async function fetchable(deps: AppDeps, kind: Kind, text: string) {
  const { identifier } = refOf(deps, kind, text)
  if (identifier) return identifier
  const { aliases } = await findRecord(deps, kind, text)
  for (const type of ['slug', 'id', 'opaque'] as const) {
    const alias = aliases.find((one) => one.type === type)
    if (alias) return { kind, type, value: alias.value }
  }
  throw new Failure('conflict', { detail: 'Nothing is known of it that a provider could be asked for.' })
}

function importRoute(app: FastifyInstance, deps: AppDeps): void {
  adminRoute(app, {
    method: 'POST',
    path: '/records/import',
    operationId: 'importRecords',
    tag,
    summary: 'Load lines of a dataset, in our own shape or as payloads of a provider',
    description:
      'Bad lines are reported by their number and skipped. Repeating an import changes nothing. A record that is older than the stored one goes into its history and is not served. Without `fetched_at` or `fetched_at_field` the payload must say itself when it was fetched, or the import is refused.',
    role: 'operator',
    bodyLimit: importBytes,
    body: Type.Object({
      kind: Type.Optional(orNull(KindName)),
      provider: Type.Optional(orNull(Type.String({ description: 'Whose payloads they are; null = our own shape.' }))),
      fetched_at: Type.Optional(
        orNull(Type.String({ description: 'When the data was fetched: a date, an ISO 8601 time, or how long ago.' })),
      ),
      fetched_at_field: Type.Optional(
        orNull(
          Type.String({
            minLength: 1,
            maxLength: 200,
            description: 'The field of each line that holds that time, dotted; `fetched_at` counts where it is empty.',
          }),
        ),
      ),
      lines: Type.Array(Type.String(), { maxItems: 500, description: 'One JSON text per record.' }),
    }),
    response: Type.Object({
      saved: Count,
      older: Type.Integer({ minimum: 0, description: 'Older than the stored record: kept in its history.' }),
      suppressed: Count,
      unchanged: Count,
      errors: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() })),
      unread: Type.Array(Type.Object({ line: Type.Integer(), field: Type.String() }), {
        description: 'Fields that cannot be read; their records are taken without them.',
      }),
    }),
    async handle({ admin, body: { kind = null, provider = null, lines, ...age } }) {
      const fetchedAtField = age.fetched_at_field ?? null
      const fetchedAt =
        typeof age.fetched_at === 'string' ? readTime('fetched_at', age.fetched_at, deps.clock.now()) : null
      const ask = { kind, provider, fetchedAt, fetchedAtField, lines }
      const report = await importRecords({ ...deps, secret: deps.lookup.secret }, ask)
      if (report.saved > 0) await deps.recordsChanged()
      const { errors, ...counts } = report
      await noteAccess(deps, admin, 'records.import', provider, { ...counts, bad: errors.length })
      return report
    },
  })
}
