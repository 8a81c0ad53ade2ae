import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contractCompany } from '../../fake-provider/contract-company.ts'
import { contractPerson } from '../../fake-provider/contract-person.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { expectRecord } from './provenance.ts'
import { goodPerson, ScriptedUpstream } from '../harness/scripted-provider.ts'

const parts = '&include_network_info=true&include_contact_info=true&get_verification_details=true'
const scripts = [
  'Zoë Ångström-Łuczak',
  'Нина Яровая',
  'نور الهدى',
  'עדי לוי',
  '山田 花子',
  '김하늘',
  'ประภา',
  'देवी',
  '👩🏽‍🚀 e\u0301 \u202e',
  'quote " back \\ slash / \u0000 \u2028 \ufeff',
]
const anyText = fc.oneof(fc.constantFrom(...scripts), fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }))
const anyAmount = fc.oneof(
  fc.constantFrom(2 ** 32, 2 ** 32 + 1, 10_000_000_000, Number.MAX_SAFE_INTEGER),
  fc.integer({ min: 2 ** 32, max: Number.MAX_SAFE_INTEGER }),
)

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('text in any script and amounts above 2^32 survive provider, store and response byte for byte', async () => {
  const people = fc.sample(fc.record({ name: anyText, headline: anyText, summary: anyText, skill: anyText }), 40)
  const amounts = fc.sample(anyAmount, 20)
  const sent = new Map<string, string>()
  for (const [index, { name, headline, summary, skill }] of people.entries()) {
    const record = { ...contractPerson(`p-${index}`), first_name: name, headline, summary, skills: [skill] }
    service.upstream.people.set(`p-${index}`, record)
    sent.set(`p-${index}`, JSON.stringify(record))
  }
  for (const [index, amount] of amounts.entries()) {
    const company = contractCompany(`c-${index}`)
    const round = { ...company.funding_data?.last_funding_round, money_raised: { amount, currency: 'usd' } }
    const record = {
      ...company,
      company_name: scripts[index % scripts.length],
      funding_data: { ...company.funding_data, last_funding_round: round },
    }
    service.upstream.companies.set(`c-${index}`, record)
    sent.set(`c-${index}`, JSON.stringify(record))
  }
  const ask = (id: string) => (id.startsWith('p') ? service.person(id, parts) : service.company(id))
  const askAll = () => Promise.all([...sent.keys()].map(async (id) => [id, (await ask(id)).text] as const))

  const live = await askAll()
  const hot = await askAll()
  await service.restart()
  const cold = await askAll()

  for (const answers of [live, hot, cold]) expect(new Map(answers)).toEqual(sent)
  expect(service.upstream.requests).toHaveLength(sent.size)
  for (const [id, text] of sent) {
    const kind = id.startsWith('p') ? 'people' : 'companies'
    const entity = await service.service.store.entities.showEntity({
      kind,
      ref: { identifier: { kind, type: 'slug', value: id } },
    })
    const raw = await service.service.store.entities.rawPayload({ fetchId: entity?.fetches[0]?.fetchId ?? 0 })
    expect(Buffer.from(raw?.payload ?? []).toString()).toBe(text)
  }
})

describe('if the provider reports when it last saw the data', () => {
  const upstream = new ScriptedUpstream()
  let other: TestService

  beforeAll(async () => {
    await upstream.start()
    other = await startTestService({ env: upstream.env })
  })
  afterAll(async () => {
    await other.close()
    await upstream.close()
  })

  test('X-Source-Updated-At is on every answer, and X-Fetched-At stays the time of the fetch', async () => {
    upstream.script = (request, response) => {
      response.setHeader('X-Source-Updated-At', '2026-01-02T03:04:05.678+00:00')
      return goodPerson(request, response)
    }
    const live = await other.person('seen-before')
    other.clock.advance({ hours: 1 })
    const stored = await other.person('seen-before')

    for (const { headers } of [live, stored])
      expect(headers.get('x-source-updated-at')).toBe('2026-01-02T03:04:05.678+00:00')
    expectRecord(live, other.clock.now() - 3_600_000, { source: 'live', ageSeconds: 0 })
    expectRecord(stored, other.clock.now(), { source: 'store', ageSeconds: 3_600 })
  })

  test('a provider without that time leaves the header out', async () => {
    upstream.script = goodPerson
    expect((await other.person('never-said')).headers.get('x-source-updated-at')).toBeNull()
  })
})
