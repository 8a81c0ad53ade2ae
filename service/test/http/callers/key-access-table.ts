import type { KeyOperation } from '../../harness/key-operations.ts'

/** Every kind of key that may access an object of another call. */
export const keyKinds = [
  'live',
  'test',
  'without parts',
  'companies only',
  'ceiling of 0',
  'revoked',
  'expired',
  'suspended',
  'other environment',
  'other project',
] as const
export type KeyKind = (typeof keyKinds)[number]

/** The result for a key: the status with a failure code, or with the visible objects of acme/production. */
type Answers = Record<KeyKind, string>

interface Row {
  /** The object whose id is in the path. */
  of?: string
  query?: string
  body?: object
  answers: Answers
}

/** These keys never reach an object, on any route. */
const refused = {
  revoked: '401 revoked_api_key',
  expired: '401 expired_api_key',
  suspended: '403 project_suspended',
}

const absent = '404 not_found'
/** An object of live keys does not exist for keys of the other mode or of other environments. */
const unreached = { ...refused, test: absent, 'other environment': absent, 'other project': absent }

/** A row for an object of people with contact details. */
const ofPeople = (live: string): Answers => ({
  ...unreached,
  live,
  'without parts': '403 part_not_allowed',
  'companies only': '403 endpoint_not_allowed',
  'ceiling of 0': live,
})

/** A row for an object of companies. */
const ofCompanies = (live: string): Answers => ({
  ...unreached,
  live,
  'without parts': live,
  'companies only': live,
  'ceiling of 0': live,
})

/** A row for an object of a test key. */
const ofTest = (test: string): Answers => ({
  ...unreached,
  live: absent,
  test,
  'without parts': absent,
  'companies only': absent,
  'ceiling of 0': absent,
})

const closed = { 'ceiling of 0': '402 credit_ceiling_reached' }

/** A row for a call that uses no other call's object. */
const same = (answer: string, but: Partial<Answers> = {}): Answers => ({
  ...refused,
  live: answer,
  test: answer,
  'without parts': answer,
  'companies only': answer,
  'ceiling of 0': answer,
  'other environment': answer,
  'other project': answer,
  ...but,
})

const person = { 'without parts': '403 part_not_allowed', 'companies only': '403 endpoint_not_allowed' }
const idQuery = 'profile_id=person-of-table&include_contact_info=true'
const feed = 'company batch, company event, people batch, person event'
const recentChanges = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'recent_changes', arguments: { limit: 50 } },
}

/**
 * Every caller operation with every object that a call may have created, and the result for each kind of key. `{name}`
 * in a query is replaced by the id of that object. A watch to remove is created again for each key.
 */
export const keyAccessTable: Record<KeyOperation, Row[]> = {
  getPersonProfile: [{ query: idQuery, answers: same('200', { ...person, ...closed }) }],
  preflightPersonProfile: [{ query: idQuery, answers: same('200', person) }],
  getCompanyDetails: [{ query: 'company_id=company-of-table', answers: same('200', closed) }],
  preflightCompanyDetails: [{ query: 'company_id=company-of-table', answers: same('200') }],
  resolveCompany: [{ query: 'domain=sample-not-found.example', answers: same('404 not_found', closed) }],
  matchPerson: [
    {
      body: { email: 'sample-not-found@example.com', include_contact_info: true },
      answers: same('404 no_match', { ...closed, ...person }),
    },
  ],
  preflightPersonMatch: [
    {
      body: { email: 'sample-not-found@example.com', include_contact_info: true },
      answers: same('200', person),
    },
  ],
  matchCompany: [
    {
      body: { domain: 'sample-not-found.example' },
      answers: same('404 no_match', closed),
    },
  ],
  getAccount: [{ answers: same('200') }],
  getUsage: [{ query: 'by=day,tag,endpoint', answers: same('200') }],
  getStatement: [{ answers: same('200') }],
  getReceipt: [
    {
      of: 'person receipt',
      answers: { ...ofPeople('200 person receipt'), 'without parts': '200 person receipt' },
    },
    { of: 'company receipt', answers: ofCompanies('200 company receipt') },
    { of: 'test receipt', answers: ofTest('200 test receipt') },
  ],
  getPersonHistory: [
    {
      query: 'profile_id=watched-person',
      answers: { ...ofPeople('200 person event'), 'without parts': '200 person event', test: '200', ...closed },
    },
  ],
  getCompanyHistory: [
    {
      query: 'company_id=watched-company',
      answers: { ...ofCompanies('200 company event'), test: '200', ...closed },
    },
  ],
  getPersonProvenance: [
    {
      query: 'profile_id=watched-person',
      answers: { ...ofPeople('200 person event'), 'without parts': '200 person event', test: '200', ...closed },
    },
  ],
  getCompanyProvenance: [
    {
      query: 'company_id=watched-company',
      answers: { ...ofCompanies('200 company event'), test: '200', ...closed },
    },
  ],
  submitBatch: [
    {
      body: { kind: 'people', ids: ['person-of-table'], include_contact_info: true },
      answers: same('202', person),
    },
    { body: { kind: 'companies', ids: ['company-of-table'] }, answers: same('202') },
  ],
  previewBatch: [
    {
      body: { kind: 'people', ids: ['person-of-table'], include_contact_info: true },
      answers: same('200', person),
    },
    { body: { kind: 'companies', ids: ['company-of-table'] }, answers: same('200') },
  ],
  listBatches: [
    {
      answers: {
        ...refused,
        live: '200 company batch, people batch',
        test: '200 test batch',
        'without parts': '200 company batch',
        'companies only': '200 company batch',
        'ceiling of 0': '200 company batch, people batch',
        'other environment': '200',
        'other project': '200',
      },
    },
    { query: 'after={people batch}', answers: ofPeople('200') },
  ],
  getBatch: [
    { of: 'people batch', answers: ofPeople('200 people batch') },
    { of: 'company batch', answers: ofCompanies('200 company batch') },
    { of: 'test batch', answers: ofTest('200 test batch') },
  ],
  getBatchResults: [
    { of: 'people batch', answers: { ...ofPeople('200 person'), ...closed } },
    { of: 'company batch', answers: { ...ofCompanies('200 company'), ...closed } },
    { of: 'test batch', answers: ofTest('200 person') },
  ],
  cancelBatch: [
    { of: 'people batch', answers: ofPeople('200 people batch') },
    { of: 'company batch', answers: ofCompanies('200 company batch') },
    { of: 'test batch', answers: ofTest('200 test batch') },
  ],
  resumeBatch: [
    {
      of: 'people batch',
      body: {},
      answers: { ...ofPeople('200 people batch'), ...closed },
    },
    {
      of: 'company batch',
      body: {},
      answers: { ...ofCompanies('200 company batch'), ...closed },
    },
    { of: 'test batch', body: {}, answers: ofTest('200 test batch') },
  ],
  createWatch: [
    {
      body: { kind: 'people', id: 'watched-person' },
      answers: same('200 people watch', {
        test: '201',
        'companies only': '403 endpoint_not_allowed',
        'other environment': '201',
        'other project': '201',
      }),
    },
    {
      body: { kind: 'people', match: { email: 'sample-not-found@example.com' } },
      answers: same('404 no_match', { ...closed, 'companies only': '403 endpoint_not_allowed' }),
    },
  ],
  listWatches: [
    {
      answers: same('200 company watch, people watch', {
        test: '200',
        'companies only': '200 company watch',
        'other environment': '200',
        'other project': '200',
      }),
    },
  ],
  deleteWatch: [
    {
      of: 'fresh watch',
      answers: {
        ...unreached,
        live: '200 fresh watch',
        'without parts': '200 fresh watch',
        'companies only': '403 endpoint_not_allowed',
        'ceiling of 0': '200 fresh watch',
      },
    },
  ],
  listRecordChanges: [{ answers: same('200') }],
  listEvents: [
    {
      answers: same(`200 ${feed}`, {
        test: '200',
        'companies only': '200 company batch, company event',
        'ceiling of 0': '200 company batch, people batch',
        'other environment': '200',
        'other project': '200',
      }),
    },
  ],
  mcp: [
    {
      body: recentChanges,
      answers: same('200 company event, person event', {
        test: '200',
        'companies only': '200 company event',
        'ceiling of 0': '200',
        'other environment': '200',
        'other project': '200',
      }),
    },
  ],
}
