import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { Complaints, Failure } from '../../../foundation/failure.ts'
import { hashesOf } from '../../../lifecycle/suppression/suppressed-ids.ts'
import type { Suppression as SuppressionFacts } from '../../../records/suppression/suppressions.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { Count, KindName, listBytes, orNull, Time } from '../schemas.ts'
import { isoTime } from '../../../foundation/clock.ts'

export const tag = 'suppressions'
export const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
export const Suppression = Type.Object({
  hash: Hash,
  kind: KindName,
  origin: Type.String({ description: '`erasure`, `operator`, or the name of a feed.' }),
  reason: orNull(Type.String()),
  created_at: Time,
  subject: Type.Optional(orNull(Hash)),
})
export const Ids = Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
  maxItems: 1_000,
  description: 'Slugs, URLs, member_urns, company_ids, e-mail addresses of people, or `provider:id`.',
})
const Reason = Type.Optional(Type.String({ maxLength: 500 }))

/** Who is kept out, changed by an operator or by a feed. */
export function changeSuppressionsRoutes(app: FastifyInstance, deps: AppDeps): void {
  addSuppressionsRoute(app, deps)
  removeSuppressionsRoute(app, deps)
  importSuppressionsRoute(app, deps)
}

const addSuppressionsRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /suppressions',
  operationId: 'addSuppressions',
  summary: 'Keep people or companies out',
  description: 'What is stored of them is no longer served; only an erasure removes it.',
  role: 'operator',
  status: 201,
  bodyLimit: listBytes,
  body: Type.Object({ kind: KindName, ids: Ids, origin: Type.Optional(Type.String()), reason: Reason }),
  response: Type.Object({ added: Count }),
  async handle({ admin, body: { kind, ids, origin = 'operator', reason = null } }) {
    const subjects = await allHashes(deps, { kind, ids })
    const added = await deps.suppressions.addSuppressions({
      hashes: [...new Set(subjects.flat())],
      subjects,
      kind,
      origin,
      reason,
      actor: admin.actor,
      at: deps.clock.now(),
    })
    await deps.recordsChanged()
    return added
  },
}))

const removeSuppressionsRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /suppressions/remove',
  operationId: 'removeSuppressions',
  summary: 'Let people or companies in again',
  description:
    'Under every name that was put on the list with theirs: an erasure knew them all. The answer has what was taken off. Of erasures by versions before 1.0.0-rc.2 only the names that are given are taken off.',
  role: 'owner',
  bodyLimit: listBytes,
  body: Type.Object({ kind: KindName, ids: Ids, reason: Reason }),
  response: Type.Object({ removed: Count, suppressions: Type.Array(Suppression) }),
  async handle({ admin, body: { kind, ids, reason = null } }) {
    const asked = (await allHashes(deps, { kind, ids })).flat()
    const found = await deps.store.suppressionsOfSubjects({ hashes: asked })
    const hashes = [...new Set([...asked, ...found.map(({ hash }) => hash)])]
    const { removed } = await deps.suppressions.removeSuppressions({
      hashes,
      reason,
      actor: admin.actor,
      at: deps.clock.now(),
    })
    return { removed, suppressions: found.map(suppressionView) }
  },
}))

const importSuppressionsRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /suppressions/import',
  operationId: 'importSuppressions',
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
    const act = { actor: admin.actor, at: deps.clock.now() }
    const items = hashes.map(({ created_at, ...item }) => ({ ...item, createdAt: Date.parse(created_at) }))
    const exported = items.length > 0 ? await deps.suppressions.importSuppressions({ items, ...act }) : { added: 0 }
    const { found, errors } = await readFeed(deps, { kind, ids, origin })
    const fed =
      found.length > 0
        ? await deps.suppressions.addSuppressions({
            hashes: [...new Set(found.flat())],
            subjects: found,
            kind,
            origin,
            reason: null,
            ...act,
          })
        : { added: 0 }
    await deps.recordsChanged()
    return { added: exported.added + fed.added, errors }
  },
}))

/** A row of the list, as it is shown and exported. */
export function suppressionView(suppression: SuppressionFacts): Static<typeof Suppression> {
  const { hash, kind, origin, reason, createdAt, subject = null } = suppression
  return { hash, kind, origin, reason, created_at: isoTime(createdAt), subject }
}

/** What the hash of an id depends on. */
export function hashing(deps: AppDeps) {
  return { store: deps.store, secret: deps.lookup.secret, platformHosts: deps.platformHosts }
}

type Feed = { kind: Static<typeof KindName>; ids: readonly string[]; origin?: string }

/** The hashes of all names of each id; a list with lines that are no ids is refused whole, and each of them is named. */
async function allHashes(deps: AppDeps, feed: Feed): Promise<string[][]> {
  const { found, errors } = await readFeed(deps, feed)
  const complaints = new Complaints()
  for (const { line, reason } of errors) complaints.add(`ids/${line - 1}`, `Line ${line}: ${reason}`)
  complaints.throwAny('Nothing was changed. ')
  return found
}

/** Lines of a feed that are not ids are reported by number; the others are added. */
async function readFeed(deps: AppDeps, { kind, ids, origin = '' }: Feed) {
  const found: string[][] = []
  const errors: { line: number; reason: string }[] = []
  for (const [index, id] of ids.entries()) {
    try {
      found.push(await hashesOf(hashing(deps), { kind, id, origin }))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      errors.push({ line: index + 1, reason: error.message })
    }
  }
  return { found, errors }
}
