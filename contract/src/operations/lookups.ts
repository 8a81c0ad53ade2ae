import { onRecord } from '../headers.ts'
import { recordOrFields } from '../openapi/schemas.ts'
import { CompanyQuery, ProfileQuery } from '../queries.ts'
import { exampleCompany, examplePerson } from './example-records.ts'
import { ofLookup } from './failures.ts'
import type { PublicRows } from './row.ts'

const lookup = {
  spends: true,
  isPaid: true,
  readsQuery: true,
  reads: ['Idempotency-Key', 'X-Spend-Tag', 'Cache-Control'],
  says: onRecord,
} as const

/** The two lookups, which the service serves on its fast path. */
export const lookupOperations = {
  getPersonProfile: {
    ...lookup,
    route: 'GET /v1/people/profile',
    tag: 'People',
    summary: 'Look up one person',
    description: 'Returns one person record. Optional parts are null unless the call asks for them.',
    kind: 'people',
    query: ProfileQuery,
    response: recordOrFields('Person'),
    example: examplePerson,
    failures: ['part_not_allowed', ...ofLookup],
  },
  getCompanyDetails: {
    ...lookup,
    route: 'GET /v1/companies/details',
    tag: 'Companies',
    summary: 'Look up one company',
    description: 'Returns one company record. A field is null if the provider does not supply it.',
    kind: 'companies',
    query: CompanyQuery,
    response: recordOrFields('Company'),
    example: exampleCompany,
    failures: ofLookup,
  },
} as const satisfies PublicRows
