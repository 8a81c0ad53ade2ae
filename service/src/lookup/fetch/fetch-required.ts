import { Failure } from '../../foundation/failure.ts'
import { identifierKey, type Identifier } from '../../foundation/identifier.ts'
import type { Route } from '../../foundation/environments/route.ts'
import { ChainFault } from '../../providers/chain/chain-answer.ts'
import type { Attempt } from '../../providers/chain/ask-one-provider.ts'
import type { FetchNotes } from '../asked/call-trace.ts'
import type { LookupDeps } from '../payment/deps.ts'
import { withinAge } from '../recall/applicable-fills.ts'
import { readyRecord } from '../recall/recall-record.ts'
import type { FetchedVersion, ReadyRecord } from '../recall/record-cache.ts'
import { demandsOf, lackFailure, lacksOf, type Demands } from '../recall/demands.ts'
import type { Expected } from '../asked/expectations.ts'
import { ProviderFault } from '@vitae/provider'

/** The question to the providers. Identical needs share one fetch. */
export interface FetchNeed {
  identifier: Identifier
  fresh: boolean
  maxAgeDays: number
  /** The demands on the record, and the providers that are known not to meet them. */
  require?: readonly string[]
  expect?: Expected
  skip?: ReadonlySet<string>
  /** The providers that may be asked. */
  route: Route
  /** A stored copy that is young enough but lacks required fields: other providers are asked to fill it. */
  base?: ReadyRecord | undefined
  /** No provider is asked; the call ends as for a name that none of them knows. */
  suppressed?: true
}

type Deps = Pick<LookupDeps, 'chain' | 'fieldLacks' | 'clock' | 'rules' | 'store' | 'cache' | 'peers'>

/**
 * The failure of a call if every provider is known to lack what it requires, so that no provider is asked again; null
 * if a provider may have it.
 */
export function knownLack(deps: Deps, need: FetchNeed): Failure | null {
  const { identifier, maxAgeDays, route } = need
  const demands = demandsOf(demandsIn(need))
  if (demands.length === 0 || maxAgeDays === 0) return null
  const { providers, paths } = deps.fieldLacks.lacking(identifierKey(identifier), demands)
  if (providers.size === 0 || deps.chain.canAsk(identifier, route, providers)) return null
  return lackFailure(paths.length > 0 ? paths : demands)
}

/** The demands that a fetched record must meet. */
export function demandsIn({ identifier, require, expect }: FetchNeed): Demands {
  return { require, expect, minLikelihood: identifier.match?.minLikelihood }
}

/**
 * Asks providers one after the other until the record meets the demands. The first record becomes the base, and later
 * ones fill it. Every fetched record is stored, so that later calls find it.
 */
export async function fetchRequired(
  deps: Deps,
  need: FetchNeed,
  notes: FetchNotes,
  fetch: (need: FetchNeed) => Promise<ReadyRecord>,
): Promise<ReadyRecord> {
  const { identifier, maxAgeDays, route } = need
  const demands = demandsIn(need)
  const all = demandsOf(demands)
  const name = identifierKey(identifier)
  const skip = maxAgeDays === 0 ? new Set<string>() : deps.fieldLacks.lacking(name, all).providers
  const attempts: Attempt[] = []
  const fetched: FetchedVersion[] = []
  let missing = all
  let served: ReadyRecord | null = null
  let { base } = need
  // The provider of a stored base is asked again only after all others: it may know more by now.
  let isDeferred = base !== undefined && !skip.has(base.provider)
  if (base) skip.add(base.provider)
  const canAsk = () => {
    if (deps.chain.canAsk(identifier, route, skip)) return true
    if (!base || !isDeferred) return false
    skip.delete(base.provider)
    isDeferred = false
    base = undefined
    return deps.chain.canAsk(identifier, route, skip)
  }
  try {
    while (canAsk() || attempts.length === 0) {
      const found = await orLacking(fetch({ ...need, skip, base }), notes)
      attempts.push(...notes.attempts)
      fetched.push(...(found?.fetched ?? []))
      const record = found && { ...found, fetched: [...fetched] }
      const seen = record && withinAge(deps, record, { maxAgeDays, bypassCache: need.fresh })
      const lacks = seen ? lacksOf(seen, demands) : all
      served = lacks.length === 0 ? seen : record && (await aloneIn(deps, record, demands))
      if (served) return lacks.length === 0 && record ? record : served
      if (lacks.length < missing.length) missing = lacks
      // A record of another person, or of an unlikely match, cannot be the base.
      if (record && lacksOf(record, { ...demands, require: undefined }).length === 0) base ??= record
      const providers = found ? (found.fetched ?? [found]).map(({ provider }) => provider) : missed(notes.attempts)
      for (const provider of providers) {
        skip.add(provider)
        // If a record was found, each missing path is known. If not, the provider may still have a record for fewer
        // paths.
        for (const paths of record ? lacks.map((path) => [path]) : [all]) deps.fieldLacks.note(name, provider, paths)
      }
    }
  } catch (error) {
    // The remaining providers exceed the cost limit of this call, so the records fetched so far decide.
    if (!(error instanceof ChainFault) || !error.isCapped || attempts.length === 0) throw error
    attempts.push(...error.attempts)
  } finally {
    notes.attempts = (attempts.length > 0 ? attempts : notes.attempts).map((attempt) => inSightOf(served, attempt))
  }
  throw lackFailure(missing)
}

/**
 * The newest fetched version, if the base denies the required facts and this version has all of them. It becomes the
 * base, because a base cannot be filled with what it denies.
 */
async function aloneIn(deps: Deps, record: ReadyRecord, demands: Demands): Promise<ReadyRecord | null> {
  const { versionId } = record.fetched?.at(-1) ?? record
  if (versionId === record.versionId) return null
  const copy = await deps.store.records.readVersion({ versionId, foldId: null })
  const alone = copy && readyRecord(record.kind, copy)
  if (!alone || lacksOf(alone, demands).length > 0) return null
  await deps.store.records.serveVersion({ entityId: alone.entityId, versionId })
  deps.cache.forgetEntity(alone.entityId)
  await deps.peers.notify({ topic: 'records', names: [], entityIds: [alone.entityId], all: false })
  return { ...alone, fetched: [{ versionId, provider: alone.provider }] }
}

/** Null if a provider had no such record, or none with these fields, and another provider may have one. */
async function orLacking(fetching: Promise<ReadyRecord>, notes: FetchNotes): Promise<ReadyRecord | null> {
  try {
    return await fetching
  } catch (error) {
    if (error instanceof UncertainMiss && missed(notes.attempts).length > 0) return null
    throw error
  }
}

/** A provider counts as unfit if the served record contains nothing from it. */
function inSightOf(served: ReadyRecord | null, attempt: Attempt): Attempt {
  if (attempt.outcome !== 'found') return attempt
  const isServed = [served, ...(served?.fold?.fills ?? [])].some((part) => part?.provider === attempt.provider)
  return isServed ? attempt : { ...attempt, outcome: 'unfit' }
}

function missed(attempts: readonly Attempt[]): string[] {
  return attempts.flatMap(({ provider, outcome }) => (outcome === 'not_found' ? [provider] : []))
}

/**
 * No record was found, but without certainty: a substitute provider returned 404 while the preferred one is out, or no
 * provider accepts this key. An old copy may be served, and no copy is withdrawn.
 */
export class UncertainMiss extends ProviderFault {
  constructor() {
    super('unavailable', 'no authoritative provider could be asked')
  }
}

const misses: ReadonlySet<string> = new Set([
  'not_found',
  'required_fields_missing',
  'ambiguous_match',
  'identity_mismatch',
])

/** Whether a fetch found no record, certainly or not, or none with the required fields. */
export function isMiss(error: unknown): boolean {
  if (error instanceof Failure) return misses.has(error.code)
  return error instanceof UncertainMiss
}
