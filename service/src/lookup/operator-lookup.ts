import { knownState } from './answer-lookup.ts'
import { fetchOrFallBack, type Found } from './fetch/fetch-or-fall-back.ts'
import { planFreshness } from './freshness.ts'
import type { Lookup } from './lookup.ts'
import type { LookupDeps } from './deps.ts'
import { notFound, recallRecord } from './recall-record.ts'

/** Misses of operators are counted together, apart from those of every key. */
const operator = { keyId: 'operator', environmentId: 0, project: '', environment: '', route: null }

/** A lookup that nobody pays for: the same freshness rule, the same fetch, no ledger. */
export async function operatorLookup(deps: LookupDeps, lookup: Lookup): Promise<Found> {
  const known = await recallRecord(deps, lookup, null)
  if (known.suppressed) throw notFound()
  const plan = planFreshness(lookup.freshness, knownState(deps, lookup.name, known), deps.rules.freshness)
  if (plan.action === 'serve' && known.record) return { record: known.record, source: plan.source }
  if (plan.action !== 'fetch') throw notFound()
  return fetchOrFallBack(deps, { payer: operator, lookup }, plan.mayFallBack ? known.record : null)
}
