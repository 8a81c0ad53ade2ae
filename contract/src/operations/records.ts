import { CompanyMatches, Preflight, ResolveQuery } from '../account.ts'
import { CompanyHistoryQuery, ProfileHistoryQuery, RecordHistory } from '../records/history.ts'
import { CompanyProvenanceQuery, ProfileProvenanceQuery, RecordProvenance } from '../records/provenance.ts'
import { CompanyQuery, ProfileQuery } from '../queries.ts'
import { ofFetch } from './failures.ts'
import type { PublicRows } from './row.ts'

const people = { tag: 'People', kind: 'people' } as const
const companies = { tag: 'Companies', kind: 'companies' } as const

const preflight = {
  summary: 'Preview what a lookup would do and cost',
  description:
    'Takes the same parameters and headers as the lookup. Free; no provider is asked. For an identifier that was never looked up, the preview assumes that a record is found.',
  readsQuery: true,
  reads: ['Idempotency-Key', 'X-Spend-Tag', 'Cache-Control'],
  response: Preflight,
  example: {
    source: 'store',
    age_seconds: 7_200,
    price: 1,
    max_price: 1,
    refused: null,
    asks_provider: false,
  } satisfies Preflight,
} as const

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

const history = {
  summary: 'List the versions and changes of a record',
  description:
    'Lists the stored versions of the record that the environment received, and the changes between them. Free; no provider is asked. 404 if the environment has received no version of the record.',
  response: RecordHistory,
  example: exampleHistory,
  failures: ['not_found', 'credit_ceiling_reached'],
} as const

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

const provenance = {
  summary: 'Show which provider supplied each unit of a record, and when',
  description:
    'Lists every unit (field or section) of the version that the environment received, its provider and the time of its fetch. Free; no provider is asked. 404 if the environment has not received the record. Parts that the key may not see are left out.',
  response: RecordProvenance,
  example: exampleProvenance,
  failures: ['not_found', 'credit_ceiling_reached'],
} as const

const exampleMatches: CompanyMatches = {
  domain: 'tidewater.example',
  source: 'store',
  candidates: [
    {
      company_id: '900000000001',
      public_identifier: 'tidewater-instruments-example',
      name: 'Tidewater Instruments',
      matched: 'host',
    },
  ],
}

/** Facts about a record, and the price of a lookup. */
export const recordOperations = {
  preflightPersonProfile: {
    ...people,
    ...preflight,
    route: 'GET /v1/people/profile/preflight',
    query: ProfileQuery,
    failures: ['part_not_allowed'],
  },
  preflightCompanyDetails: {
    ...companies,
    ...preflight,
    route: 'GET /v1/companies/details/preflight',
    query: CompanyQuery,
    failures: [],
  },
  resolveCompany: {
    ...companies,
    route: 'GET /v1/companies/resolve',
    summary: 'Find the company that has its site at a domain',
    description:
      "Searches the store by the company's own site, then asks a provider that can search by domain. 404, at no cost, if no company is known. Takes `Idempotency-Key` and `X-Spend-Tag` as a lookup does.",
    spends: true,
    isPaid: true,
    query: ResolveQuery,
    response: CompanyMatches,
    example: exampleMatches,
    failures: ofFetch,
    reads: ['Idempotency-Key', 'X-Spend-Tag'],
    says: ['X-Data-Source', 'X-Credits-Charged', 'Idempotent-Replayed', 'X-Spend-Tag-Counted-As'],
  },
  getPersonHistory: { ...people, ...history, route: 'GET /v1/people/history', query: ProfileHistoryQuery },
  getCompanyHistory: { ...companies, ...history, route: 'GET /v1/companies/history', query: CompanyHistoryQuery },
  getPersonProvenance: { ...people, ...provenance, route: 'GET /v1/people/provenance', query: ProfileProvenanceQuery },
  getCompanyProvenance: {
    ...companies,
    ...provenance,
    route: 'GET /v1/companies/provenance',
    query: CompanyProvenanceQuery,
  },
} as const satisfies PublicRows
