import { Watch, WatchById, type Kind } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { usualAsk, usualEnd } from '../../../credits/prices/compiled-book.ts'
import { Failure } from '../../../foundation/failure.ts'
import { parseIdentifier } from '../../../records/identifiers/parse-identifier.ts'
import type { NewWatch } from '../../../watches/store/add-watches.ts'
import type { ListedWatch } from '../../../watches/store/list-watches.ts'
import { watchView } from '../../../watches/store/watch-view.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { nextCursor, pageQuery } from '../pagination.ts'
import { Count, Cursor, KindName, orNull, Time, listBytes } from '../schemas.ts'
import { isoTime } from '../../../foundation/clock.ts'

const OperatorWatch = Type.Object({
  ...Watch.properties,
  project: Type.String(),
  environment: Type.String(),
  key_id: Type.String({ description: 'The key that pays.' }),
  last_change: orNull(Type.Object({ type: Type.String(), at: Time })),
  credits_per_month: Type.Number({ description: 'What its looks cost in 30 days, where every one finds the record.' }),
})

const NewWatches = Type.Object({
  project: Type.String(),
  environment: Type.String(),
  key_id: Type.Optional(
    Type.String({ description: 'The key that pays; left out: the newest live key of the environment.' }),
  ),
  watches: Type.Array(WatchById, { maxItems: 1_000 }),
  max_credits_per_month: Type.Optional(
    orNull(
      Type.Integer({
        minimum: 0,
        description: 'What all watches of the environment may spend in a UTC month; null = no limit.',
      }),
    ),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: 'Says what they would cost, and adds nothing.' })),
})

const Added = Type.Object({
  project: Type.String(),
  environment: Type.String(),
  key_id: Type.String(),
  created: Count,
  existing: Count,
  errors: Type.Array(Type.Object({ index: Count, reason: Type.String() })),
  credits_at_once: Type.Integer({ description: 'What the first looks cost at most.' }),
  credits_per_month: Type.Number({ description: 'What the looks cost in 30 days at most.' }),
  max_credits_per_month: orNull(Type.Integer()),
  spent_this_month: Count,
  watches: Type.Array(Watch),
})

const tag = 'watches'

/** The watchlists of all environments. */
export function watchRoutes(app: FastifyInstance, deps: AppDeps): void {
  listRoute(app, deps)
  addRoute(app, deps)
  removeWatchRoute(app, deps)
}

const removeWatchRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'DELETE /watches/:id',
  operationId: 'removeWatch',
  summary: 'End a watch',
  role: 'operator',
  params: Type.Object({ id: Type.String() }),
  response: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }),
  filtered: true,
  async handle({ admin, params: { id } }) {
    const args = { id, environmentId: null, project: admin.project, actor: admin.actor, at: clock.now() }
    if (await store.removeWatch(args)) return { id, deleted: true as const }
    throw new Failure('not_found', { detail: `There is no watch ${id}. "vitae watches list" shows those there are.` })
  },
}))

const listRoute = adminRoute(tag, ({ store, lookup }: AppDeps) => ({
  route: 'GET /watches',
  operationId: 'listWatches',
  summary: 'List watches: who is watched, when they were last seen, what changed',
  role: 'viewer',
  filtered: true,
  query: Type.Object({
    ...pageQuery,
    project: Type.Optional(Type.String()),
    environment: Type.Optional(Type.String()),
    kind: Type.Optional(KindName),
    paused: Type.Optional(Type.Boolean({ description: 'Only those that rest.' })),
  }),
  response: Type.Object({ watches: Type.Array(OperatorWatch), next_cursor: Cursor }),
  async handle({ admin, query }) {
    const { limit = 100, cursor = null, project = null, environment = null, kind = null, paused = false } = query
    const filters = { environment, kind, paused, after: cursor, limit }
    const rows = await store.listWatches({ project: admin.project ?? project, ...filters })
    const watches = rows.map((row) => operatorView(row, priceReader(lookup, row)))
    return { watches, next_cursor: nextCursor(rows, limit, (row) => row.id) }
  },
}))

const addRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /watches',
  operationId: 'addWatches',
  summary: 'Add watches to an environment, or say what they would cost',
  role: 'operator',
  status: 201,
  bodyLimit: listBytes,
  body: NewWatches,
  response: Added,
  project: ({ body }) => body.project,
  handle: ({ admin, body }) => addWatches(deps, admin.actor, body),
}))

async function addWatches(
  deps: AppDeps,
  actor: string,
  body: Static<typeof NewWatches>,
): Promise<Static<typeof Added>> {
  const { store, clock, platformHosts } = deps
  const { project, environment, key_id: wanted = null, max_credits_per_month: most } = body
  const at = clock.now()
  const { keyId, environmentId } = await store.payingKey({ project, environment, keyId: wanted, at })
  const { watches, errors } = readWatches(body.watches, platformHosts)
  const limits = { atMost: deps.watchesAtMost, maxCreditsPerMonth: most }
  const added = body.dry_run ? [] : await store.addWatches({ environmentId, keyId, watches, ...limits, actor, at })
  const budget = await store.watchBudget({ environmentId, at })
  const created = added.filter((one) => one.isNew)
  const first = body.dry_run ? watches : created.filter(({ watch }) => watch.looked_at === null)
  const price = priceReader(deps.lookup, body)
  const each = watches.map(({ identifier, everyDays }) => perMonth(price(identifier.kind), everyDays ?? 7))
  return {
    project,
    environment,
    key_id: keyId,
    created: created.length,
    existing: added.length - created.length,
    errors,
    credits_at_once: first.reduce((sum, one) => sum + price('watch' in one ? one.watch.kind : one.identifier.kind), 0),
    credits_per_month: rounded(each.reduce((sum, credits) => sum + credits, 0)),
    ...budget,
    watches: added.map(({ watch }) => watchView(watch)),
  }
}

/** Those that can be read, and why the others cannot: one bad line of a file does not stop the rest. */
function readWatches(asked: readonly WatchById[], hosts: readonly string[]) {
  const watches: NewWatch[] = []
  const errors: { index: number; reason: string }[] = []
  for (const [index, { kind, id, every_days: everyDays, note }] of asked.entries()) {
    try {
      watches.push({ identifier: parseIdentifier(kind, id, hosts), everyDays, note })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      errors.push({ index, reason: error.message })
    }
  }
  return { watches, errors }
}

function operatorView(row: ListedWatch, price: (kind: Kind) => number): Static<typeof OperatorWatch> {
  const { project, environment, key_id, changed_type: type } = row
  const at = isoTime(row.changed_at)
  const credits = rounded(perMonth(price(row.kind), row.every_days))
  const lastChange = type === null || at === null ? null : { type, at }
  return { ...watchView(row), project, environment, key_id, last_change: lastChange, credits_per_month: credits }
}

function perMonth(price: number, everyDays: number): number {
  return (price * 30) / everyDays
}

/** What a look that finds something new costs in an environment now. */
function priceReader(
  { prices, clock }: AppDeps['lookup'],
  { project, environment }: { project: string; environment: string },
): (kind: Kind) => number {
  const book = prices.at(clock.now())
  return (kind) => book.priceOf({ ...usualAsk, kind, by: 'watch', project, environment }, usualEnd).credits
}

function rounded(credits: number): number {
  return Math.round(credits * 100) / 100
}
