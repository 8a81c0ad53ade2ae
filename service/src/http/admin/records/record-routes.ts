import type { Kind } from '@vitae/contract'
import { Failure, invalidParameter } from '../../../foundation/failure.ts'
import { compareVersions } from '../../../lifecycle/records/compare-versions.ts'
import type { EntityCursor } from '../../../records/entities/search-entities.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { findRecord, noteAccess, refOf, identifiersIn } from '../../../operators/find-record.ts'
import { readTimeIfGiven } from '../route/read-time.ts'
import { readRecord, recordView, versionView } from '../../../operators/record-view.ts'
import { given } from '../../../foundation/schema/given.ts'
import { type AdminHandlers, ofKinds } from '../route/admin-route.ts'

const showRecord = ofKinds<'showPersonRecord'>(async (kind, { admin, params }, deps) => {
  const entity = await findRecord(deps, kind, params.ref)
  const history = await deps.store.entities.history({ kind, ref: { key: entity.key } })
  await noteAccess(deps, admin, 'record.show', entity)
  const [suspect] = await deps.store.entities.suspectsAmong({ entityIds: [entity.entityId] })
  const names = suspect?.names.map(({ name }) => name) ?? []
  return { ...recordView(entity, history?.versions ?? [], deps.clock.now()), suspectNames: names }
})

const listVersions = ofKinds<'listPersonVersions'>(async (kind, { admin, params }, deps) => {
  const found = await findHistory(deps, kind, params.ref)
  await noteAccess(deps, admin, 'record.history', found)
  return { kind, key: found.key, versions: found.versions.map(versionView) }
})

const diffVersions = ofKinds<'diffPersonVersions'>(async (kind, { admin, params, query }, deps) => {
  const now = deps.clock.now()
  const found = await findHistory(deps, kind, params.ref)
  const { changes, from, to } = await compareVersions(deps.store, found, {
    from: readTimeIfGiven('from', query.from, now) ?? null,
    to: readTimeIfGiven('to', query.to, now) ?? null,
  })
  await noteAccess(deps, admin, 'record.diff', found)
  return { changes, from: from && versionView(from), to: versionView(to) }
})

/** Reads stored records. Every read is audited. */
export const recordHandlers = {
  async searchRecords({ admin, query }, deps) {
    const { text = '', limit = 50, kind, provider, thin, order, cursor } = query
    const now = deps.clock.now()
    const page = await deps.store.entities.searchEntities({
      text,
      identifiers: identifiersIn(deps, text),
      limit,
      cursor: readCursor(cursor),
      ...given({
        kind,
        provider,
        thin,
        order,
        fetchedBefore: readTimeIfGiven('fetched_before', query.fetched_before, now),
        fetchedAfter: readTimeIfGiven('fetched_after', query.fetched_after, now),
      }),
    })
    await noteAccess(deps, admin, 'record.search', null, { found: page.items.length })
    return { records: page.items, next_cursor: page.next && `${page.next.fetchedAt}.${page.next.entityId}` }
  },

  showPersonRecord: showRecord.people,
  showCompanyRecord: showRecord.companies,

  listPersonVersions: listVersions.people,
  listCompanyVersions: listVersions.companies,

  diffPersonVersions: diffVersions.people,
  diffCompanyVersions: diffVersions.companies,

  async showVersion({ admin, params: { id } }, deps) {
    const version = await deps.store.records.versionBody({ versionId: id })
    if (!version) throw new Failure('not_found', { detail: `There is no version ${id}.` })
    await noteAccess(deps, admin, 'record.version', version, { version: id })
    return { ...version, id, record: readRecord(version.body) }
  },

  async readRawPayload({ admin, params: { id }, reply }, deps) {
    const raw = await deps.store.entities.rawPayload({ fetchId: id })
    if (!raw) throw new Failure('not_found', { detail: `There is no fetch ${id}.` })
    if (!raw.payload)
      throw new Failure('not_found', { detail: `The payload of fetch ${id} is not kept; its facts still are.` })
    await noteAccess(deps, admin, 'payload.read', `fetch/${id}`)
    const { payload } = raw
    const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
    return reply.type(isJson(bytes) ? 'application/json' : 'application/octet-stream').send(bytes)
  },
} satisfies Partial<AdminHandlers>

function readCursor(cursor: string | undefined): EntityCursor | null {
  if (cursor === undefined) return null
  const [, fetchedAt, entityId] = /^(-?\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? []
  if (entityId === undefined) throw invalidParameter('cursor', 'must be the next_cursor of a page')
  return { fetchedAt: Number(fetchedAt), entityId: Number(entityId) }
}

async function findHistory(deps: AppDeps, kind: Kind, text: string) {
  const found = await deps.store.entities.history({ kind, ref: refOf(deps, kind, text) })
  if (found) return found
  throw new Failure('not_found', { detail: `Nothing is stored under ${text} among the ${kind}.` })
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString())
    return true
  } catch {
    return false
  }
}
