import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { contractCompany } from '../../../fake-provider/contract-company.ts'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import { BatchCaller } from '../../batches/batch-caller.ts'
import { startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'
import { callTool, connect } from '../../mcp/mcp-client.ts'

let service: TestService
let caller: TestCaller

beforeAll(async () => {
  service = await startTestService()
  const names = { first_name: 'Ottilie', last_name: 'Brackenridge' }
  service.upstream.people.set('ottilie', { ...contractPerson('ottilie'), ...names })
  const electric = { ...contractCompany('general-electric'), company_name: 'General Electric' }
  service.upstream.companies.set('general-electric', electric)
})
afterAll(() => service.close())
beforeEach(async () => void (caller = await service.newCaller(10, { daily_ceiling: 10 })))

/** The outcome of a call: `found`, or the code of its failure. */
type End = Promise<unknown>

const post = async (path: string, body: object): End => {
  const headers = { ApiKey: caller.key, 'content-type': 'application/json' }
  const { status, json } = await service.get(path, headers, 'POST', JSON.stringify(body))
  return status === 200 ? 'found' : json['code']
}

const get = async (path: string): End => {
  const { status, json } = await service.get(path, { ApiKey: caller.key })
  return status === 200 ? 'found' : json['code']
}

const row = async (one: object, kind = 'people'): End => {
  const batches = new BatchCaller(service.url, caller.key)
  const id = await batches.submit({ kind, ids: [one] })
  await batches.until(id)
  const [result] = await batches.results(id)
  return result?.error ?? result?.status
}

const tool = async (name: string, args: Record<string, unknown>): End => {
  const client = await connect(service.url, caller.key)
  const { isError, answer, text } = await callTool(client, name, args)
  await client.close()
  if (!isError) return 'found'
  const { code } = (answer['error'] ?? {}) as { code?: string }
  // Unknown arguments are refused with a text before the tool runs.
  return code ?? (/expect\.[a-z_]+/.test(text) ? 'invalid_request' : text)
}

const csv = async (header: string): End => {
  const batches = new BatchCaller(service.url, caller.key)
  const { status, json } = await batches.post(
    `id,${header}\nottilie,Quill\n`,
    { 'content-type': 'text/csv' },
    '?kind=people',
  )
  return status === 202 ? 'found' : json['code']
}

interface Way {
  right?: () => End
  wrong?: () => End
  /** A call with an unknown expectation. */
  unknown: () => End
}

const person = (last: string) => ({ profile_id: 'ottilie', last_name: last })
const ways: Record<string, Way> = {
  'the match of a person': {
    right: () => post('/v1/people/match', person('Brackenridge')),
    wrong: () => post('/v1/people/match', person('Zwetschgenbaum')),
    unknown: () => post('/v1/people/match?expect.lastname=Quill', person('Brackenridge')),
  },
  'the match of a company': {
    right: () => post('/v1/companies/match', { company_id: 'general-electric', name: 'General Electric' }),
    wrong: () => post('/v1/companies/match', { company_id: 'general-electric', name: 'General Motors' }),
    unknown: () => post('/v1/companies/match', { company_id: 'general-electric', 'expect.name': 'General Electric' }),
  },
  'the resolution of a domain, which expects nothing': {
    unknown: () => get('/v1/companies/resolve?domain=quill.example&expect.company_name=Quill'),
  },
  'the row of a batch': {
    right: () => row({ id: 'ottilie', expect: { last_name: 'Brackenridge' } }),
    wrong: () => row({ id: 'ottilie', expect: { last_name: 'Zwetschgenbaum' } }),
    unknown: () => row({ id: 'ottilie', expect: { lastname: 'Brackenridge' } }),
  },
  'the row of a batch that is a match': {
    right: () => row({ company_id: 'general-electric', name: 'General Electric' }, 'companies'),
    wrong: () => row({ company_id: 'general-electric', name: 'General Motors' }, 'companies'),
    unknown: () => row({ company_id: 'general-electric', 'expect.name': 'General Electric' }, 'companies'),
  },
  'the column of a batch': { unknown: () => csv('expect.lastname') },
  'the tool lookup_person': {
    right: () => tool('lookup_person', { profile_id: 'ottilie', 'expect.last_name': 'Brackenridge' }),
    wrong: () => tool('lookup_person', { profile_id: 'ottilie', 'expect.last_name': 'Zwetschgenbaum' }),
    unknown: () => tool('lookup_person', { profile_id: 'ottilie', 'expect.lastname': 'Brackenridge' }),
  },
  'the tool match_person': {
    right: () => tool('match_person', person('Brackenridge')),
    wrong: () => tool('match_person', person('Zwetschgenbaum')),
    unknown: () => tool('match_person', { ...person('Brackenridge'), 'expect.lastname': 'Brackenridge' }),
  },
  'the tool resolve_company': {
    unknown: () => tool('resolve_company', { domain: 'quill.example', 'expect.company_name': 'Quill' }),
  },
}

test.each(Object.entries(ways))(
  '%s serves the expected person, refuses others, and knows every expectation',
  async (_, way) => {
    const found = await (way.right ?? (async () => 'found'))()
    const paid = 10 - (await caller.balance())
    const refused = await (way.wrong ?? (async () => 'identity_mismatch'))()
    const unknown = await way.unknown()

    expect([found, refused, unknown]).toEqual(['found', 'identity_mismatch', 'invalid_request'])
    expect(10 - (await caller.balance())).toBe(paid)
  },
)
