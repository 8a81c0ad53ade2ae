import { identifierKey } from '../../../foundation/identifier.ts'
import { randomUUID } from 'node:crypto'
import { kinds, type Kind } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { Failure } from '../../../foundation/failure.ts'
import { importRecords } from '../../../lifecycle/records/import-records.ts'
import { operatorLookup } from '../../../lookup/operator-lookup.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { findRecord, noteAccess, nouns, refOf, RefParams } from './find-record.ts'
import { RecordView, recordView } from './record-view.ts'
import { readTime, Moment, readTimeIfGiven } from '../read-time.ts'
import { Count, KindName, orNull, Cursor, given } from '../schemas.ts'
import { reprojectRecords } from '../../../lifecycle/records/reproject-records.ts'
import type { Admin } from '../access.ts'
import { numberCursor } from '../pagination.ts'

const tag = 'records'
/** Twice what `vitae records import` sends at once. */
const importBytes = 8 * 1024 * 1024

/** Making records newer or more: a fetch now, a new projection, an import. */
export function recordChangeRoutes(app: FastifyInstance, deps: AppDeps): void {
  for (const kind of kinds) refreshRoute(kind)(app, deps)
  reprojectRoute(app, deps)
  importRoute(app, deps)
}

const refreshRoute = (kind: Kind) =>
  adminRoute(tag, (deps: AppDeps) => ({
    route: `POST /records/${kind}/:ref/refresh`,
    operationId: `refresh${nouns[kind]}Record`,
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
        name: identifierKey(identifier),
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
  }))

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

const importRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /records/import',
  operationId: 'importRecords',
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
}))

const Body = Type.Object({
  provider: Type.Optional(Type.String()),
  since: Type.Optional(Moment),
  outdated: Type.Optional(Type.Boolean({ description: 'Only records that an older mapping made.' })),
  cursor: Type.Optional(
    Type.String({ description: 'Where to go on; 0 begins from the start. By default where the last call ended.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
})

const Progress = Type.Object({
  done: Type.Boolean(),
  next_cursor: Cursor,
  resumed: Type.Boolean({ description: 'It went on where an earlier call had stopped.' }),
  seen: Count,
  changed: Count,
  filled: Type.Record(Type.String(), Count, { description: 'Fields that were empty, and in how many records.' }),
  failed: Count,
  total_estimate: orNull(Type.Integer({ description: 'Of all versions; told by the first call only.' })),
})

/** Rebuilds records from the raw archive, a batch per call. How far it came is kept, so a later call goes on from there. */
const reprojectRoute = adminRoute('records', (deps: AppDeps) => ({
  route: 'POST /records/reproject',
  operationId: 'reprojectRecords',
  summary: 'Rebuild the next batch of records from the raw archive',
  description: 'Call it until `done`. A job that was interrupted goes on where it stopped. No provider is asked.',
  role: 'operator',
  body: Body,
  response: Progress,
  handle: ({ admin, body }) => reprojectBatch(deps, admin, body),
}))

async function reprojectBatch(
  deps: AppDeps,
  admin: Admin,
  body: Static<typeof Body>,
): Promise<Static<typeof Progress>> {
  const { store, clock, lookup } = deps
  const { provider, outdated = false, limit = 200 } = body
  const job = jobName(body)
  const kept = body.cursor ?? (await store.readSetting({ name: job }))
  const afterVersionId = numberCursor(kept || undefined) ?? 0
  const since = readTimeIfGiven('since', body.since, clock.now())
  const part = await reprojectRecords(
    { store, secret: lookup.secret },
    { ...given({ provider, since }), outdated, limit, afterVersionId },
  )
  await store.writeSetting({ name: job, value: part.done ? '' : String(part.next) })
  const { changed, filled, failed, seen, done } = part
  if (changed > 0) {
    await deps.recordsChanged()
    await noteAccess(deps, admin, 'records.reproject', provider ?? null, { changed, filled, failed })
  }
  return {
    done,
    next_cursor: done ? null : String(part.next),
    resumed: body.cursor === undefined && afterVersionId > 0,
    seen,
    changed,
    filled,
    failed,
    total_estimate: isFirst(body.cursor) ? await store.countVersions(given({ provider, since })) : null,
  }
}

/** Counting takes a while, so only the first call of a job does it. */
function isFirst(cursor: string | undefined): boolean {
  return cursor === undefined || cursor === '0'
}

/** A job is what was asked for: another provider or another span is another job. */
function jobName({ provider = '*', since = '*', outdated = false }: Static<typeof Body>): string {
  return `reproject/${provider}/${since}/${outdated ? 'outdated' : 'all'}`
}
