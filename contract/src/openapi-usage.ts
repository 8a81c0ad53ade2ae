import type { TObject } from 'typebox'
import { CompanyHistoryQuery, ProfileHistoryQuery, RecordHistory } from './history.ts'
import { CompanyProvenanceQuery, ProfileProvenanceQuery, RecordProvenance } from './provenance.ts'
import { callerOperation } from './openapi-callers.ts'
import type { Json } from './openapi-schemas.ts'
import { Receipt, ReceiptPath, Usage, UsageQuery } from './usage.ts'

const exampleUsage: Usage = {
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-15T00:00:00.000Z',
  as_of: '2026-11-14T09:30:00.000Z',
  rows: [
    { day: '2026-11-13', tag: 'spring-campaign', calls: 120, credits: 96 },
    { day: '2026-11-14', tag: null, calls: 8, credits: 8 },
  ],
  total: { calls: 128, credits: 104 },
}

const exampleReceipt: Receipt = {
  request_id: '0198c0de-7a11-7000-8000-00000000beef',
  at: '2026-11-14T09:30:00.000Z',
  endpoint: 'people',
  status: 200,
  source: 'live',
  held: 1,
  charged: 1,
  price: { book: 0, lines: [{ line: 'line 7: people', credits: 1 }], less_than_held: [] },
  filled: [],
  reason: 'Fetched from mirror, because nothing is stored under this identifier.',
  providers: [{ name: 'mirror', outcome: 'found' }],
  spend_tag: 'spring-campaign',
}

const version = { provider: 'mirror', source_updated_at: null, thin: false }
const exampleHistory: RecordHistory = {
  kind: 'people',
  id: 'urn:li:member:100000001',
  versions: [
    {
      ...version,
      version: 41,
      fetched_at: '2026-11-14T09:30:00.000Z',
      changes: [{ kind: 'headline', path: 'headline', before: 'Chemist', after: 'Head of chemistry' }],
    },
    { ...version, version: 12, fetched_at: '2026-10-02T08:00:00.000Z', changes: [] },
  ],
  next: null,
}

const history = (operationId: 'getPersonHistory' | 'getCompanyHistory', tag: string, query: TObject) =>
  callerOperation({
    operationId,
    tag,
    summary: 'How did this record change?',
    description:
      'The versions that the environment was answered with, as long as they are kept, and what changed from one to the next. Free, and nobody is asked. 404 where the environment has none, whatever others have.',
    query,
    answer: { 'application/json': RecordHistory },
    example: exampleHistory,
  })

const exampleProvenance: RecordProvenance = {
  kind: 'people',
  id: 'urn:li:member:4711',
  units: [
    { unit: 'headline', provider: 'brightdata', fetched_at: '2026-11-14T09:30:00.000Z', filled: false },
    {
      unit: 'contact_info.email_address',
      provider: 'peopledatalabs',
      fetched_at: '2026-11-13T09:30:00.000Z',
      filled: true,
    },
  ],
}

const provenance = (operationId: 'getPersonProvenance' | 'getCompanyProvenance', tag: string, query: TObject) =>
  callerOperation({
    operationId,
    tag,
    summary: 'Which provider said what, and when?',
    description:
      'Lists every unit of the record that the environment was answered with, its provider and the time of its fetch. Free, and no provider is asked. 404 if the environment has no version of the record. Parts that the key may not see are left out.',
    query,
    answer: { 'application/json': RecordProvenance },
    example: exampleProvenance,
  })

/** What callers see of their own calls. All of it is free. */
export function usagePaths(): Json {
  return {
    '/v1/usage': {
      get: callerOperation({
        operationId: 'getUsage',
        tag: 'Account',
        summary: 'What did this environment call, and pay?',
        description:
          'Counts the calls of all live keys of the environment; credits add up to the ledger. At most 366 days. Free. With a test key: fictional figures.',
        query: UsageQuery,
        answer: { 'application/json': Usage },
        example: exampleUsage,
      }),
    },
    '/v1/receipts/{request_id}': {
      get: callerOperation({
        operationId: 'getReceipt',
        tag: 'Account',
        summary: 'What did this call cost, and why?',
        description:
          'Of a call of this environment that was answered, as long as the call log keeps it. Free. With a test key: its own calls, and the fictional `sample-receipt`.',
        path: ReceiptPath,
        answer: { 'application/json': Receipt },
        example: exampleReceipt,
      }),
    },
    '/v1/people/history': { get: history('getPersonHistory', 'People', ProfileHistoryQuery) },
    '/v1/companies/history': { get: history('getCompanyHistory', 'Companies', CompanyHistoryQuery) },
    '/v1/people/provenance': { get: provenance('getPersonProvenance', 'People', ProfileProvenanceQuery) },
    '/v1/companies/provenance': { get: provenance('getCompanyProvenance', 'Companies', CompanyProvenanceQuery) },
  }
}
