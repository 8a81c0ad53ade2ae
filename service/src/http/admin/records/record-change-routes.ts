import type { AdminAnswer, AdminBody } from '@vitae/contract/admin'
import { identifierKey } from '../../../foundation/identifier.ts'
import { randomUUID } from 'node:crypto'
import type { Kind } from '@vitae/contract'
import { Failure } from '../../../foundation/failure.ts'
import { importRecords } from '../../../lifecycle/records/import-records.ts'
import { operatorLookup } from '../../../lookup/operator-lookup.ts'
import type { AppDeps } from '../../deps.ts'
import { findRecord, noteAccess, refOf } from '../../../operators/find-record.ts'
import { recordView } from './record-view.ts'
import { readTime, readTimeIfGiven } from '../read-time.ts'
import { given } from '../../../foundation/schema/given.ts'
import { reprojectRecords } from '../../../lifecycle/records/reproject-records.ts'
import type { Admin } from '../../../operators/deps.ts'
import { numberCursor } from '../pagination.ts'
import type { AdminCall, AdminHandlers } from '../admin-route.ts'

const refreshRecord =
  (kind: Kind) =>
  async ({ admin, params }: AdminCall<{ ref: string }>, deps: AppDeps): Promise<AdminAnswer<'refreshPersonRecord'>> => {
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
  }

/** Making records newer or more: a fetch now, a new projection, an import. */
export const recordChangeHandlers = {
  refreshPersonRecord: refreshRecord('people'),
  refreshCompanyRecord: refreshRecord('companies'),

  async importRecords({ admin, body: { kind = null, provider = null, lines, ...age } }, deps) {
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

  reprojectRecords: ({ admin, body }, deps) => reprojectBatch(deps, admin, body),
} satisfies Partial<AdminHandlers>

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

async function reprojectBatch(
  deps: AppDeps,
  admin: Admin,
  body: AdminBody<'reprojectRecords'>,
): Promise<AdminAnswer<'reprojectRecords'>> {
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
function jobName({ provider = '*', since = '*', outdated = false }: AdminBody<'reprojectRecords'>): string {
  return `reproject/${provider}/${since}/${outdated ? 'outdated' : 'all'}`
}
