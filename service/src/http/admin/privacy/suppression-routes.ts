import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { Failure } from '../../../foundation/failure.ts'
import { hashesOf, suppressedIds } from '../../../lifecycle/suppression/suppressed-ids.ts'
import type { Suppression as SuppressionFacts, SuppressionPage } from '../../../records/suppression/suppressions.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { noteAccess } from '../records/find-record.ts'
import { pageQuery } from '../pagination.ts'
import { Moment, readTimeIfGiven } from '../read-time.ts'
import { Count, Cursor, given, iso, KindName, orNull, Time } from '../schemas.ts'
import { invalidParameter } from '../../validate.ts'

const tag = 'suppressions'
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Suppression = Type.Object({
  hash: Hash,
  kind: KindName,
  origin: Type.String({ description: '`erasure`, `operator`, or the name of a feed.' }),
  reason: orNull(Type.String()),
  created_at: Time,
})
const Ids = Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
  maxItems: 1_000,
  description: 'Slugs, URLs, member_urns, company_ids, or `provider:id`.',
})
const Reason = Type.Optional(Type.String({ maxLength: 500 }))

/** The suppression list. It holds keyed hashes only: it can say whether an id is on it, but lists no ids. */
export function suppressionRoutes(app: FastifyInstance, deps: AppDeps): void {
  listSuppressionsRoute(app, deps)
  exportSuppressionsRoute(app, deps)
  listErasuresRoute(app, deps)
  addSuppressionsRoute(app, deps)
  removeSuppressionsRoute(app, deps)
  importSuppressionsRoute(app, deps)
  checkSuppressionsRoute(app, deps)
}

function listSuppressionsRoute(app: FastifyInstance, { store, clock }: AppDeps): void {
  adminRoute(app, {
    method: 'GET',
    path: '/suppressions',
    operationId: 'listSuppressions',
    tag,
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
  })
}

function exportSuppressionsRoute(app: FastifyInstance, { store, clock }: AppDeps): void {
  adminRoute(app, {
    method: 'GET',
    path: '/suppressions/export',
    operationId: 'exportSuppressions',
    tag,
    summary: 'The whole list as NDJSON, for another service with the same secret key',
    role: 'operator',
    query: Type.Object({ since: Type.Optional(Moment) }),
    produces: { 'application/x-ndjson': Type.String() },
    async handle({ query, reply }) {
      let text = ''
      for (let cursor: SuppressionPage['next'] = null, more = true; more; more = cursor !== null) {
        const page: SuppressionPage = await store.exportSuppressions({
          ...sinceOf(clock, query.since),
          limit: 1_000,
          cursor,
        })
        text += page.items.map((item) => `${JSON.stringify(suppressionView(item))}\n`).join('')
        cursor = page.next
      }
      return reply.type('application/x-ndjson').send(text)
    },
  })
}

function listErasuresRoute(app: FastifyInstance, { store, clock }: AppDeps): void {
  adminRoute(app, {
    method: 'GET',
    path: '/erasures',
    operationId: 'listErasures',
    tag,
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
        .map(({ hash, kind, createdAt }) => ({ hash, kind, erased_at: iso(createdAt) }))
      return { erasures, next_cursor: cursorText(page.next) }
    },
  })
}

function addSuppressionsRoute(app: FastifyInstance, deps: AppDeps): void {
  const { store, clock } = deps
  adminRoute(app, {
    method: 'POST',
    path: '/suppressions',
    operationId: 'addSuppressions',
    tag,
    summary: 'Keep people or companies out',
    description: 'What is stored of them is no longer served; only an erasure removes it.',
    role: 'operator',
    status: 201,
    body: Type.Object({ kind: KindName, ids: Ids, origin: Type.Optional(Type.String()), reason: Reason }),
    response: Type.Object({ added: Count }),
    async handle({ admin, body: { kind, ids, origin = 'operator', reason = null } }) {
      const hashes = await allHashes(deps, { kind, ids })
      const added = await store.addSuppressions({
        hashes,
        kind,
        origin,
        reason,
        actor: admin.actor,
        at: clock.now(),
      })
      await deps.recordsChanged()
      return added
    },
  })
}

function removeSuppressionsRoute(app: FastifyInstance, deps: AppDeps): void {
  const { store, clock } = deps
  adminRoute(app, {
    method: 'POST',
    path: '/suppressions/remove',
    operationId: 'removeSuppressions',
    tag,
    summary: 'Let people or companies in again',
    role: 'owner',
    body: Type.Object({ kind: KindName, ids: Ids, reason: Reason }),
    response: Type.Object({ removed: Count }),
    async handle({ admin, body: { kind, ids, reason = null } }) {
      const hashes = await allHashes(deps, { kind, ids })
      return store.removeSuppressions({ hashes, reason, actor: admin.actor, at: clock.now() })
    },
  })
}

function importSuppressionsRoute(app: FastifyInstance, deps: AppDeps): void {
  const { store, clock } = deps

  adminRoute(app, {
    method: 'POST',
    path: '/suppressions/import',
    operationId: 'importSuppressions',
    tag,
    summary: 'Add a provider’s opt-out feed, or a list that was exported before',
    role: 'operator',
    bodyLimit: 8 * 1024 * 1024,
    body: Type.Object({
      kind: Type.Optional(KindName),
      origin: Type.Optional(
        Type.String({ description: 'The feed. In the feed of a provider, numbers are that provider’s own ids.' }),
      ),
      ids: Type.Optional(Ids),
      hashes: Type.Optional(Type.Array(Suppression, { maxItems: 5_000 })),
    }),
    response: Type.Object({
      added: Count,
      errors: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() })),
    }),
    async handle({ admin, body: { kind = 'people', origin = 'import', ids = [], hashes = [] } }) {
      const act = { actor: admin.actor, at: clock.now() }
      const items = hashes.map(({ created_at, ...item }) => ({ ...item, createdAt: Date.parse(created_at) }))
      const exported = items.length > 0 ? await store.importSuppressions({ items, ...act }) : { added: 0 }
      const { found, errors } = await readFeed(deps, { kind, ids, origin })
      const fed =
        found.length > 0
          ? await store.addSuppressions({ hashes: found, kind, origin, reason: null, ...act })
          : { added: 0 }
      await deps.recordsChanged()
      return { added: exported.added + fed.added, errors }
    },
  })
}

function checkSuppressionsRoute(app: FastifyInstance, deps: AppDeps): void {
  adminRoute(app, {
    method: 'POST',
    path: '/suppressions/check',
    operationId: 'checkSuppressions',
    tag,
    summary: 'Which of these ids are kept out',
    role: 'operator',
    body: Type.Object({ kind: KindName, ids: Ids }),
    response: Type.Object({ suppressed: Type.Array(Type.String()) }),
    async handle({ admin, body: { kind, ids } }) {
      const suppressed = await suppressedIds(hashing(deps), kind, ids)
      await noteAccess(deps, admin, 'suppressions.check', null, { asked: ids.length, suppressed: suppressed.length })
      return { suppressed }
    },
  })
}

function sinceOf(clock: AppDeps['clock'], text: string | undefined) {
  return given({ since: readTimeIfGiven('since', text, clock.now()) })
}

function hashing(deps: AppDeps) {
  return { store: deps.store, secret: deps.lookup.secret, platformHosts: deps.platformHosts }
}

type Feed = { kind: Static<typeof KindName>; ids: readonly string[]; origin?: string }

/** The hashes of all ids; a list with lines that are no ids is refused whole, and each of them is named. */
async function allHashes(deps: AppDeps, feed: Feed): Promise<string[]> {
  const { found, errors } = await readFeed(deps, feed)
  if (errors.length === 0) return found
  const lines = errors.map(({ line, reason }) => ({ parameter: `ids/${line - 1}`, detail: `Line ${line}: ${reason}` }))
  throw new Failure('invalid_request', { detail: `Nothing was changed. ${lines[0]?.detail ?? ''}`, errors: lines })
}

/** Lines of a feed that are not ids are reported by number; the others are added. */
async function readFeed(deps: AppDeps, { kind, ids, origin = '' }: Feed) {
  const found: string[] = []
  const errors: { line: number; reason: string }[] = []
  for (const [index, id] of ids.entries()) {
    try {
      found.push(...(await hashesOf(hashing(deps), { kind, id, origin })))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      errors.push({ line: index + 1, reason: error.message })
    }
  }
  return { found: [...new Set(found)], errors }
}

function suppressionView({ hash, kind, origin, reason, createdAt }: SuppressionFacts): Static<typeof Suppression> {
  return { hash, kind, origin, reason, created_at: iso(createdAt) }
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
