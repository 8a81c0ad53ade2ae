import type { RecordStore } from '../records/operations.ts'
import { type Company, type Kind, type Person, type RecordProvenance, units } from '@vitae/contract'
import { type Caller, mayNotBuy } from '../accounts/caller.ts'
import { Failure, plainFailure } from '../foundation/failure.ts'
import type { Identifier } from '../foundation/identifier.ts'
import { answerSample } from '../lookup/answer-sample.ts'
import { withinAge } from '../lookup/recall/applicable-fills.ts'
import type { LookupDeps } from '../lookup/payment/deps.ts'
import { newLookup, type Filled } from '../lookup/asked/lookup.ts'
import { mostFor } from '../lookup/payment/pay.ts'
import { readOnRoute, recallOnRoute } from '../lookup/recall/recall-record.ts'
import type { ReadyRecord } from '../lookup/recall/record-cache.ts'
import { recordIn } from '../records/body/rewrite-record.ts'
import { filledUnit } from '../records/filling/plan-fills.ts'
import { hasUnit } from '../records/filling/unit-states.ts'

const usualFreshness = { maxAgeDays: null, bypassCache: false }

interface Deps {
  lookup: LookupDeps
  store: { records: Pick<RecordStore, 'paidVersions'> }
}

/** Returns the provider of each unit of a record that the environment received. Test keys get samples. */
export async function provenanceOf(deps: Deps, caller: Caller, identifier: Identifier): Promise<RecordProvenance> {
  const { kind } = identifier
  if (caller.mode === 'test') return sampleProvenance(deps, caller, identifier)
  // As in the history, a key that cannot afford a record is refused.
  if (mayNotBuy(caller, mostFor(deps.lookup, caller, kind))) throw plainFailure('credit_ceiling_reached')
  const served = await answeredRecord(deps, caller, identifier)
  if (!served) throw new Failure('not_found', { detail: 'Your environment has no version of such a record.' })
  const record = withinAge(deps.lookup, served, usualFreshness)
  return provenanceIn(kind, caller, recordIn(record.body), { base: record, fills: record.fold?.fills ?? [] })
}

/** The newest version that the environment received, or null. */
async function answeredRecord(deps: Deps, caller: Caller, identifier: Identifier): Promise<ReadyRecord | null> {
  const { record } = await recallOnRoute(deps.lookup, identifier, caller.route)
  if (!record) return null
  const { entityId } = record
  const paid = await deps.store.records.paidVersions({
    entityId,
    environmentId: caller.environmentId,
    before: null,
    limit: 20,
  })
  if (paid.versions.some(({ versionId }) => versionId === record.versionId)) return record
  const [newest] = paid.versions
  return newest ? readOnRoute(deps.lookup, identifier.kind, newest.versionId, caller.route) : null
}

function sampleProvenance(deps: Deps, caller: Caller, identifier: Identifier): RecordProvenance {
  const include = { contact: true, network: true, verifications: true }
  const asked = newLookup({ requestId: '', startedAt: deps.lookup.clock.now(), identifier, include })
  const { body, fetchedAt, filled = [] } = answerSample(deps.lookup, asked)
  const base = { provider: 'sample', fetchedAt }
  return provenanceIn(identifier.kind, caller, recordIn(body.toBuffer()), { base, fills: filled })
}

function provenanceIn(
  kind: Kind,
  { parts }: Caller,
  record: Person & Company,
  { base, fills }: { base: Pick<Filled, 'provider' | 'fetchedAt'>; fills: readonly Filled[] },
): RecordProvenance {
  const seen = units[kind].filter(({ name, part }) => hasUnit(record, name) && (!part || !parts || parts.has(part)))
  return {
    kind,
    id: (kind === 'people' ? record.member_urn : record.company_id) ?? '',
    units: seen.map(({ name }) => {
      const fill = fills.find(({ unit }) => unit === name)
      return { ...filledUnit(fill ?? { ...base, unit: name }), filled: fill !== undefined }
    }),
  }
}
