import { afterEach, expect, test } from 'vitest'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { startTestService, type TestService } from '../../harness/test-service.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close()
})

async function serviceWith(env: Record<string, string>): Promise<TestService> {
  const service = await startTestService({ env })
  open.push(service)
  return service
}

async function ask(service: TestService, path: string, body: object) {
  const { key } = await service.newCaller(10)
  const headers = { ApiKey: key, 'content-type': 'application/json' }
  const { status, json, headers: got } = await service.get(path, headers, 'POST', JSON.stringify(body))
  const [sure, on] = ['x-match-likelihood', 'x-matched-on'].map((name) => got.get(name))
  return { status, json, said: status === 200 ? `${sure} ${on}` : String(json['code']) }
}

test('Coresignal is searched and then collected: an address, a name with a domain; two matches are ambiguous', async () => {
  const fake = await startFakeProvider({ provider: 'coresignal' })
  open.push(fake)
  const service = await serviceWith({
    VITAE_UPSTREAM: 'coresignal',
    VITAE_CORESIGNAL_URL: fake.url,
    VITAE_CORESIGNAL_KEY: fake.key,
  })
  const byAddress = await ask(service, '/v1/people/match', { email: 'selma-found@acme.example' })
  const paths = fake.requests.map(({ method, path }) => `${method} ${path.replace(/\d+$/, 'ID')}`)
  const twins = await ask(service, '/v1/people/match', { name: 'Twin Found', company_domain: 'acme.example' })
  const again = await ask(service, '/v1/people/match', { name: 'Twin Found', company_domain: 'acme.example' })
  const nobody = await ask(service, '/v1/people/match', { email: 'missing-selma@acme.example' })
  const byPhone = await ask(service, '/v1/people/match', { phone: '+49 30 90182077' })

  expect([byAddress.said, byAddress.json['public_identifier']]).toEqual(['0.95 email', 'selma-found'])
  expect(paths).toEqual([
    'POST /cdapi/v2/employee_multi_source/search/es_dsl',
    'GET /cdapi/v2/employee_multi_source/collect/ID',
  ])
  expect([twins, again].map(({ said }) => said)).toEqual(['ambiguous_match', 'ambiguous_match'])
  expect(nobody.said).toBe('no_match')
  // No provider accepts it, which is not an outage.
  expect([byPhone.status, byPhone.said]).toEqual([404, 'no_match'])
})

test('the directory and another Vitae accept matches', async () => {
  const directory = await serviceWith({ VITAE_UPSTREAM: 'directory' })
  const named = { name: 'Amara Okafor', company: 'Tidewater Robotics' }
  const byName = await ask(directory, '/v1/people/match', named)
  const elsewhere = await ask(directory, '/v1/people/match', { ...named, company: 'Alder Foundry' })
  const mirrored = await serviceWith({ VITAE_UPSTREAM: 'mirror' })
  const byAddress = await ask(mirrored, '/v1/people/match', { email: 'otto-mirrored@acme.example' })
  const nobody = await ask(mirrored, '/v1/people/match', { email: 'missing-otto@acme.example' })

  expect([byName.said, byName.json['public_identifier']]).toEqual(['0.80 name, company', 'amara-okafor'])
  expect(elsewhere.said).toBe('no_match')
  expect([byAddress.said, byAddress.json['public_identifier']]).toEqual(['0.90 email', 'otto-mirrored'])
  expect(mirrored.upstream.requests.every(({ path }) => !path.includes('otto'))).toBe(true)
  expect(nobody.said).toBe('no_match')
})
