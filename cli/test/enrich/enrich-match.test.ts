import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FakeProvider } from '../../../service/fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../service/fake-provider/start-fake-provider.ts'
import { startTestService, type TestService } from '../../../service/test/harness/test-service.ts'
import { vitae } from '../vitae.ts'
import { Folder } from './enrich-fixture.ts'

let pdl: FakeProvider
let service: TestService
beforeAll(async () => {
  pdl = await startFakeProvider({ provider: 'peopledatalabs' })
  service = await startTestService({
    realClock: true,
    env: {
      VITAE_UPSTREAM: 'peopledatalabs',
      VITAE_PEOPLEDATALABS_URL: pdl.url,
      VITAE_PEOPLEDATALABS_KEY: pdl.key,
    },
    fixed: { priceLines: [{ by: 'match', credits: 2 }] },
  })
})
afterAll(() => Promise.all([service.close(), pdl.close()]))

const rows = [
  'Work e-mail,Name,status',
  'nora-file@acme.example,,hot',
  'NORA-file@acme.example ,,again',
  'missing-file@acme.example,,cold',
  'nobody,,wrong',
  ',,empty',
].join('\n')

test('rows are matched by the named columns, each question is paid once and priced first', async () => {
  const caller = await service.newCaller(50)
  const folder = new Folder()
  const input = folder.write('crm.csv', rows)
  const out = folder.at('out.csv')
  const args = ['enrich', 'people', input, '--email-column', 'Work e-mail', '--name-column', 'Name', '--out', out]
  const given = [...args, '--key', caller.key, '--url', service.url, '--json']

  const priced = await vitae([...given, '--dry-run'])
  const ran = await vitae(given)

  expect(priced.json, priced.stderr).toMatchObject({ rows: 5, empty: 1, distinct: 3, invalid: 1, price: 2 })
  expect(priced.json.most_credits).toBe(4)
  expect(ran.stderr).toContain('It costs at most 4 credits; 50 are available.')
  expect(ran.json, ran.stderr).toMatchObject({ rows: 5, found: 2, not_found: 1, failed: 2, credits: 2 })
  const written = folder.csv('out.csv')
  expect(written.map((row) => [row['input_status'], row['status'], row['error'], row['credits']])).toEqual([
    ['hot', 'found', '', '2'],
    ['again', 'found', '', '0'],
    ['cold', 'not_found', 'no_match', '0'],
    ['wrong', 'failed', expect.stringMatching(/invalid_request: .*must be an e-mail address/), '0'],
    ['empty', 'failed', 'the column is empty', '0'],
  ])
  expect(written.map((row) => [row['likelihood'], row['matched_on']]).slice(0, 3)).toEqual([
    ['0.9', 'email'],
    ['0.9', 'email'],
    ['', ''],
  ])
  expect(written[0]).toMatchObject({ public_identifier: 'nora-file', 'Work e-mail': 'nora-file@acme.example' })
  expect(await caller.balance()).toBe(48)
})

test('columns that do not go together are refused before anything is read', async () => {
  const folder = new Folder()
  const input = folder.write('crm.csv', rows)
  const run = (kind: string, ...more: string[]) =>
    vitae(['enrich', kind, input, '--out', folder.at('o.csv'), '--key', 'x', '--url', service.url, ...more])

  const refused = await Promise.all([
    run('people'),
    run('people', '--column', 'Name', '--email-column', 'Work e-mail'),
    run('companies', '--email-column', 'Work e-mail'),
    run('people', '--email-column', 'Mail'),
  ])

  expect(refused.map(({ code }) => code)).toEqual([2, 2, 2, 2])
  expect(refused[0]?.stderr).toContain('--email-column')
  expect(refused[1]?.stderr).toContain('not both')
  expect(refused[2]?.stderr).toContain('--email-column cannot be used for companies')
  expect(refused[3]?.stderr).toContain('no column Mail')
})

test('vitae lookup --email returns the record and is paid as a match; a dry run and a miss cost nothing', async () => {
  const caller = await service.newCaller(10)
  const env = { VITAE_URL: service.url, VITAE_ADMIN_TOKEN: service.service.admin.ownerToken }
  const run = (...more: string[]) => vitae(['lookup', 'people', ...more], { env })

  const dry = await run('--email', 'olga-asked@acme.example', '--key', caller.key, '--dry-run', '--json')
  const found = await run('--email', 'olga-asked@acme.example', '--key', caller.key, '--json')
  const nobody = await run('--email', 'missing-asked@acme.example', '--key', caller.key)
  const wrong = await run('--email', 'olga', '--key', caller.key)
  const unpaid = await run('--email', 'olga-asked@acme.example')

  expect(dry.json).toMatchObject({ price: 2, refused: null, asks_provider: true })
  expect(found.json, found.stderr).toMatchObject({ public_identifier: 'olga-asked' })
  expect([nobody, wrong, unpaid].map(({ code }) => code)).toEqual([1, 1, 2])
  expect(nobody.stderr).toContain('Nobody matches with enough certainty')
  expect(wrong.stderr).toContain('must be an e-mail address')
  expect(unpaid.stderr).toContain('--key')
  expect(await caller.balance()).toBe(8)
})
