import { knownState } from './answer-lookup.ts'
import { fetchOrFallBack, type Found } from './fetch/fetch-or-fall-back.ts'
import { planFreshness } from './freshness.ts'
import type { Lookup } from './lookup.ts'
import type { LookupDeps } from './deps.ts'
import { notFound, recallRecord } from './recall-record.ts'

/** Misses of operators share one counter, separate from those of keys. */
const operator = { keyId: 'operator', environmentId: 0, project: '', environment: '', route: null }

/** A lookup without a charge: the same freshness rule and fetch, but no ledger. */
export async function operatorLookup(deps: LookupDeps, lookup: Lookup): Promise<Found> {
  const known = await recallRecord(deps, lookup, null)
  if (known.suppressed) throw notFound()
  const plan = planFreshness(lookup.freshness, knownState(deps, lookup.name, known), deps.rules.freshness)
  if (plan.action === 'serve' && known.record) return { record: known.record, source: plan.source }
  if (plan.action !== 'fetch') throw notFound()
  return fetchOrFallBack(deps, { payer: operator, lookup }, plan.mayFallBack ? known.record : null)
}
