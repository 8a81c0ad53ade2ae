import { kinds, type Kind } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { isoTime } from '../../../foundation/clock.ts'
import { splitRecord } from '../../../lifecycle/records/split-record.ts'
import type { SplitSide } from '../../../records/splits/split-entity.ts'
import type { SuspectName } from '../../../records/splits/find-suspects.ts'
import type { AppDeps } from '../../deps.ts'
import { invalidParameter } from '../../validate.ts'
import { adminRoute } from '../admin-route.ts'
import { Count, Cursor, given, KindName, orNull, Time } from '../schemas.ts'
import { noteAccess, nouns, refOf, RefParams } from './find-record.ts'

const tag = 'records'

const Name = Type.Object({
  name: Type.String(),
  providers: Type.Array(Type.String()),
  fetches: Type.Array(Type.Integer(), { description: 'The fetches that brought it, oldest first.' }),
  last_fetched_at: Time,
})

const Side = Type.Object({
  key: Type.String({ description: 'member_urn or company_id.' }),
  name: orNull(Type.String()),
  versions: Count,
  fetches: Count,
  aliases: Count,
  watches: Count,
  contacts: Type.Integer({ description: 'Hashes of contact details and matches that lead to it.' }),
})

/** Undo of a wrong join: records that may be two subjects, and the split of one. */
export function splitRoutes(app: FastifyInstance, deps: AppDeps): void {
  suspectsRoute(app, deps)
  for (const kind of kinds) splitRoute(kind)(app, deps)
}

const suspectsRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /records/suspects',
  operationId: 'listSuspects',
  summary: 'Records whose versions have names that contradict each other',
  description:
    'They may be two people or companies that were joined by a slug. Somebody who took another name is listed too. A page may be empty and still have a `next_cursor`.',
  role: 'viewer',
  query: Type.Object({
    kind: Type.Optional(KindName),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    cursor: Type.Optional(Type.String()),
  }),
  response: Type.Object({
    suspects: Type.Array(Type.Object({ kind: KindName, key: Type.String(), names: Type.Array(Name) })),
    next_cursor: Cursor,
  }),
  async handle({ admin, query }) {
    const { kind, limit = 50, cursor } = query
    if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
      throw invalidParameter('cursor', 'must be the next_cursor of a page')
    const page = await deps.store.findSuspects({ ...given({ kind }), after: Number(cursor ?? 0), limit })
    await noteAccess(deps, admin, 'record.suspects', null, { found: page.items.length })
    const suspects = page.items.map(({ kind: of, key, names }) => ({ kind: of, key, names: names.map(nameView) }))
    return { suspects, next_cursor: page.next === null ? null : String(page.next) }
  },
}))

const splitRoute = (kind: Kind) =>
  adminRoute(tag, (deps: AppDeps) => ({
    route: `POST /records/${kind}/:ref/split`,
    operationId: `split${nouns[kind]}`,
    summary: 'Make two records of one, by the fetches of one of the two',
    description:
      'The one for whom the key was given out keeps it; the other one gets a key of its own. Watches follow the name they watch, contact details the record that has them. Nothing joins the two again. Environments that were served the record get `record.split`.',
    role: 'operator',
    params: RefParams,
    body: Type.Object({
      fetches: Type.Array(Type.Integer({ minimum: 1 }), {
        minItems: 1,
        maxItems: 1_000,
        description: 'The fetches of one of the two, as the list of suspects has them.',
      }),
      reason: Type.Optional(
        Type.String({ minLength: 1, maxLength: 500, description: 'For the audit log. Do not name anyone here.' }),
      ),
    }),
    response: Type.Object({ kind: KindName, kept: Side, split: Side }),
    async handle({ admin, params, body }) {
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
      return { kind, kept: sideView(done.kept), split: sideView(done.split) }
    },
  }))

function nameView({ name, providers, fetches, lastFetchedAt }: SuspectName) {
  return { name, providers, fetches, last_fetched_at: isoTime(lastFetchedAt) }
}

function sideView({ key, name, versions, fetches, aliases, watches, contacts }: SplitSide) {
  return { key, name, versions, fetches, aliases, watches, contacts }
}
