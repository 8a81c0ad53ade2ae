import type { Kind } from '@vitae/contract'
import { afterEach, describe, expect, test } from 'vitest'
import type { Fault } from '../../fake-provider/faults.ts'
import type { FakeProvider, FakeProviderOptions } from '../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { wires, type WireName } from '../../fake-provider/wire/wires.ts'
import type { Identifier } from '../../src/foundation/identifier.ts'
import type { Provider, Send } from '@vitae/provider'
import { providerRegistry } from '../../src/providers/registry.ts'
import { expectValidProjection } from './projection-rules.ts'
import { askFor } from './scripted-send.ts'

/** One exchange without transport rules. */
const send: Send = async ({ url, method, headers, body }, signal) => {
  const response = await fetch(url, {
    method,
    headers,
    signal,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, headers: Object.fromEntries(response.headers), body: bytes, receivedAt: Date.now() }
}

type ProviderName = keyof typeof providerRegistry
type FakedName = ProviderName & WireName
/** Every provider with a fake is tested here; there is no list to maintain. */
const providerNames = Object.keys(providerRegistry) as ProviderName[]
const fakedNames = providerNames.filter((name): name is FakedName => name in wires)

let fake: FakeProvider | undefined
afterEach(() => fake?.close())

async function start(name: FakedName, options: Partial<FakeProviderOptions> = {}, key = 'secret') {
  const running = await startFakeProvider({ provider: name, slowMs: 60_000, ...options })
  fake = running
  return { fake: running, provider: providerRegistry[name].create({ url: running.url, key }) }
}

function ask(provider: Provider, kind: Kind, type: Identifier['type'], value: string, more: object = {}) {
  return provider.ask(askFor(kind, type, value, more), send)
}

test('every provider has its registered name, and its own URL', () => {
  expect(fakedNames.length).toBeGreaterThanOrEqual(5)
  for (const name of providerNames) {
    expect(new URL(providerRegistry[name].defaultUrl).protocol).toBe('https:')
    expect(providerRegistry[name].create({ url: 'http://127.0.0.1:1', key: 'x' }).name).toBe(name)
  }
})

describe.each(fakedNames)('%s over HTTP', (name) => {
  test('finds the requested person as a valid record', async () => {
    const { provider } = await start(name)

    const { outcome, answer } = await ask(provider, 'people', 'slug', 'isolde-larkspur')
    const projection = provider.project('people', answer.body)

    expect(outcome).toBe('found')
    expectValidProjection('people', projection)
    expect(projection.record).toMatchObject({ public_identifier: 'isolde-larkspur' })
    expect(projection.identity.aliases).toContainEqual({ type: 'slug', value: 'isolde-larkspur' })
  })

  test('makes one group of a promotion, with the current job first', async () => {
    const { provider } = await start(name)

    const { answer } = await ask(provider, 'people', 'slug', 'isolde-larkspur')
    const { record } = provider.project('people', answer.body)

    expect(record).toMatchObject({
      experience: [
        { date_range: { end: null }, positions: [{ title: expect.stringMatching(/^Senior /) }, {}] },
        {
          date_range: { end: { year: expect.any(Number) } },
          positions: [{ title: expect.stringMatching(/^Junior /) }],
        },
      ],
    })
  })

  test.each([
    ['slug', 'quillworks', null],
    ['id', '4711', '4711'],
  ] as const)('finds a company by %s', async (type, value, number) => {
    const { provider } = await start(name)

    const { outcome, answer } = await ask(provider, 'companies', type, value)
    const projection = provider.project('companies', answer.body)

    expect(outcome).toBe('found')
    expectValidProjection('companies', projection)
    expect(projection.record).toMatchObject(number === null ? { public_identifier: value } : { company_id: number })
    expect(projection.identity.derived).toBe(false)
  })

  test('reports "not found" for an unknown person', async () => {
    const { provider } = await start(name, { companies: { gone: null } })

    expect((await ask(provider, 'people', 'slug', 'missing-person')).outcome).toBe('not_found')
    expect((await ask(provider, 'companies', 'slug', 'gone')).outcome).toBe('not_found')
  })

  test('reports a refused key, and puts no key into a URL', async () => {
    const { fake: running, provider } = await start(name, {}, 'wrong-key')

    await expect(ask(provider, 'people', 'slug', 'ada')).rejects.toMatchObject({
      name: 'ProviderFault',
      kind: 'rejected',
      message: expect.not.stringContaining('wrong-key'),
    })
    expect(running.requests.map(({ path }) => path).join()).not.toContain('wrong-key')
  })

  test.each<[Fault, string]>([
    [402, 'rejected'],
    [403, 'rejected'],
    [429, 'limited'],
    [500, 'unavailable'],
    ['malformed', 'invalid'],
    ['garbage', 'invalid'],
    ['empty', 'invalid'],
  ])('classifies the fault %s as "%s"', async (fault, kind) => {
    const { fake: running, provider } = await start(name)
    await running.setFault(fault)

    await expect(ask(provider, 'people', 'slug', 'ada')).rejects.toMatchObject({ name: 'ProviderFault', kind })
  })

  test('stops when the caller has no time left', async () => {
    const { fake: running, provider } = await start(name)
    await running.setFault('slow')
    const leave = new AbortController()

    const asked = ask(provider, 'people', 'slug', 'ada', { signal: leave.signal })
    leave.abort(new Error('no more time'))

    await expect(asked).rejects.toThrow('no more time')
  })

  test('works again after a fault', async () => {
    const { fake: running, provider } = await start(name)
    await running.setFault(500, 1)

    await expect(ask(provider, 'people', 'slug', 'ada')).rejects.toMatchObject({ kind: 'unavailable' })
    expect((await ask(provider, 'people', 'slug', 'ada')).outcome).toBe('found')
  })
})

test.each(['enrichlayer', 'brightdata', 'coresignal'] as const)('%s tells how long to wait', async (name) => {
  const { fake: running, provider } = await start(name)
  await running.setFault(429)

  await expect(ask(provider, 'people', 'slug', 'ada')).rejects.toMatchObject({ retryAfterSeconds: 7 })
})

describe('freshness on the wire', () => {
  const asked = ({ requests }: FakeProvider) => requests.map(({ path }) => new URL(path, 'http://x').searchParams)

  test('enrichlayer: fresh is a forced live fetch', async () => {
    const { fake: running, provider } = await start('enrichlayer')

    await ask(provider, 'people', 'slug', 'ada', { fresh: true, maxAgeDays: 0 })

    expect(asked(running).map((query) => [query.get('live_fetch'), query.get('use_cache')])).toEqual([['force', null]])
    expect(asked(running).every((query) => query.get('fallback_to_cache') === 'never')).toBe(true)
  })

  test.each([
    [3, ['if-recent']],
    [20, ['if-recent', 'force']],
  ])('enrichlayer: a copy of %i days asks for %j when 7 are allowed', async (sourceAgeDays, flags) => {
    const { fake: running, provider } = await start('enrichlayer', { sourceAgeDays })

    const { answer, cost } = await ask(provider, 'people', 'slug', 'ada')
    const { sourceUpdatedAt } = provider.project('people', answer.body)

    expect(asked(running).map((query) => query.get('use_cache') ?? query.get('live_fetch'))).toEqual(flags)
    expect(cost).toBe(flags.length === 1 ? 1 : 11)
    expect(Date.now() - (sourceUpdatedAt ?? 0)).toBeLessThan(7 * 86_400_000)
  })

  test('enrichlayer: skills, extras and funding are requested, or they would be null', async () => {
    const { fake: running, provider } = await start('enrichlayer')

    await ask(provider, 'people', 'slug', 'ada')
    const { answer } = await ask(provider, 'companies', 'slug', 'quillworks')

    expect(asked(running).map((query) => [query.get('skills'), query.get('extra'), query.get('funding_data')])).toEqual(
      [
        ['include', 'include', null],
        [null, 'include', 'include'],
      ],
    )
    expect(provider.project('companies', answer.body).record).toMatchObject({
      funding_data: { last_funding_round: { money_raised: { amount: expect.any(Number), currency: null } } },
    })
  })

  test('enrichlayer: a school is found even if its slug does not show it', async () => {
    const { fake: running, provider } = await start('enrichlayer')

    const { outcome, cost } = await ask(provider, 'companies', 'slug', 'university-of-lantern-bay')

    expect([outcome, cost]).toEqual(['found', 2])
    expect(running.requests.map(({ path }) => path.split('?')[0])).toEqual(['/api/v2/company', '/api/v2/school'])
  })

  test('brightdata: a snapshot is polled until it is ready', async () => {
    const { fake: running, provider } = await start('brightdata', { pollsUntilReady: 2 })

    const { outcome } = await ask(provider, 'people', 'slug', 'ada')

    expect(outcome).toBe('found')
    expect(running.requests.map(({ path }) => path.split('?')[0]?.split('/')[3])).toEqual([
      'scrape',
      'progress',
      'progress',
      'progress',
      'snapshot',
    ])
  })

  test.each(['harvestapi', 'coresignal', 'peopledatalabs'] as const)('%s: has no cache to skip', async (name) => {
    const { fake: running, provider } = await start(name)

    await ask(provider, 'people', 'slug', 'ada', { fresh: true, maxAgeDays: 0 })
    await ask(provider, 'people', 'slug', 'ada')

    expect(running.requests[0]?.path).toBe(running.requests[1]?.path)
  })
})

test("two providers with platform ids agree on a person's identity", async () => {
  const keys: string[] = []
  for (const name of ['brightdata', 'coresignal', 'peopledatalabs'] as const) {
    const { fake: running, provider } = await start(name)
    const { answer } = await ask(provider, 'people', 'slug', 'thaddeus')
    keys.push(provider.project('people', answer.body).identity.key)
    await running.close()
  }

  expect(new Set(keys).size).toBe(1)
})
