/** One call that both clients make, with Python's names. */
export interface Case {
  title: string
  key: 'test' | 'live' | 'unknown'
  method: string
  args: unknown[]
  options: Record<string, unknown>
  client?: Record<string, unknown>
  /** The expected failure; absent for a success. */
  code?: string
  /** The client refuses the call before sending anything. */
  refused?: true
}

const make = (
  method: string,
  args: unknown[],
  options: Record<string, unknown> = {},
  more: Partial<Case> = {},
): Case => ({
  title: `${method}(${args.map((each) => JSON.stringify(each)).join(', ')}${Object.keys(options).length > 0 ? `, ${JSON.stringify(options)}` : ''})${more.key === undefined ? '' : ` with ${more.key === 'unknown' ? 'an' : 'a'} ${more.key} key`}${more.code === undefined ? '' : ` fails: ${more.code}`}`,
  key: 'test',
  method,
  args,
  options,
  ...more,
})

const lookups: [method: string, ids: string[]][] = [
  ['people.profile', ['sample-promoted', 'sample-memorialized']],
  ['companies.details', ['sample-showcase', 'sample-auto-generated', 'sample-funded']],
]
const both = ['sample-stored', 'sample-stale', 'sample-sparse', 'sample-complete', 'ada-example', 'Ünïcode-näme']
const failing: Record<string, string> = {
  'sample-not-found': 'not_found',
  'sample-out-of-credits': 'out_of_credits',
  'sample-ceiling-reached': 'credit_ceiling_reached',
  'sample-forbidden': 'project_suspended',
  'sample-rate-limited': 'rate_limit_exceeded',
  'sample-upstream-down': 'upstream_unavailable',
}

const samples = lookups.flatMap(([method, own]) => [
  ...[...both, ...own].map((id) => make(method, [id])),
  ...Object.entries(failing).map(([id, code]) => make(method, [id], {}, { code })),
])

const identifiers = [
  ...[
    'https://www.linkedin.com/in/ada-example/',
    'linkedin.com/in/ada-example?trk=x',
    'https://de.linkedin.com/in/ada-example/details/experience/',
    'https://www.linkedin.com/in/%C3%BCn%C3%AFcode',
  ].map((id) => make('people.profile', [id])),
  ...[
    'https://www.linkedin.com/company/unreal-bridges/about/',
    'https://www.linkedin.com/school/unreal-school/',
    '4021',
    'booking.com',
  ].map((id) => make('companies.details', [id])),
  ...['https://example.org/in/ada', 'https://www.linkedin.com/jobs/1'].map((id) =>
    make('people.profile', [id], {}, { code: 'invalid_request' }),
  ),
  make('companies.details', ['https://www.linkedin.com/in/ada'], {}, { code: 'invalid_request' }),
  make('people.profile', ['a'.repeat(301)], {}, { code: 'invalid_request' }),
]

const options = [
  make('people.profile', ['sample-complete'], { include_contact_info: true }),
  make('people.profile', ['sample-complete'], { include_network_info: true }),
  make('people.profile', ['sample-complete'], { get_verification_details: true }),
  make('people.profile', ['sample-filled'], { include_contact_info: true }),
  make('people.profile', ['sample-sparse'], { include_contact_info: true, get_verification_details: true }),
  make('people.profile', ['ada-example'], { include_contact_info: false, bypass_cache: false }),
  ...[0, 0.5, 1, 7, 9_999, 1e-7, 2_000_000].map((max_age_days) =>
    make('people.profile', ['ada-example'], { max_age_days }),
  ),
  make('companies.details', ['unreal-bridges'], { bypass_cache: true }),
  make('people.profile', ['ada-example'], { fields: ['first_name', 'headline'] }),
  make('companies.details', ['unreal-bridges'], { fields: ['company_name'] }),
  make('people.profile', ['ada-example'], { fields: ['no_such_field'] }, { code: 'invalid_request' }),
  make('people.profile', ['sample-complete'], { require: ['experience.company_id'] }),
  make('people.profile', ['sample-sparse'], { require: ['headline'] }, { code: 'required_fields_missing' }),
  make(
    'companies.details',
    ['sample-sparse'],
    { require: ['staff_info.staff_count'] },
    { code: 'required_fields_missing' },
  ),
  make('people.profile', ['sample-stale'], { refuse_stale: true }, { code: 'upstream_unavailable' }),
  make('companies.details', ['sample-stale'], { refuse_stale: true }, { code: 'upstream_unavailable' }),
  make('companies.details', ['sample-stored'], { max_age_days: 1 }),
  make('people.profile', ['sample-complete'], { require: ['no_such_field'] }, { code: 'invalid_request' }),
  make('people.profile', ['sample-stored'], { only_stored: true }),
  make('people.profile', ['ada-example'], { spend_tag: 'spring-campaign' }),
  make('people.profile', ['ada-example'], { idempotency_key: 'order-7' }),
  make('people.profile', ['ada-example'], {}, { client: { spend_tag: 'everywhere' } }),
  make('people.profile', ['ada-example'], {}, { client: { max_credits: 0 } }),
]

const refusals = [
  make('people.profile', [''], {}, { refused: true }),
  make('people.profile', ['  '], {}, { refused: true }),
  make('companies.details', [''], {}, { refused: true }),
  make('people.profile', ['ada'], { max_age_days: -1 }, { refused: true }),
  make('people.profile', ['ada'], { idempotency_key: 'with space' }, { refused: true }),
  make('people.profile', ['ada'], { idempotency_key: '' }, { refused: true }),
  make('people.profile', ['ada'], { idempotency_key: 'x'.repeat(256) }, { refused: true }),
  make('people.profile', ['ada'], { spend_tag: 'with space' }, { refused: true }),
  make('companies.resolve', [''], {}, { refused: true }),
  make('people.profile', ['ada'], {}, { client: { max_retries: -1 }, refused: true }),
  make('people.profile', ['ada'], {}, { client: { max_credits: -1 }, refused: true }),
]

const free = [
  make('account', []),
  make('account', [], {}, { key: 'live' }),
  make('account', [], {}, { key: 'unknown', code: 'invalid_api_key' }),
  make('people.profile', ['ada-example'], {}, { key: 'unknown', code: 'invalid_api_key' }),
  make('companies.details', ['unreal-bridges'], {}, { key: 'unknown', code: 'invalid_api_key' }),
  ...['ada-example', 'sample-stored', 'sample-stale', 'sample-not-found'].map((id) => make('people.preflight', [id])),
  ...['unreal-bridges', 'sample-stored'].map((id) => make('companies.preflight', [id])),
  make('people.preflight', ['https://example.org/in/ada'], {}, { code: 'invalid_request' }),
  make('people.preflight', ['first-asked'], {}, { key: 'live' }),
  make('companies.resolve', ['unreal-bridges.example']),
  make('companies.resolve', ['https://www.unreal-bridges.example/about']),
  make('companies.resolve', ['not a domain'], {}, { code: 'invalid_request' }),
  make('usage', [], { from_: '2026-11-01', to: '2026-11-10', by: ['day', 'tag', 'endpoint'] }),
  make('usage', [], { to: '2026-11-10' }, { key: 'live' }),
  make('usage', [], { from_: 'yesterday' }, { code: 'invalid_request' }),
  make('receipt', ['sample-receipt']),
  make('receipt', ['no-such-call'], {}, { key: 'live', code: 'not_found' }),
  make('receipt', [''], {}, { refused: true }),
  make('people.history', ['sample-complete']),
  make('people.history', ['sample-complete'], { limit: 1 }),
  make('people.history', ['first-asked'], {}, { key: 'live', code: 'not_found' }),
  make('people.history', ['https://example.org/in/ada'], {}, { code: 'invalid_request' }),
  make('people.history', [' '], {}, { refused: true }),
  make('companies.history', ['sample-funded'], { before: 2 }),
  make('companies.history', ['first-company'], {}, { key: 'live', code: 'not_found' }),
  make('people.provenance', ['sample-filled']),
  make('people.provenance', ['first-asked'], {}, { key: 'live', code: 'not_found' }),
  make('people.provenance', [' '], {}, { refused: true }),
  make('companies.provenance', ['sample-complete']),
  make('companies.provenance', ['https://www.linkedin.com/in/ada'], {}, { code: 'invalid_request' }),
  make('events', []),
  make('events', [], { types: ['person.job_changed'] }),
  make('events', [], { types: ['no.such.type'] }, { code: 'invalid_request' }),
  make('watches.list', []),
  make('watches.create', ['people', 'ada-example'], { every_days: 7, note: 'champion' }),
  make('watches.create', ['companies', 'unreal-bridges']),
  make('watches.create', ['people', 'https://example.org/in/ada'], {}, { code: 'invalid_request' }),
  make('watches.create', ['people', 'ada-example'], { every_days: 0 }, { code: 'invalid_request' }),
  make('watches.create', ['people'], {
    match: { email: 'wanda-held@acme.example' },
    every_days: 30,
  }),
  make('watches.create', ['companies'], { match: { domain: 'unreal-bridges.example' } }),
  make('watches.create', ['people'], { match: { email: 'sample-not-found@example.com' } }, { code: 'no_match' }),
  make('watches.create', ['people'], {}, { code: 'invalid_request' }),
  make('watches.delete', ['no-such-watch'], {}, { code: 'not_found' }),
  make('batches.list', [], { limit: 1 }),
  make('batches.preview', ['people', ['sample-complete', 'no id']], {}),
  make('batches.preview', ['planets', ['ada-example']], {}, { code: 'invalid_request' }),
  make('batches.get', ['no-such-batch'], {}, { code: 'not_found' }),
  make('batches.get', ['../account'], {}, { code: 'not_found' }),
  make('batches.cancel', ['no-such-batch'], {}, { code: 'not_found' }),
  make('batches.resume', ['no-such-batch'], { max_credits: 5 }, { code: 'not_found' }),
  make('batches.results', ['no-such-batch'], {}, { code: 'not_found' }),
  make('batches.create', ['planets', ['ada-example']], {}, { code: 'invalid_request' }),
  make('batches.create', ['people', []], {}, { code: 'invalid_request' }),
  make('batches.create', ['people', ['ada-example']], { fields: ['no_such_field'] }, { code: 'invalid_request' }),
]

const live = [
  make('people.profile', ['first-asked'], {}, { key: 'live' }),
  make('people.profile', ['first-asked'], { only_stored: true }, { key: 'live' }),
  make('people.profile', ['never-asked'], { only_stored: true }, { key: 'live', code: 'not_stored' }),
  make('people.profile', ['nobody'], {}, { key: 'live', code: 'not_found' }),
  make('people.profile', ['first-asked'], { idempotency_key: 'same-1' }, { key: 'live' }),
  make('companies.details', ['first-company'], {}, { key: 'live' }),
  make('people.profile', ['first-asked'], {}, { key: 'live', client: { max_credits: 0 }, code: 'max_credits_reached' }),
  make('people.profile', ['first-asked'], {}, { key: 'live', client: { max_credits: 1 } }),
]

const matches = [
  make('people.match', [], { email: 'ada.quill@example.com' }),
  make('people.match', [], { email: 'ada.quill@example.com', fields: ['headline'], include_contact_info: true }),
  make('people.match', [], { phone: '+49 30 901820', max_age_days: 1, min_likelihood: 0.5 }),
  make('people.match', [], { name: 'Ada Quill', company_domain: 'tidewater.example' }),
  make('people.match', [], { first_name: 'Ada', last_name: 'Quill', company: 'Tidewater', location: 'Hamburg' }),
  make('people.match', [], { profile_id: 'sample-complete' }),
  make('people.match', [], { name: 'Ada Quill', company_id: 'unreal-bridges' }),
  make('people.match', [], { email: 'sample-not-found@example.com' }, { code: 'no_match' }),
  make('people.match', [], { email: 'sample-ambiguous@example.com' }, { code: 'ambiguous_match' }),
  make('people.match', [], { email: 'sample-mismatch@example.com' }, { code: 'identity_mismatch' }),
  make('people.match', [], { email: 'nobody' }, { code: 'invalid_request' }),
  make('people.match', [], { first_name: 'Ada' }, { code: 'invalid_request' }),
  make('people.match', [], { email: 'a@example.com', min_likelihood: 2 }, { code: 'invalid_request' }),
  make('people.match', [], { email: 'a@example.com' }, { key: 'unknown', code: 'invalid_api_key' }),
  make('people.match', [], { profile_id: 'first-asked' }, { key: 'live' }),
  make('people.match', [], { profile_id: 'first-asked', only_stored: true }, { key: 'live' }),
  make('companies.match', [], { domain: 'unreal-bridges.example', country: 'DE' }),
  make('companies.match', [], { name: 'Unreal Bridges', fields: ['company_name'] }),
  make('companies.match', [], { company_id: 'first-company' }, { key: 'live' }),
  make('companies.match', [], { domain: 'sample-not-found.example' }, { code: 'no_match' }),
  make('companies.match', [], { country: 'Germany', name: 'x' }, { code: 'invalid_request' }),
  make('companies.match', [], {}, { code: 'invalid_request' }),
  make('batches.preview', ['people', [{ email: 'a@example.com' }, { email: 'A@example.com', crm: 7 }, { id: 'ada' }]]),
  make('batches.create', ['people', ['ada']], { paths: ['no.such'] }, { code: 'invalid_request' }),
  make('batches.create', ['people', ['ada']], { require: ['contact_info'] }, { code: 'invalid_request' }),
]

/** Every call that both clients make against a real service, with the same outcome. */
export const cases: readonly Case[] = [
  ...samples,
  ...identifiers,
  ...options,
  ...refusals,
  ...free,
  ...live,
  ...matches,
]
