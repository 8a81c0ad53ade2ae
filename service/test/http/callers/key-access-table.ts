/** Every kind of key that an object of another call may meet. */
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

/** What a key gets: the status with the code of a failure, or with the objects of acme/production that the answer shows. */
type Answers = Record<KeyKind, string>

interface Row {
  path: string
  body?: object
  answers: Answers
}

/** These never come as far as an object, whatever the route. */
const refused = {
  revoked: '401 revoked_api_key',
  expired: '401 expired_api_key',
  suspended: '403 project_suspended',
}

const absent = '404 not_found'
/** An object of the live keys: to keys of the other mode, and of other environments, it is as if there were none. */
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

/** A row for a call that is about nothing that another one made. */
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
const id = (name: string) => `{${name}}`
const idQuery = 'profile_id=person-of-table&include_contact_info=true'
const feed = 'company batch, company event, people batch, person event'
const recentChanges = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'recent_changes', arguments: { limit: 50 } },
}

/**
 * Every route for callers with every object that a call may have made, and what each kind of key gets. `{name}` stands for the
 * id of that object; a watch that is to be removed is made again for each key.
 */
export const keyAccessTable: Record<string, Row[]> = {
  'GET /v1/people/profile': [{ path: `/v1/people/profile?${idQuery}`, answers: same('200', { ...person, ...closed }) }],
  'GET /v1/people/profile/preflight': [
    { path: `/v1/people/profile/preflight?${idQuery}`, answers: same('200', person) },
  ],
  'GET /v1/companies/details': [
    { path: '/v1/companies/details?company_id=company-of-table', answers: same('200', closed) },
  ],
  'GET /v1/companies/details/preflight': [
    { path: '/v1/companies/details/preflight?company_id=company-of-table', answers: same('200') },
  ],
  'GET /v1/companies/resolve': [
    { path: '/v1/companies/resolve?domain=sample-not-found.example', answers: same('404 not_found', closed) },
  ],
  'POST /v1/people/match': [
    {
      path: '/v1/people/match',
      body: { email: 'sample-not-found@example.com', include_contact_info: true },
      answers: same('404 no_match', { ...closed, ...person }),
    },
  ],
  'POST /v1/people/match/preflight': [
    {
      path: '/v1/people/match/preflight',
      body: { email: 'sample-not-found@example.com', include_contact_info: true },
      answers: same('200', person),
    },
  ],
  'POST /v1/companies/match': [
    {
      path: '/v1/companies/match',
      body: { domain: 'sample-not-found.example' },
      answers: same('404 no_match', closed),
    },
  ],
  'GET /v1/account': [{ path: '/v1/account', answers: same('200') }],
  'GET /v1/usage': [{ path: '/v1/usage?by=day,tag,endpoint', answers: same('200') }],
  'GET /v1/receipts/:request_id': [
    {
      path: `/v1/receipts/${id('person receipt')}`,
      answers: { ...ofPeople('200 person receipt'), 'without parts': '200 person receipt' },
    },
    { path: `/v1/receipts/${id('company receipt')}`, answers: ofCompanies('200 company receipt') },
    { path: `/v1/receipts/${id('test receipt')}`, answers: ofTest('200 test receipt') },
  ],
  'GET /v1/people/history': [
    {
      path: '/v1/people/history?profile_id=watched-person',
      answers: { ...ofPeople('200 person event'), 'without parts': '200 person event', test: '200', ...closed },
    },
  ],
  'GET /v1/companies/history': [
    {
      path: '/v1/companies/history?company_id=watched-company',
      answers: { ...ofCompanies('200 company event'), test: '200', ...closed },
    },
  ],
  'GET /v1/people/provenance': [
    {
      path: '/v1/people/provenance?profile_id=watched-person',
      answers: { ...ofPeople('200 person event'), 'without parts': '200 person event', test: '200', ...closed },
    },
  ],
  'GET /v1/companies/provenance': [
    {
      path: '/v1/companies/provenance?company_id=watched-company',
      answers: { ...ofCompanies('200 company event'), test: '200', ...closed },
    },
  ],
  'POST /v1/batches': [
    {
      path: '/v1/batches',
      body: { kind: 'people', ids: ['person-of-table'], include_contact_info: true },
      answers: same('202', person),
    },
    { path: '/v1/batches', body: { kind: 'companies', ids: ['company-of-table'] }, answers: same('202') },
  ],
  'POST /v1/batches/preview': [
    {
      path: '/v1/batches/preview',
      body: { kind: 'people', ids: ['person-of-table'], include_contact_info: true },
      answers: same('200', person),
    },
    { path: '/v1/batches/preview', body: { kind: 'companies', ids: ['company-of-table'] }, answers: same('200') },
  ],
  'GET /v1/batches': [
    {
      path: '/v1/batches',
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
    { path: `/v1/batches?after=${id('people batch')}`, answers: ofPeople('200') },
  ],
  'GET /v1/batches/:id': [
    { path: `/v1/batches/${id('people batch')}`, answers: ofPeople('200 people batch') },
    { path: `/v1/batches/${id('company batch')}`, answers: ofCompanies('200 company batch') },
    { path: `/v1/batches/${id('test batch')}`, answers: ofTest('200 test batch') },
  ],
  'GET /v1/batches/:id/results': [
    { path: `/v1/batches/${id('people batch')}/results`, answers: { ...ofPeople('200 person'), ...closed } },
    { path: `/v1/batches/${id('company batch')}/results`, answers: { ...ofCompanies('200 company'), ...closed } },
    { path: `/v1/batches/${id('test batch')}/results`, answers: ofTest('200 person') },
  ],
  'POST /v1/batches/:id/cancel': [
    { path: `/v1/batches/${id('people batch')}/cancel`, answers: ofPeople('200 people batch') },
    { path: `/v1/batches/${id('company batch')}/cancel`, answers: ofCompanies('200 company batch') },
    { path: `/v1/batches/${id('test batch')}/cancel`, answers: ofTest('200 test batch') },
  ],
  'POST /v1/batches/:id/resume': [
    {
      path: `/v1/batches/${id('people batch')}/resume`,
      body: {},
      answers: { ...ofPeople('200 people batch'), ...closed },
    },
    {
      path: `/v1/batches/${id('company batch')}/resume`,
      body: {},
      answers: { ...ofCompanies('200 company batch'), ...closed },
    },
    { path: `/v1/batches/${id('test batch')}/resume`, body: {}, answers: ofTest('200 test batch') },
  ],
  'POST /v1/watches': [
    {
      path: '/v1/watches',
      body: { kind: 'people', id: 'watched-person' },
      answers: same('200 people watch', {
        test: '201',
        'companies only': '403 endpoint_not_allowed',
        'other environment': '201',
        'other project': '201',
      }),
    },
    {
      path: '/v1/watches',
      body: { kind: 'people', match: { email: 'sample-not-found@example.com' } },
      answers: same('404 no_match', { ...closed, 'companies only': '403 endpoint_not_allowed' }),
    },
  ],
  'GET /v1/watches': [
    {
      path: '/v1/watches',
      answers: same('200 company watch, people watch', {
        test: '200',
        'companies only': '200 company watch',
        'other environment': '200',
        'other project': '200',
      }),
    },
  ],
  'DELETE /v1/watches/:id': [
    {
      path: `/v1/watches/${id('fresh watch')}`,
      answers: {
        ...unreached,
        live: '200 fresh watch',
        'without parts': '200 fresh watch',
        'companies only': '403 endpoint_not_allowed',
        'ceiling of 0': '200 fresh watch',
      },
    },
  ],
  'GET /v1/events': [
    {
      path: '/v1/events',
      answers: same(`200 ${feed}`, {
        test: '200',
        'companies only': '200 company batch, company event',
        'ceiling of 0': '200 company batch, people batch',
        'other environment': '200',
        'other project': '200',
      }),
    },
  ],
  'POST /mcp': [
    {
      path: '/mcp',
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
