import { Company, Person } from '@vitae/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../harness/test-service.ts'

let quick: TestService
let usual: TestService
let sample: Record<string, string>
beforeAll(async () => {
  ;[quick, usual] = await Promise.all([startTestService(), startTestService({ fastPath: false })])
  sample = { ApiKey: (await quick.makeKey({ mode: 'test' })).key }
})
afterAll(() => Promise.all([quick.close(), usual.close()]))

test('the body has exactly the chosen fields and the identity key, in contract order, on both paths', async () => {
  for (const service of [quick, usual]) {
    const whole = await service.person('ada')
    const cut = await service.person('ada', '&fields=experience,headline,first_name', {
      'accept-encoding': 'identity',
    })
    const company = await service.company('acme', '&fields=staff_info,company_name')

    const { member_urn, first_name, headline, experience } = whole.json
    expect(cut.text).toBe(JSON.stringify({ member_urn, first_name, headline, experience }))
    expect(Object.keys(company.json)).toEqual(['company_id', 'company_name', 'staff_info'])
    expect(cut.headers.get('x-credits-charged')).toBe('1')
    expect(Number(cut.headers.get('content-length'))).toBe(Buffer.byteLength(cut.text))
  }
})

test('a fresh fetch, a test key and optional parts are cut alike', async () => {
  const live = await quick.person('fetched-for-its-headline', '&fields=headline')
  const practised = await quick.person('sample-complete', '&fields=contact_info&include_contact_info=1', sample)
  const unasked = await quick.person('sample-complete', '&fields=contact_info', sample)

  expect(Object.keys(live.json)).toEqual(['member_urn', 'headline'])
  expect(practised.json['contact_info']).toMatchObject({ email_address: expect.any(String) })
  expect(unasked.json['contact_info']).toBeNull()
})

test('selecting all fields returns the whole body, byte for byte', async () => {
  const person = Object.keys(Person.properties).toReversed().join()
  const company = Object.keys(Company.properties).join()

  expect((await quick.person('ada', `&fields=${person}`)).text).toBe((await quick.person('ada')).text)
  expect((await quick.company('acme', `&fields=${company}`)).text).toBe((await quick.company('acme')).text)
})

test('a retry may choose other fields: they are not part of what makes two calls the same', async () => {
  const key = { 'Idempotency-Key': 'fields-of-one-call' }
  await quick.person('ada', '&fields=headline', key)
  const retry = await quick.person('ada', '&fields=last_name', key)

  expect([retry.status, retry.headers.get('x-credits-charged')]).toEqual([200, '0'])
  expect(Object.keys(retry.json)).toEqual(['member_urn', 'last_name'])
})

test('unknown names are refused with the nearest one, and an invalid name is not repeated', async () => {
  const wrong = await quick.person('ada', '&fields=hedline,first_name,expierence')
  const strange = await quick.person('ada', '&fields=%3Cscript%3E')
  const empty = await quick.person('ada', '&fields=')
  const many = await quick.person('ada', `&fields=${'headline,'.repeat(200)}headline`)

  expect(wrong.json).toMatchObject({
    code: 'invalid_request',
    errors: [
      { parameter: 'fields', detail: 'has the field hedline, which no record has: did you mean headline?' },
      { parameter: 'fields', detail: 'has the field expierence, which no record has: did you mean experience?' },
    ],
  })
  expect(strange.json['errors']).toEqual([{ parameter: 'fields', detail: 'has a field that no record has' }])
  expect(empty.json['errors']).toEqual([{ parameter: 'fields', detail: 'must be names with commas between them' }])
  expect(many.status).toBe(400)
})
