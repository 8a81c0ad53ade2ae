import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { startTestService, type TestAnswer, type TestService } from '../../harness/test-service.ts'

const callers = 60
const rounds = process.env['VITAE_TEST_LONG'] === '1' ? 40 : 3
let labs: FakeProvider
let service: TestService

beforeAll(async () => {
  labs = await startFakeProvider({ provider: 'peopledatalabs' })
  service = await startTestService({
    credits: 1_000_000,
    env: {
      VITAE_UPSTREAM: 'peopledatalabs',
      VITAE_PEOPLEDATALABS_URL: labs.url,
      VITAE_PEOPLEDATALABS_KEY: labs.key,
      VITAE_NOT_FOUND_RATE: '100000/1h',
    },
  })
})
afterAll(() => Promise.all([service.close(), labs.close()]))
beforeEach(() => {
  labs.requests.length = 0
})

const post = (path: string, body: object) =>
  service.get(path, { ApiKey: service.liveKey, 'content-type': 'application/json' }, 'POST', JSON.stringify(body))

/** The same question by many concurrent callers, in several rounds; the number of provider calls of each round. */
async function rushes(ask: (round: number) => Promise<TestAnswer>, status: number): Promise<number[]> {
  const asked: number[] = []
  for (let round = 0; round < rounds; round++) {
    labs.requests.length = 0
    const answers = await Promise.all(Array.from({ length: callers }, () => ask(round)))
    expect(answers.filter((answer) => answer.status !== status).map(({ text }) => text)).toEqual([])
    asked.push(labs.requests.length)
  }
  return asked
}

const questions: [string, number, (round: number) => Promise<TestAnswer>][] = [
  ['look up the same person', 200, (round) => service.person(`rush-${round}`)],
  [
    'match the same e-mail address',
    200,
    (round) => post('/v1/people/match', { email: `rush-match-${round}@acme.example` }),
  ],
  [
    'match an address that nobody has',
    404,
    (round) => post('/v1/people/match', { email: `missing-${round}@acme.example` }),
  ],
  [
    'resolve the same domain',
    200,
    (round) => service.get(`/v1/companies/resolve?domain=rush-${round}.example`, { ApiKey: service.liveKey }),
  ],
]

test.each(questions)(`${callers} callers who %s at once cause one upstream call`, async (_name, status, ask) => {
  expect(await rushes(ask, status)).toEqual(Array.from({ length: rounds }, () => 1))
})

test.each(questions)(
  "a caller that began to %s before another's fetch ended shares it, even if its hold comes later",
  async (_name, status, ask) => {
    const [bothRead, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { lookup } = service.service
    const { settle } = lookup
    let holds = 0
    lookup.settle = async (request) => {
      if (request.type !== 'hold') return settle(request)
      if (++holds === 2) bothRead.resolve()
      // The first continues when both have read the store, the second when the first is answered.
      await (holds === 2 ? answered.promise : bothRead.promise)
      return settle(request)
    }
    onTestFinished(() => void (lookup.settle = settle))
    const calls = [ask(-1), ask(-1)]
    const first = await Promise.race(calls)
    answered.resolve()
    const answers = [first, ...(await Promise.all(calls))]

    expect(answers.map((answer) => answer.status)).toEqual([status, status, status])
    expect(labs.requests).toHaveLength(1)
  },
)

test('batch rows and calls with the same concurrent question cause one upstream call', async () => {
  const [email, slug] = ['rush-batch@acme.example', 'rush-row']
  const batch = (rows: object[]) => post('/v1/batches', { kind: 'people', ids: rows })
  const created = await Promise.all([batch([{ email }]), batch([{ id: slug }]), batch([{ email }, { id: slug }])])
  const calls = await Promise.all(
    Array.from({ length: callers }, (_, index) =>
      index % 2 === 0 ? post('/v1/people/match', { email }) : service.person(slug),
    ),
  )
  const ids = created.map(({ json }) => String(json['id']))
  const stateOf = async (id: string) =>
    (await service.get(`/v1/batches/${id}`, { ApiKey: service.liveKey })).json['status']
  await expect.poll(() => Promise.all(ids.map(stateOf))).toEqual(ids.map(() => 'completed'))

  expect(calls.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([])
  expect(labs.requests).toHaveLength(2)
})
