import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { agentTools } from '@vitae/contract'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runVitae } from '../../service/test/harness/run-vitae.ts'
import { startTestService, type TestService } from '../../service/test/harness/test-service.ts'
import { callTool } from '../../service/test/mcp/mcp-client.ts'

const vitae = join(import.meta.dirname, '../bin/vitae.js')

let service: TestService

beforeAll(async () => {
  service = await startTestService({
    env: { VITAE_PRICE_COMPANIES: '2' },
    fixed: { priceLines: [{ bypass: true, credits: 3 }] },
  })
})
afterAll(() => service.close())

/** A session as an agent's host starts it: a child process and its pipes. */
async function session(apiKey: string, ...args: string[]): Promise<Client> {
  const client = new Client({ name: 'vitae-tests', version: '1.0.0' })
  const env = { PATH: process.env['PATH'] ?? '', VITAE_URL: service.url, VITAE_API_KEY: apiKey }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [vitae, 'mcp', ...args],
    env,
    cwd: import.meta.dirname,
    stderr: 'ignore',
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

describe('vitae mcp', () => {
  test('serves the same tools as the service, and samples to a test key without a limit', async () => {
    const { key } = await service.makeKey({ mode: 'test' })
    const client = await session(key)

    const { tools } = await client.listTools()
    const found = await callTool(client, 'lookup_person', { profile_id: 'sample-promoted' })
    const price = await callTool(client, 'check_price', { kind: 'companies', id: 'sample-stale' })

    expect(tools.map(({ name }) => name)).toEqual(Object.keys(agentTools))
    expect(found.answer).toMatchObject({
      provenance: { source: 'live' },
      credits: { charged: 0, left: null },
      record: { public_identifier: 'sample-promoted' },
    })
    expect(price.answer).toMatchObject({ source: 'stale_fallback', price: 0 })
  })

  test('with a live key and no --max-credits paid tools refuse with a remedy; free ones work', async () => {
    const caller = await service.newCaller(10)
    const client = await session(caller.key)

    const refused = await callTool(client, 'lookup_person', { profile_id: 'anyone' })
    const account = await callTool(client, 'account', {})

    expect(refused).toMatchObject({ isError: true, answer: { error: { code: 'spending_limit_required' } } })
    expect(refused.text).toContain('--max-credits')
    expect(account.answer).toMatchObject({ account: { credits: { available: 10 } } })
    expect(await caller.balance()).toBe(10)
  })

  test('parallel calls never exceed --max-credits, at any price', async () => {
    const caller = await service.newCaller(100)
    const client = await session(caller.key, '--max-credits', '9')

    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => callTool(client, 'lookup_company', { company_id: `stdio-race-${n}` })),
    )
    // Until a call is no longer affordable: it reserves the highest price, and returns what it did not cost.
    for (let n = 0; n < 5; n++) results.push(await callTool(client, 'lookup_company', { company_id: `after-${n}` }))

    const spent = 100 - (await caller.balance())
    expect(results.filter(({ isError }) => !isError).length * 2).toBe(spent)
    expect(spent).toBe(8)
    const last = results.at(-1)
    expect(last).toMatchObject({
      isError: true,
      answer: { error: { code: 'session_limit_reached' }, credits: { charged: 0, left: 1 } },
    })
  })

  test('matches run within the session, and expectations are passed on', async () => {
    const caller = await service.newCaller(100)
    const client = await session(caller.key, '--max-credits', '10')

    const found = await callTool(client, 'match_person', { profile_id: 'ada-stdio', fields: 'headline' })
    const stranger = await callTool(client, 'lookup_person', {
      profile_id: 'ada-stdio',
      'expect.last_name': 'Xylophonist',
    })

    expect(found.answer).toMatchObject({ match: { likelihood: 1, matched_on: ['profile_id'] } })
    expect(stranger).toMatchObject({ isError: true, answer: { error: { code: 'identity_mismatch' } } })
    const { charged, left } = found.answer['credits'] as { charged: number; left: number }
    expect(left).toBe(10 - charged)
    expect(await caller.balance()).toBe(100 - charged)
  })

  test('a record that is not found costs the session nothing', async () => {
    const caller = await service.newCaller(100)
    service.upstream.people.set('nobody-here', null)
    const client = await session(caller.key, '--max-credits', '3')

    const missing = await callTool(client, 'lookup_person', { profile_id: 'nobody-here' })

    expect(missing.answer).toMatchObject({ error: { code: 'not_found' }, credits: { left: 3 } })
  })

  test('without a key it ends with a message and exit code 2', async () => {
    const ran = await runVitae(['mcp'], { VITAE_URL: service.url })

    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('VITAE_API_KEY') })
  })
})
