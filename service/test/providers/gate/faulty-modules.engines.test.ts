import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { brokenRules } from '@vitae/provider/conformance'
import { ProviderFault } from '@vitae/provider'
import { useProviderModules } from '../../../src/providers/registry.ts'
import { startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'
import { FaultyProvider, soundProjection, type Plays } from './faulty-provider.ts'

const runs = process.env['VITAE_TEST_LONG'] === '1' ? 3_000 : 120
const faulty = new FaultyProvider()
let service: TestService
/** Only the faulty provider may answer it. */
let alone: TestCaller
let people = 0

beforeAll(async () => {
  useProviderModules([faulty.module])
  service = await startTestService({
    credits: 100_000,
    env: {
      VITAE_UPSTREAM: 'faulty,mirror',
      VITAE_FAULTY_KEY: 'k',
      VITAE_FAULTY_TIMEOUT_MS: '40',
      VITAE_NOT_FOUND_RATE: '100000/1h',
      VITAE_COOLDOWN_SECONDS: '0',
    },
  })
  faulty.now = () => service.clock.now()
  alone = await service.newCaller(1_000)
  await service.admin('POST', `/projects/${alone.project}/route`, { environment: 'production', providers: ['faulty'] })
})
afterAll(async () => {
  useProviderModules([])
  await service.close()
})
beforeEach(() => {
  faulty.plays = {}
})

const ask = (caller: TestCaller, slug: string) => service.person(slug, '', { ApiKey: caller.key })
const newSlug = () => `someone-${(people += 1)}`
const isOfFaulty = (json: Record<string, unknown>) => String(json['member_urn']).startsWith('urn:li:member:777')
/** Optional parts are null unless requested; everything else must be there. */
const shapeFaults = (json: unknown) => brokenRules('people', json)

/** Values that look valid, and any others. */
const junk = fc.oneof(
  fc.constantFrom(
    null,
    undefined,
    NaN,
    Infinity,
    -1,
    99,
    1.5,
    '',
    'x',
    '\0',
    '\ud800',
    true,
    [],
    {},
    8.64e15 + 1,
    1e300,
  ),
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withTypedArray: true }),
  fc.constant(() => 1),
  fc.constant(Symbol('x')),
  fc.constant(
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('hostile')
        },
        ownKeys: () => {
          throw new Error('hostile')
        },
      },
    ),
  ),
)
const verdictKey = fc.constantFrom(
  'outcome',
  'answer',
  'cost',
  'sourceUpdatedAt',
  'fetchedAt',
  'notLive',
  'isAmbiguous',
  'match',
)
const answerKey = fc.constantFrom('status', 'headers', 'body', 'receivedAt')
const recordKey = fc.constantFrom(...Object.keys(soundProjection('any').record))
const without = (value: object, key: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))

const plays: fc.Arbitrary<Plays> = fc.oneof(
  junk.map((value): Plays => ({ ask: () => value })),
  junk.map((value): Plays => ({
    ask: () => {
      throw value
    },
  })),
  junk.map((value): Plays => ({ project: () => value })),
  junk.map((value): Plays => ({
    project: () => {
      throw value
    },
  })),
  fc.constant<Plays>({ ask: () => new Promise(() => {}) }),
  fc.tuple(verdictKey, junk).map(([key, value]): Plays => ({ ask: (_ask, sound) => ({ ...sound, [key]: value }) })),
  fc.tuple(answerKey, junk).map(([key, value]): Plays => ({
    ask: (_ask, sound) => ({ ...sound, answer: { ...(sound as { answer: object }).answer, [key]: value } }),
  })),
  fc.tuple(recordKey, junk).map(([key, value]): Plays => ({
    project: (sound) => ({ ...sound, record: { ...sound.record, [key]: value } }),
  })),
  recordKey.map((key): Plays => ({ project: (sound) => ({ ...sound, record: without(sound.record, key) }) })),
  fc.tuple(fc.constantFrom('key', 'derived', 'aliases'), junk).map(([key, value]): Plays => ({
    project: (sound) => ({ ...sound, identity: { ...sound.identity, [key]: value } }),
  })),
  junk.map((value): Plays => ({ project: (sound) => ({ ...sound, sourceUpdatedAt: value }) })),
  fc
    .tuple(fc.constantFrom('kind', 'answer', 'retryAfterSeconds', 'reason', 'message'), junk)
    .map(([key, value]): Plays => ({
      ask: () => {
        throw Object.assign(new ProviderFault('unavailable', 'made up'), { [key]: value })
      },
    })),
)

test('whatever a module returns or throws: the next provider answers, nothing invalid is served, and each 200 costs one credit', async () => {
  const before = (await service.balance()).balance
  let calls = 0
  await fc.assert(
    fc.asyncProperty(plays, async (played) => {
      faulty.plays = played
      const slug = newSlug()
      const first = await service.person(slug)
      const again = await service.person(slug)
      calls += 2
      expect([first.status, again.status]).toEqual([200, 200])
      expect([first, again].map(({ headers }) => headers.get('x-credits-charged'))).toEqual(['1', '1'])
      expect(shapeFaults(again.json)).toEqual([])
      expect(again.headers.get('x-data-source')).toBe('store')
    }),
    { numRuns: runs, endOnFailure: true },
  )
  expect(before - (await service.balance()).balance).toBe(calls)
})

const sound = soundProjection('any')
const cases: [string, Plays][] = [
  ['reports the time NaN', { ask: (_ask, verdict) => ({ ...verdict, sourceUpdatedAt: NaN }) }],
  ['reports a text as a time', { project: (one) => ({ ...one, sourceUpdatedAt: '2026-11-01' }) }],
  [
    'has 4 of 31 fields',
    {
      project: ({ identity, record }) => ({
        identity,
        sourceUpdatedAt: null,
        record: Object.fromEntries(Object.entries(record).slice(0, 4)),
      }),
    },
  ],
  ['has a number as last name', { project: (one) => ({ ...one, record: { ...one.record, last_name: 7 } }) }],
  [
    'throws in ask',
    {
      ask: () => {
        throw new TypeError('no')
      },
    },
  ],
  ['returns nothing', { ask: () => undefined }],
  [
    'throws in project',
    {
      project: () => {
        throw new RangeError('no')
      },
    },
  ],
  ['returns a promise from project', { project: (one) => Promise.resolve(one) }],
  ['never answers', { ask: () => new Promise(() => {}) }],
  [
    'throws a fault of a kind that does not exist',
    {
      ask: () => {
        throw new ProviderFault('tired' as 'invalid', 'x')
      },
    },
  ],
  [
    'has another key than its record',
    { project: (one) => ({ ...one, identity: { ...sound.identity, key: 'urn:li:member:1' } }) },
  ],
  [
    'has a text that no database takes',
    { project: (one) => ({ ...one, record: { ...one.record, first_name: 'A\ud800da' } }) },
  ],
]

describe.each(cases)('a module that %s', (_name, played) => {
  test('is a faulty provider: the next one is asked, and the attempts name it', async () => {
    faulty.plays = played
    const answer = await service.person(newSlug())

    expect(answer.status).toBe(200)
    expect(isOfFaulty(answer.json)).toBe(false)
    const call = await service.admin<{ attempts: object[] }>('GET', `/calls/${answer.headers.get('x-request-id')}`)
    expect(call.attempts).toMatchObject([{ provider: 'faulty' }, { provider: 'mirror', outcome: 'found' }])
  })

  test('lets a stored copy be served as stale, and without one the call fails for free', async () => {
    const slug = newSlug()
    const fresh = await ask(alone, slug)
    faulty.plays = played
    service.clock.advance({ days: 8 })
    const before = await alone.balance()
    const stale = await ask(alone, slug)
    const none = await ask(alone, newSlug())

    expect([fresh.status, stale.status]).toEqual([200, 200])
    expect(stale.headers.get('x-data-source')).toBe('stale_fallback')
    expect([502, 503, 504]).toContain(none.status)
    expect(before - (await alone.balance())).toBe(1)
  })
})

describe("a module's answer to a match", () => {
  const facts = (match: unknown): Plays => ({ ask: (_ask, verdict) => ({ ...verdict, match }) })
  const match = async (query: object) => {
    const body = JSON.stringify({ email: `someone-${(people += 1)}@example.com`, ...query })
    const headers = { ApiKey: alone.key, 'content-type': 'application/json' }
    return service.get('/v1/people/match', headers, 'POST', body)
  }

  test.each([
    ['without match facts', facts(undefined)],
    ['with a likelihood of 99', facts({ likelihood: 99, matchedOn: ['email'] })],
    ['with a likelihood of NaN', facts({ likelihood: NaN, matchedOn: ['email'] })],
    ['with a signal that does not exist', facts({ likelihood: 1, matchedOn: ['aura'] })],
  ])('%s is a fault, and costs nothing', async (_name, played) => {
    faulty.plays = played
    const before = await alone.balance()

    expect((await match({ min_likelihood: 0.9 })).status).toBe(502)
    expect(await alone.balance()).toBe(before)
  })

  test('is served from min_likelihood on, and below it is not a match', async () => {
    faulty.plays = facts({ likelihood: 0.85, matchedOn: ['email'] })
    const low = await match({ min_likelihood: 0.9 })
    const high = await match({ min_likelihood: 0.85 })

    expect([low.status, low.json['code'], high.status]).toEqual([404, 'no_match', 200])
    expect(high.headers.get('x-match-likelihood')).toBe('0.85')
  })
})
