import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { suppressedIds } from '../../../lifecycle/suppression/suppressed-ids.ts'
import type { SuppressionPage } from '../../../records/suppression/suppressions.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { noteAccess } from '../records/find-record.ts'
import { pageQuery } from '../pagination.ts'
import { Moment, readTimeIfGiven } from '../read-time.ts'
import { Cursor, given, KindName, Time, listBytes } from '../schemas.ts'
import { invalidParameter } from '../../validate.ts'
import {
  changeSuppressionsRoutes,
  Hash,
  hashing,
  Ids,
  Suppression,
  suppressionView,
  tag,
} from './change-suppressions-routes.ts'
import { isoTime } from '../../../foundation/clock.ts'

/** The suppression list. It holds keyed hashes only: it can say whether an id is on it, but lists no ids. */
export function suppressionRoutes(app: FastifyInstance, deps: AppDeps): void {
  listSuppressionsRoute(app, deps)
  exportSuppressionsRoute(app, deps)
  listErasuresRoute(app, deps)
  checkSuppressionsRoute(app, deps)
  changeSuppressionsRoutes(app, deps)
}

const listSuppressionsRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'GET /suppressions',
  operationId: 'listSuppressions',
  summary: 'The suppression list, oldest first unless order says otherwise',
  role: 'viewer',
  query: Type.Object({
    since: Type.Optional(Moment),
    kind: Type.Optional(KindName),
    origin: Type.Optional(Type.String()),
    order: Type.Optional(Type.Enum(['newest', 'oldest'])),
    ...pageQuery,
  }),
  response: Type.Object({ suppressions: Type.Array(Suppression), next_cursor: Cursor }),
  async handle({ query: { limit = 100, cursor, since: text, kind, origin, order } }) {
    const wanted = { ...sinceOf(clock, text), ...given({ kind, origin, order }) }
    const page = await store.listSuppressions({ ...wanted, limit, cursor: readCursor(cursor) })
    return { suppressions: page.items.map(suppressionView), next_cursor: cursorText(page.next) }
  },
}))

const exportSuppressionsRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'GET /suppressions/export',
  operationId: 'exportSuppressions',
  summary: 'The whole list as NDJSON, for another service with the same secret key',
  role: 'operator',
  query: Type.Object({ since: Type.Optional(Moment) }),
  produces: { 'application/x-ndjson': Type.String() },
  async handle({ query, reply }) {
    const lines = exportedLines(store, sinceOf(clock, query.since))
    return reply.type('application/x-ndjson').send(Readable.from(lines))
  },
}))

/** A page of the list at a time, however long it is. */
async function* exportedLines(store: AppDeps['store'], wanted: { since?: number }): AsyncGenerator<string> {
  let cursor: SuppressionPage['next'] = null
  do {
    const page: SuppressionPage = await store.exportSuppressions({ ...wanted, limit: 1_000, cursor })
    yield page.items.map((item) => `${JSON.stringify(suppressionView(item))}\n`).join('')
    cursor = page.next
  } while (cursor !== null)
}

const listErasuresRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'GET /erasures',
  operationId: 'listErasures',
  summary: 'Erasures since a moment, for those who hold copies of our data',
  description: 'As hashes: ask /suppressions/check about the ids that you hold.',
  role: 'viewer',
  query: Type.Object({ since: Type.Optional(Moment), ...pageQuery }),
  response: Type.Object({
    erasures: Type.Array(Type.Object({ hash: Hash, kind: KindName, erased_at: Time })),
    next_cursor: Cursor,
  }),
  async handle({ query: { limit = 1_000, cursor, since: text } }) {
    const page = await store.listSuppressions({ ...sinceOf(clock, text), limit, cursor: readCursor(cursor) })
    const erasures = page.items
      .filter((item) => item.origin === 'erasure')
      .map(({ hash, kind, createdAt }) => ({ hash, kind, erased_at: isoTime(createdAt) }))
    return { erasures, next_cursor: cursorText(page.next) }
  },
}))

const checkSuppressionsRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /suppressions/check',
  operationId: 'checkSuppressions',
  summary: 'Which of these ids are kept out',
  role: 'operator',
  bodyLimit: listBytes,
  body: Type.Object({ kind: KindName, ids: Ids }),
  response: Type.Object({ suppressed: Type.Array(Type.String()) }),
  async handle({ admin, body: { kind, ids } }) {
    const suppressed = await suppressedIds(hashing(deps), kind, ids)
    await noteAccess(deps, admin, 'suppressions.check', null, { asked: ids.length, suppressed: suppressed.length })
    return { suppressed }
  },
}))

function sinceOf(clock: AppDeps['clock'], text: string | undefined) {
  return given({ since: readTimeIfGiven('since', text, clock.now()) })
}

function cursorText(place: SuppressionPage['next']): string | null {
  return place && `${place.createdAt}_${place.hash}`
}

function readCursor(text: string | undefined): SuppressionPage['next'] {
  if (text === undefined) return null
  const [, createdAt, hash] = /^(\d{1,15})_([\da-f]{64})$/.exec(text) ?? []
  if (createdAt !== undefined && hash !== undefined) return { createdAt: Number(createdAt), hash }
  throw invalidParameter('cursor', 'must be the next_cursor of a page')
}
