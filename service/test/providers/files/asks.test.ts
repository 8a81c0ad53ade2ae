import type { Kind } from '@vitae/contract'
import { expect, test } from 'vitest'
import type { Identifier, MatchInput } from '@vitae/provider'
import { askFor, scriptedSend } from '../scripted-send.ts'
import { providerOf } from '../golden/golden-answers.ts'

/** The request of an ask: method and URL, body, and the headers that differ between providers. */
async function sentFor(name: string, kind: Kind, type: Identifier['type'], value: string, match?: MatchInput) {
  const { send, requests } = scriptedSend({ status: 500, body: {} })
  const ask = askFor(kind, type, value)
  const asked = match ? { ...ask, identifier: { ...ask.identifier, match } } : ask
  await expect(providerOf(name).ask(asked, send)).rejects.toMatchObject({ kind: 'unavailable' })
  const [request] = requests
  if (!request) throw new Error('nothing was sent')
  const { method, url, body, headers } = request
  const { accept: _accept, 'content-type': _type, ...own } = headers
  return [`${method} ${decodeURIComponent(url.href)}`, body ? (JSON.parse(body) as unknown) : null, own]
}

const person = 'https://www.linkedin.com/in/wren'
const company = 'https://www.linkedin.com/company/ebb'
const sections = ['basic_profile', 'professional_network', 'social_handles', 'experience', 'education', 'skills']
const bearer = { authorization: 'Bearer secret-key' }
const key = { 'x-api-key': 'secret-key' }

test.each([
  [
    'fiberai',
    'people',
    'slug',
    ['POST https://api.fiber.ai/v1/linkedin-live-fetch/profile/single', { identifier: 'wren' }, key],
  ],
  [
    'fiberai',
    'companies',
    'slug',
    ['POST https://api.fiber.ai/v1/linkedin-live-fetch/company/single', { type: 'slug', value: 'ebb' }, key],
  ],
  ['apollo', 'people', 'slug', [`POST https://api.apollo.io/api/v1/people/match?linkedin_url=${person}`, null, key]],
  ['apollo', 'companies', 'domain', ['GET https://api.apollo.io/api/v1/organizations/enrich?domain=ebb', null, key]],
  [
    'fullenrich',
    'people',
    'slug',
    ['POST https://app.fullenrich.com/api/v2/people/lookup', { person_professional_network_url: person }, bearer],
  ],
  [
    'fullenrich',
    'companies',
    'domain',
    ['POST https://app.fullenrich.com/api/v2/company/lookup', { domain: 'ebb' }, bearer],
  ],
  [
    'icypeas',
    'people',
    'slug',
    [`GET https://app.icypeas.com/api/scrape/profile?url=${person}`, null, { authorization: 'secret-key' }],
  ],
  [
    'icypeas',
    'companies',
    'slug',
    [`GET https://app.icypeas.com/api/scrape/company?url=${company}`, null, { authorization: 'secret-key' }],
  ],
  [
    'leadmagic',
    'people',
    'slug',
    ['POST https://api.leadmagic.io/v1/people/profile-search', { profile_url: person, extended_response: true }, key],
  ],
  [
    'leadmagic',
    'companies',
    'domain',
    ['POST https://api.leadmagic.io/v1/companies/company-search', { company_domain: 'ebb' }, key],
  ],
  [
    'freshdata',
    'people',
    'slug',
    [
      `GET https://fresh-linkedin-profile-data.p.rapidapi.com/enrich-lead?linkedin_url=${person}`,
      null,
      { 'x-rapidapi-host': 'fresh-linkedin-profile-data.p.rapidapi.com', 'x-rapidapi-key': 'secret-key' },
    ],
  ],
  [
    'crustdata',
    'people',
    'slug',
    [
      'POST https://api.crustdata.com/person/enrich',
      { professional_network_profile_urls: [person], fields: sections },
      { ...bearer, 'x-api-version': '2025-11-01' },
    ],
  ],
  [
    'crustdata',
    'companies',
    'domain',
    [
      'POST https://api.crustdata.com/company/enrich',
      { domains: ['ebb'], fields: ['basic_info', 'headcount', 'funding', 'taxonomy', 'followers'] },
      { ...bearer, 'x-api-version': '2025-11-01' },
    ],
  ],
  [
    'contactout',
    'people',
    'slug',
    [
      `GET https://api.contactout.com/v1/linkedin/enrich?profile=${person}`,
      null,
      { authorization: 'basic', token: 'secret-key' },
    ],
  ],
  [
    'contactout',
    'companies',
    'domain',
    [
      'POST https://api.contactout.com/v1/domain/enrich',
      { domains: ['ebb'] },
      { authorization: 'basic', token: 'secret-key' },
    ],
  ],
  ['hunter', 'companies', 'domain', ['GET https://api.hunter.io/v2/companies/find?domain=ebb', null, key]],
] as const)('%s is asked for %s by %s as its vendor documents', async (name, kind, type, expected) => {
  expect(await sentFor(name, kind, type, kind === 'people' ? 'wren' : 'ebb')).toEqual(expected)
})

test.each([
  [
    'fiberai',
    { email: 'w@ebb.example' },
    'POST https://api.fiber.ai/v1/kitchen-sink/person',
    { emailAddress: 'w@ebb.example', numProfiles: 1, liveFetch: false },
  ],
  [
    'fiberai',
    { name: 'Wren', company_domain: 'ebb.example' },
    'POST https://api.fiber.ai/v1/kitchen-sink/person',
    { personName: { value: 'Wren' }, companyDomain: { value: 'ebb.example' }, numProfiles: 1, liveFetch: false },
  ],
  [
    'apollo',
    { name: 'Wren', company: 'Ebb' },
    'POST https://api.apollo.io/api/v1/people/match?name=Wren&organization_name=Ebb',
    null,
  ],
  [
    'fullenrich',
    { name: 'Wren', company_domain: 'ebb.example' },
    'POST https://app.fullenrich.com/api/v2/people/lookup',
    { person_name: 'Wren', company_domain: 'ebb.example' },
  ],
  [
    'crustdata',
    { email: 'w@ebb.example' },
    'POST https://api.crustdata.com/person/enrich',
    { business_emails: ['w@ebb.example'], fields: sections },
  ],
  [
    'contactout',
    { email: 'w@ebb.example' },
    'GET https://api.contactout.com/v1/email/enrich?email=w@ebb.example',
    null,
  ],
] as const)('%s is asked for a person by %j', async (name, match, address, body) => {
  expect((await sentFor(name, 'people', 'match', 'hash', match as MatchInput)).slice(0, 2)).toEqual([address, body])
})

const found = (cost: number | null) => ({ outcome: 'found', cost })
const missed = (cost: number | null) => ({ outcome: 'not_found', cost })
const [badKey, noCredits] = [{ kind: 'rejected', reason: 'HTTP 401' }, { kind: 'rejected' }]
const [limited, invalid] = [{ kind: 'limited' }, { kind: 'invalid' }]
const [people, companies] = ['people', 'companies'] as const

test.each([
  [
    'fiberai',
    people,
    200,
    { output: { found: true, profile: { user_id: '1' } }, chargeInfo: { creditsCharged: 2 } },
    found(2),
  ],
  ['fiberai', people, 200, { output: { found: false, profile: null }, chargeInfo: { creditsCharged: 0 } }, missed(0)],
  ['fiberai', people, 200, { output: { data: [] } }, missed(null)],
  ['fiberai', companies, 200, { output: { company: null, isCached404: true } }, missed(null)],
  ['fiberai', people, 200, { output: {} }, invalid],
  ['fiberai', people, 402, {}, noCredits],
  ['apollo', people, 200, { person: { id: 'a' } }, found(1)],
  ['apollo', people, 200, { person: null }, missed(0)],
  ['apollo', companies, 200, {}, missed(0)],
  ['apollo', people, 200, { error: 'Something went wrong' }, invalid],
  ['apollo', people, 401, 'Invalid API key.', badKey],
  [
    'apollo',
    companies,
    403,
    { error: 'No scope', error_code: 'API_INACCESSIBLE' },
    { kind: 'rejected', reason: 'HTTP 403' },
  ],
  ['apollo', companies, 422, { error: "Required parameter 'domain' missing" }, invalid],
  ['apollo', people, 429, { message: 'The maximum number of api calls' }, limited],
  ['fullenrich', people, 200, { people: [{ id: 'a' }], metadata: { credits: 0.25 } }, found(0.25)],
  ['fullenrich', people, 200, { people: [], metadata: { credits: 0 } }, missed(0)],
  ['fullenrich', companies, 200, { companies: [] }, missed(0)],
  ['fullenrich', people, 401, { code: 'error.api.key' }, badKey],
  ['fullenrich', people, 429, { code: 'error.rate.limit' }, limited],
  ['icypeas', people, 200, { success: true, status: 'FOUND', result: { lid: 'a' } }, found(1.5)],
  ['icypeas', companies, 200, { success: true, status: 'FOUND', result: { lid: 'a' } }, found(0.5)],
  ['icypeas', people, 200, { success: true, status: 'NOT_FOUND', result: null }, missed(0)],
  ['icypeas', people, 200, { success: true, status: 'FOUND', result: { lid: 'a', deleted: true } }, missed(0)],
  ['icypeas', people, 200, { success: false, validationErrors: [] }, invalid],
  ['icypeas', people, 401, {}, badKey],
  ['leadmagic', people, 200, { first_name: 'Wren', credits_consumed: 1 }, found(1)],
  ['leadmagic', people, 200, { message: 'Profile not found.', credits_consumed: 0 }, missed(0)],
  ['leadmagic', companies, 404, { message: 'Company not found.' }, missed(0)],
  ['leadmagic', people, 402, { message: 'No credits' }, noCredits],
  ['leadmagic', people, 401, { message: 'Invalid key' }, badKey],
  [
    'leadmagic',
    people,
    429,
    { message: 'Slow down' },
    { kind: 'limited', retryAfterSeconds: 9 },
    { 'RateLimit-Reset': '9' },
  ],
  ['freshdata', people, 200, { data: { public_id: 'a' }, message: 'ok' }, found(1)],
  ['freshdata', people, 404, { message: 'Profile not found' }, missed(null)],
  ['freshdata', people, 404, { message: "Endpoint '/enrich-lead' does not exist" }, invalid],
  [
    'freshdata',
    people,
    403,
    { message: 'You are not subscribed to this API.' },
    { kind: 'rejected', reason: 'HTTP 403' },
  ],
  ['freshdata', people, 429, {}, { kind: 'limited', retryAfterSeconds: 60 }, { 'x-ratelimit-requests-reset': '60' }],
  ['crustdata', people, 200, [{ matches: [{ person_data: {} }] }], found(1)],
  ['crustdata', companies, 200, { results: [{ matches: [{ company_data: {} }] }] }, found(2)],
  ['crustdata', people, 200, [{ matched_on: 'x', matches: [] }], missed(0)],
  ['crustdata', companies, 200, { results: [{ matches: [] }] }, missed(0)],
  ['crustdata', people, 200, [], invalid],
  ['crustdata', people, 401, {}, badKey],
  ['crustdata', people, 403, {}, { kind: 'rejected', reason: 'no credits, HTTP 403' }],
  ['crustdata', people, 429, {}, limited],
  ['contactout', people, 200, { status_code: 200, profile: { url: 'x' } }, found(1)],
  ['contactout', people, 200, { status_code: 200, profile: [] }, missed(0)],
  ['contactout', people, 200, { status_code: 404, message: 'Not Found' }, missed(0)],
  ['contactout', people, 404, { status_code: 404, message: 'Not Found' }, missed(0)],
  ['contactout', companies, 200, { status_code: 200, companies: [{ 'ebb.example': {} }] }, found(0)],
  ['contactout', companies, 200, { status_code: 200, companies: [] }, missed(0)],
  ['contactout', people, 401, {}, badKey],
  ['hunter', companies, 200, { data: { id: 'a' }, meta: {} }, found(0.2)],
  ['hunter', companies, 404, { errors: [{ id: 'not_found' }] }, missed(0)],
  ['hunter', companies, 451, { errors: [] }, missed(0)],
  ['hunter', companies, 401, { errors: [] }, badKey],
  ['hunter', companies, 403, { errors: [] }, limited],
  ['hunter', companies, 429, { errors: [] }, { kind: 'rejected', reason: 'no credits, HTTP 429' }],
] as [string, Kind, number, unknown, object, Record<string, string>?][])(
  '%s for %s: %i %j is what its vendor means',
  async (name, kind, status, body, expected, headers = {}) => {
    const type = kind === 'companies' && ['contactout', 'hunter'].includes(name) ? 'domain' : 'slug'
    const { send } = scriptedSend({ status, body, headers })

    const outcome = await providerOf(name)
      .ask(askFor(kind, type, 'ebb'), send)
      .catch((error: unknown) => error)

    expect(outcome).toMatchObject(expected)
  },
)
