import type { Kind, WatchList, WatchMatch, watchOperations, WatchRequest } from '@vitae/contract'
import { type Caller, missingRight, reachOf } from '../../accounts/caller.ts'
import { Complaints, Failure, plainFailure, invalidParameter } from '../../foundation/failure.ts'
import type { Identifier } from '../../foundation/identifier.ts'
import { withEmployer } from '../../lookup/answer-match.ts'
import { parseIdentifier } from '../../records/identifiers/parse-identifier.ts'
import { tooManyWatches } from '../../watches/store/add-watches.ts'
import { watchView } from '../../watches/store/watch-view.ts'
import { isSampleWatch, sampleWatch, sampleWatches } from '../../watches/sample-watches.ts'
import type { AppDeps } from '../exchange/deps.ts'
import type { Handlers } from './caller-route.ts'
import { askOf, runMatch, type MatchCall } from './match-handlers.ts'

const watchesAtOnce = 100

/** The watchlist of an environment. Test keys get samples, and their watches are not stored. */
export function watchHandlers(deps: AppDeps): Handlers<typeof watchOperations> {
  return {
    async createWatch(call) {
      const { caller, body, reply } = call
      checkKind(caller, body.kind)
      const identifier = await findWanted(deps, call, body)
      if (caller.mode === 'test') return sampleWatch(deps.lookup, identifier, body)
      const [added] = await deps.store.watches.addWatches({
        environmentId: caller.environmentId,
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
    async listWatches({ caller, query: { after = null, limit = watchesAtOnce } }) {
      const { environmentId, mode } = caller
      if (mode === 'test') return { watches: after === null ? samplesFor(deps, caller) : [], next: null }
      const rows = await deps.store.watches.listWatches({ environmentId, kinds: reachOf(caller).kinds, after, limit })
      return { watches: rows.map(watchView), next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null }
    },
    async deleteWatch({ caller, params: { id } }) {
      const isRemoved = caller.mode === 'test' ? isSampleWatch(id) : await remove(deps, caller, id)
      if (!isRemoved) throw new Failure('not_found', { detail: 'There is no such watch.' })
      return { id, deleted: true }
    },
  }
}

/** Finds the record to watch. A match costs credits, so every check that can refuse the call comes before it. */
async function findWanted(
  deps: AppDeps,
  call: MatchCall,
  { kind, id, match }: Pick<WatchRequest, 'kind' | 'id' | 'match'>,
): Promise<Identifier> {
  if (id !== undefined && match === undefined) return parseIdentifier(kind, id, deps.platformHosts)
  if (id !== undefined || match === undefined)
    throw invalidParameter('id', 'is required, or else a match, but not both')
  const complaints = new Complaints()
  for (const name of foreignMembers[kind])
    if (match[name] !== undefined) complaints.add(`match.${name}`, `is not a member of a match of ${kind}`)
  complaints.throwAny()
  const { environmentId, mode } = call.caller
  const asked = askOf(deps, kind, call, match, 'match.')
  if (mode === 'live' && (await deps.store.watches.countWatches(environmentId)) >= deps.watchesAtMost)
    throw tooManyWatches()
  const { answer, lookup } = await runMatch(deps, call, await withEmployer(deps.lookup, call.caller, asked))
  if (mode === 'test') return lookup.identifier
  return parseIdentifier(kind, keyIn(answer.body.toBuffer()), deps.platformHosts)
}

const foreignMembers: Record<Kind, readonly (keyof WatchMatch)[]> = {
  people: ['domain', 'country'],
  companies: ['email', 'phone', 'first_name', 'last_name', 'company', 'company_domain', 'company_id', 'location'],
}

/** The permanent id in a record. */
function keyIn(body: Uint8Array): string {
  // The body comes from `serialiseRecord`.
  const record = JSON.parse(Buffer.from(body).toString()) as { member_urn?: string; company_id?: string }
  return record.member_urn ?? record.company_id ?? ''
}

async function remove({ store, clock }: AppDeps, caller: Caller, id: string): Promise<boolean> {
  const { environmentId } = caller
  return store.watches.removeWatch({ id, environmentId, kinds: reachOf(caller).kinds, actor: null, at: clock.now() })
}

function samplesFor({ lookup }: AppDeps, caller: Caller): WatchList['watches'] {
  return sampleWatches(lookup).filter(({ kind }) => missingRight(caller, kind) === null)
}

/** A key may watch only what it may look up. */
function checkKind(caller: Caller, kind: 'people' | 'companies'): void {
  const missing = missingRight(caller, kind)
  if (missing) throw plainFailure(missing)
}
