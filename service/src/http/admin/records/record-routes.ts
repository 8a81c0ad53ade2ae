import { kinds } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { Failure } from '../../../foundation/failure.ts'
import type { Identifier } from '../../../foundation/identifier.ts'
import { compareVersions } from '../../../lifecycle/records/compare-versions.ts'
import type { EntityCursor } from '../../../records/entities/search-entities.ts'
import { parseIdentifier } from '../../../records/identifiers/parse-identifier.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { findRecord, noteAccess, nouns, refOf, RefParams } from './find-record.ts'
import { invalidParameter } from '../../validate.ts'
import { Moment, readTimeIfGiven } from '../read-time.ts'
import { anyRecord, readRecord, RecordSummary, RecordView, recordView, Version, versionView } from './record-view.ts'
import { Cursor, given, KindName, Time } from '../schemas.ts'
import { isoTime } from '../../../foundation/clock.ts'

const tag = 'records'
const Id = Type.Object({ id: Type.Integer() })
const Change = Type.Object({
  kind: Type.Enum([
    'job_change',
    'promotion',
    'return',
    'headline',
    'location',
    'headcount',
    'funding',
    'source_changed',
    'field',
  ]),
  path: Type.String(),
  before: Type.Unknown(),
  after: Type.Unknown(),
})

/** Looking at what is stored. Every look is audited. */
export function recordRoutes(app: FastifyInstance, deps: AppDeps): void {
  searchRoute(app, deps)
  for (const kind of kinds) {
    showRoute(kind)(app, deps)
    historyRoute(kind)(app, deps)
    diffRoute(kind)(app, deps)
  }
  versionRoute(app, deps)
  rawRoute(app, deps)
}

type Kind = (typeof kinds)[number]

const searchRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /records',
  operationId: 'searchRecords',
  summary: 'Search by words of a name or of the present company, the beginning of a slug, a URL, or any id in full',
  role: 'viewer',
  query: Type.Object({
    text: Type.Optional(Type.String({ maxLength: 300 })),
    kind: Type.Optional(KindName),
    provider: Type.Optional(Type.String({ maxLength: 100 })),
    thin: Type.Optional(Type.Boolean()),
    fetched_before: Type.Optional(Moment),
    fetched_after: Type.Optional(Moment),
    order: Type.Optional(Type.Enum(['newest', 'oldest'])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    cursor: Type.Optional(Type.String()),
  }),
  response: Type.Object({ records: Type.Array(RecordSummary), next_cursor: Cursor }),
  async handle({ admin, query }) {
    const { text = '', limit = 50, kind, provider, thin, order, cursor } = query
    const now = deps.clock.now()
    const page = await deps.store.searchEntities({
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
    const records = page.items.map(({ kind, key, derived, name, slug, provider, fetchedAt, thin, versions }) => {
      return { kind, key, derived, name, slug, provider, fetched_at: isoTime(fetchedAt), thin, versions }
    })
    return { records, next_cursor: page.next && `${page.next.fetchedAt}.${page.next.entityId}` }
  },
}))

function readCursor(cursor: string | undefined): EntityCursor | null {
  if (cursor === undefined) return null
  const [, fetchedAt, entityId] = /^(-?\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? []
  if (entityId === undefined) throw invalidParameter('cursor', 'must be the next_cursor of a page')
  return { fetchedAt: Number(fetchedAt), entityId: Number(entityId) }
}

/** What a text means where it is an identifier as callers write them, such as a URL. */
export function identifiersIn(deps: AppDeps, text: string): Identifier[] {
  return kinds.flatMap((kind) => {
    try {
      return [parseIdentifier(kind, text.trim(), deps.platformHosts)]
    } catch {
      return []
    }
  })
}

const showRoute = (kind: Kind) =>
  adminRoute(tag, (deps: AppDeps) => ({
    route: `GET /records/${kind}/:ref`,
    operationId: `show${nouns[kind]}Record`,
    summary: 'Show a record, its names, and where it came from',
    role: 'viewer',
    params: RefParams,
    response: RecordView,
    async handle({ admin, params }) {
      const entity = await findRecord(deps, kind, params.ref)
      const history = await deps.store.history({ kind, ref: { key: entity.key } })
      await noteAccess(deps, admin, 'record.show', entity)
      const [suspect] = await deps.store.suspectsAmong({ entityIds: [entity.entityId] })
      const names = suspect?.names.map(({ name }) => name) ?? []
      return { ...recordView(entity, history?.versions ?? [], deps.clock.now()), suspect_names: names }
    },
  }))

const historyRoute = (kind: Kind) =>
  adminRoute(tag, (deps: AppDeps) => ({
    route: `GET /records/${kind}/:ref/history`,
    operationId: `list${nouns[kind]}Versions`,
    summary: 'Every version of a record that is kept, newest first',
    role: 'viewer',
    params: RefParams,
    response: Type.Object({ kind: KindName, key: Type.String(), versions: Type.Array(Version) }),
    async handle({ admin, params }) {
      const found = await findHistory(deps, kind, params.ref)
      await noteAccess(deps, admin, 'record.history', found)
      return { kind, key: found.key, versions: found.versions.map(versionView) }
    },
  }))

const diffRoute = (kind: Kind) =>
  adminRoute(tag, (deps: AppDeps) => ({
    route: `GET /records/${kind}/:ref/diff`,
    operationId: `diff${nouns[kind]}Versions`,
    summary: 'What changed between two moments; the last two versions by default',
    role: 'viewer',
    params: RefParams,
    query: Type.Object({ from: Type.Optional(Moment), to: Type.Optional(Moment) }),
    response: Type.Object({
      changes: Type.Array(Change),
      from: Type.Union([Version, Type.Null()]),
      to: Version,
    }),
    async handle({ admin, params, query }) {
      const now = deps.clock.now()
      const found = await findHistory(deps, kind, params.ref)
      const { changes, from, to } = await compareVersions(deps.store, found, {
        from: readTimeIfGiven('from', query.from, now) ?? null,
        to: readTimeIfGiven('to', query.to, now) ?? null,
      })
      await noteAccess(deps, admin, 'record.diff', found)
      return { changes, from: from && versionView(from), to: versionView(to) }
    },
  }))

const versionRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /records/versions/:id',
  operationId: 'showVersion',
  summary: 'The record of one version',
  role: 'viewer',
  params: Id,
  response: Type.Object({
    id: Type.Integer(),
    kind: KindName,
    provider: Type.String(),
    fetched_at: Time,
    thin: Type.Boolean(),
    record: anyRecord,
  }),
  async handle({ admin, params: { id } }) {
    const version = await deps.store.versionBody({ versionId: id })
    if (!version) throw new Failure('not_found', { detail: `There is no version ${id}.` })
    await noteAccess(deps, admin, 'record.version', version, { version: id })
    const { kind, provider, fetchedAt, thin, body } = version
    return { id, kind, provider, fetched_at: isoTime(fetchedAt), thin, record: readRecord(body) }
  },
}))

const rawRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /records/fetches/:id/raw',
  operationId: 'readRawPayload',
  summary: 'An upstream answer, byte for byte as it came',
  role: 'operator',
  params: Id,
  produces: { 'application/json': Type.Unknown(), 'application/octet-stream': Type.String({ format: 'binary' }) },
  async handle({ admin, params: { id }, reply }) {
    const raw = await deps.store.rawPayload({ fetchId: id })
    if (!raw) throw new Failure('not_found', { detail: `There is no fetch ${id}.` })
    if (!raw.payload)
      throw new Failure('not_found', { detail: `The payload of fetch ${id} is not kept; its facts still are.` })
    await noteAccess(deps, admin, 'payload.read', `fetch/${id}`)
    const { payload } = raw
    const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
    return reply.type(isJson(bytes) ? 'application/json' : 'application/octet-stream').send(bytes)
  },
}))

async function findHistory(deps: AppDeps, kind: Kind, text: string) {
  const found = await deps.store.history({ kind, ref: refOf(deps, kind, text) })
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
