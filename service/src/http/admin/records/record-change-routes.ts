import { identifierKey } from '../../../foundation/identifier.ts'
import { randomUUID } from 'node:crypto'
import { importRecords } from '../../../lifecycle/records/import-records.ts'
import { operatorLookup } from '../../../lookup/preflight.ts'
import { fetchable, findRecord, noteAccess, refOf } from '../../../operators/find-record.ts'
import { recordView } from '../../../operators/record-view.ts'
import { readTime, readTimeIfGiven } from '../route/read-time.ts'
import { given } from '../../../foundation/schema/given.ts'
import { continueReprojection } from '../../../lifecycle/records/reprojection-job.ts'
import { numberCursor } from '../route/pagination.ts'
import { type AdminHandlers, ofKinds } from '../route/admin-route.ts'
import { splitRecord } from '../../../lifecycle/records/split-record.ts'
import { invalidParameter } from '../../../foundation/failure.ts'

const refreshRecord = ofKinds<'refreshPersonRecord'>(async (kind, { admin, params }, deps) => {
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
  const history = await deps.store.entities.history({ kind, ref: { key: entity.key } })
  return recordView(entity, history?.versions ?? [], deps.clock.now())
})

/** Updates and adds records: refresh, reproject, import. */
export const recordChangeHandlers = {
  refreshPersonRecord: refreshRecord.people,
  refreshCompanyRecord: refreshRecord.companies,

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

  async reprojectRecords({ admin, body }, deps) {
    const since = readTimeIfGiven('since', body.since, deps.clock.now())
    const after = body.cursor === undefined ? null : numberCursor(body.cursor)
    const job = await continueReprojection(deps, body, { ...given({ since }), after })
    const { changed, filled, failed } = job
    if (changed > 0) {
      await deps.recordsChanged()
      await noteAccess(deps, admin, 'records.reproject', body.provider ?? null, { changed, filled, failed })
    }
    return job
  },
} satisfies Partial<AdminHandlers>

const splitSubject = ofKinds<'splitPerson'>(async (kind, { admin, params, body }, deps) => {
  const done = await splitRecord(
    { ...deps, secret: deps.lookup.secret },
    {
      kind,
      ref: refOf(deps, kind, params.ref),
      fetchIds: [...new Set(body.fetches)],
      reason: body.reason ?? null,
      actor: admin.actor,
    },
  )
  return { kind, ...done }
})

/** Undoes wrong merges: lists records that may be two subjects, and splits one. */
export const splitHandlers = {
  async listSuspects({ admin, query }, deps) {
    const { kind, limit = 50, cursor } = query
    if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
      throw invalidParameter('cursor', 'must be the next_cursor of a page')
    const page = await deps.store.entities.findSuspects({ ...given({ kind }), after: Number(cursor ?? 0), limit })
    await noteAccess(deps, admin, 'record.suspects', null, { found: page.items.length })
    return { suspects: page.items, next_cursor: page.next === null ? null : String(page.next) }
  },

  splitPerson: splitSubject.people,
  splitCompany: splitSubject.companies,
} satisfies Partial<AdminHandlers>
