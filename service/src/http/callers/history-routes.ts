import {
  CompanyHistoryQuery,
  type Company,
  type HistoryVersion,
  type Kind,
  type Person,
  ProfileHistoryQuery,
  type RecordHistory,
} from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../accounts/key-cache.ts'
import { mayNotBuy } from '../../accounts/key-rights.ts'
import { mostFor } from '../../lookup/pay.ts'
import { Failure, plainFailure } from '../../foundation/failure.ts'
import type { Identifier } from '../../foundation/identifier.ts'
import { recallStored } from '../../lookup/recall-record.ts'
import { diffRecords } from '../../records/changes/diff-records.ts'
import { isNotified } from '../../records/changes/notify-watchers.ts'
import { parseIdentifier } from '../../records/identifiers/parse-identifier.ts'
import type { VersionFacts } from '../../records/versions/history.ts'
import { sampleHistory } from '../../watches/sample-watches.ts'
import type { AppDeps } from '../deps.ts'
import { callerRoute } from './caller-route.ts'
import { isoTime } from '../../foundation/clock.ts'

const usualLimit = 20
const absent = 'Your environment has no version of such a record.'

interface Page {
  before: number | null
  limit: number
}

/** How records changed, in the versions that the caller's environment was answered with. Test keys get samples. */
export function historyRoutes(app: FastifyInstance, deps: AppDeps): void {
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/people/history',
    kind: 'people',
    query: ProfileHistoryQuery,
    handle: ({ caller, query: { profile_id: id, before = null, limit = usualLimit } }) =>
      historyOf(deps, caller, parseIdentifier('people', id, deps.platformHosts), { before, limit }),
  })
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/companies/history',
    kind: 'companies',
    query: CompanyHistoryQuery,
    handle: ({ caller, query: { company_id: id, before = null, limit = usualLimit } }) =>
      historyOf(deps, caller, parseIdentifier('companies', id, deps.platformHosts), { before, limit }),
  })
}

async function historyOf(deps: AppDeps, caller: Caller, identifier: Identifier, page: Page): Promise<RecordHistory> {
  const { kind } = identifier
  if (caller.mode === 'test') return sampleHistory(deps.lookup, identifier, page)
  // A change holds a part of the record: it is closed to a key that can buy none.
  if (mayNotBuy(caller, mostFor(deps.lookup, caller, kind))) throw plainFailure('credit_ceiling_reached')
  const { record } = await recallStored(deps.lookup, identifier)
  if (!record) throw new Failure('not_found', { detail: absent })
  const { entityId } = record
  const asked = { entityId, environmentId: caller.environmentId, before: page.before, limit: page.limit + 1 }
  const { key, versions } = await deps.store.paidVersions(asked)
  if (key === null) throw new Failure('not_found', { detail: absent })
  const shown = versions.slice(0, page.limit)
  return {
    kind,
    id: key,
    versions: await withChanges(deps, kind, versions, shown.length),
    next: versions.length > page.limit ? (shown.at(-1)?.versionId ?? null) : null,
  }
}

/** Each version with what differs from the one below it; two bodies are held at a time. */
async function withChanges(
  { store }: AppDeps,
  kind: Kind,
  versions: readonly VersionFacts[],
  count: number,
): Promise<HistoryVersion[]> {
  const side = async ({ versionId, provider, thin }: VersionFacts) => {
    const version = await store.versionBody({ versionId })
    // Written by serialiseRecord for this kind.
    return version && { record: JSON.parse(Buffer.from(version.body).toString()) as Person & Company, provider, thin }
  }
  const shown: HistoryVersion[] = []
  let after = versions[0] ? await side(versions[0]) : null
  for (const [index, version] of versions.slice(0, count).entries()) {
    const older = versions[index + 1]
    const before = older ? await side(older) : null
    const changes = before && after ? diffRecords(kind, before, after).filter(isNotified) : []
    shown.push({ ...versionView(version), changes })
    after = before
  }
  return shown
}

function versionView({ versionId, provider, fetchedAt, sourceUpdatedAt, thin }: VersionFacts) {
  return {
    version: versionId,
    provider,
    fetched_at: isoTime(fetchedAt),
    source_updated_at: isoTime(sourceUpdatedAt),
    thin,
  }
}
