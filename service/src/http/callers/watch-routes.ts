import { WatchListQuery, WatchPath, WatchRequest, type WatchList } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../accounts/key-cache.ts'
import { missingRight, reachOf } from '../../accounts/key-rights.ts'
import { Failure, plainFailure } from '../../foundation/failure.ts'
import { parseIdentifier } from '../../records/identifiers/parse-identifier.ts'
import { watchView } from '../../watches/store/watch-view.ts'
import { isSampleWatch, sampleWatch, sampleWatches } from '../../watches/sample-watches.ts'
import type { AppDeps } from '../deps.ts'
import { callerRoute } from './caller-route.ts'

const usualLimit = 100

/** The watchlist of an environment. Test keys get samples, and nothing of theirs is kept. */
export function watchRoutes(app: FastifyInstance, deps: AppDeps): void {
  callerRoute(app, deps, {
    method: 'POST',
    path: '/v1/watches',
    spends: true,
    body: WatchRequest,
    status: 201,
    async handle({ caller, body, reply }) {
      checkKind(caller, body.kind)
      const identifier = parseIdentifier(body.kind, body.id, deps.platformHosts)
      if (caller.mode === 'test') return sampleWatch(deps.lookup, identifier, body)
      const [added] = await deps.store.addWatches({
        accountId: caller.accountId,
        keyId: caller.keyId,
        watches: [{ identifier, everyDays: body.every_days, note: body.note }],
        atMost: deps.watchesAtMost,
        actor: null,
        at: deps.clock.now(),
      })
      if (!added) throw new Error('a watch was neither made nor found')
      if (!added.isNew) reply.code(200)
      return watchView(added.watch)
    },
  })
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/watches',
    query: WatchListQuery,
    async handle({ caller, query: { after = null, limit = usualLimit } }): Promise<WatchList> {
      const { accountId, mode } = caller
      if (mode === 'test') return { watches: after === null ? samplesFor(deps, caller) : [], next: null }
      const rows = await deps.store.listWatches({ accountId, kinds: reachOf(caller).kinds, after, limit })
      return { watches: rows.map(watchView), next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null }
    },
  })
  callerRoute(app, deps, {
    method: 'DELETE',
    path: '/v1/watches/:id',
    params: WatchPath,
    async handle({ caller, params: { id } }) {
      const isRemoved = caller.mode === 'test' ? isSampleWatch(id) : await remove(deps, caller, id)
      if (!isRemoved) throw new Failure('not_found', { detail: 'There is no such watch.' })
      return { id, deleted: true }
    },
  })
}

async function remove({ store, clock }: AppDeps, caller: Caller, id: string): Promise<boolean> {
  const { accountId } = caller
  const kind = await store.watchKind({ id, accountId })
  if (kind) checkKind(caller, kind)
  return store.removeWatch({ id, accountId, actor: null, at: clock.now() })
}

function samplesFor({ lookup }: AppDeps, caller: Caller): WatchList['watches'] {
  return sampleWatches(lookup).filter(({ kind }) => missingRight(caller, kind) === null)
}

/** A key may watch only what it may look up. */
function checkKind(caller: Caller, kind: 'people' | 'companies'): void {
  const missing = missingRight(caller, kind)
  if (missing) throw plainFailure(missing)
}
