import { describe, expect, test } from 'vitest'
import type { Link } from '../../../src/providers/chain/ask-one-provider.ts'
import { createChain } from '../../../src/providers/chain/chain.ts'
import { missOutcome, type ChainAnswer, type ChainFault } from '../../../src/providers/chain/chain-answer.ts'
import { type FaultKind, type Provider, ProviderFault, type RawAnswer, type Verdict } from '@vitae/provider'
import { faultToFailure } from '../../../src/providers/chain/fault-to-failure.ts'
import { mirror } from '../../../src/providers/mirror/mirror.ts'
import {
  askFor,
  faultOf,
  handClock,
  key,
  never,
  personOf,
  senderTo,
  sendPerson,
  serve,
  serveRaw,
} from '../transport/faulty-server.ts'

type Play = FaultKind | 'found' | 'not_found' | 'unmappable' | 'nobody' | 'hang'

const encoder = new TextEncoder()
const answer = (status: number, record: unknown): RawAnswer => {
  return { status, headers: {}, body: encoder.encode(JSON.stringify(record)), receivedAt: 0 }
}

/** A provider that plays one outcome, with the mirror's mapping. */
function playing(name: string, play: Play, totalMs = 5_000): Link & { asked: number } {
  const real = mirror({ url: 'http://mirror.example', key })
  const link = { asked: 0, sender: null, totalMs, provider: { ...real, name } as Provider }
  link.provider = {
    ...link.provider,
    async ask({ signal }): Promise<Verdict> {
      link.asked += 1
      if (play === 'hang')
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('too late'))))
      if (play === 'not_found') return { outcome: 'not_found', answer: answer(404, {}), cost: 1 }
      if (play === 'found')
        return { outcome: 'found', answer: answer(200, { member_urn: `urn:${name}`, first_name: name }), cost: 2 }
      if (play === 'unmappable') return { outcome: 'found', answer: answer(200, ['no record']), cost: 1 }
      if (play === 'nobody')
        return { outcome: 'found', answer: answer(200, { headline: 'hello', first_name: ' ' }), cost: 1 }
      throw new ProviderFault(play, `${name} plays ${play}`, {
        answer: answer(500, { name }),
        retryAfterSeconds: name.length,
      })
    },
  }
  return link
}

function chainOf(links: Link[], onNotFound = false) {
  return createChain({ links, onNotFound, budget: null, clock: handClock() })
}

const outages = ['unavailable', 'timeout', 'invalid', 'rejected', 'limited', 'unmappable', 'nobody'] as const

describe('an ordered chain', () => {
  test('asks only the first that answers', async () => {
    const links = [playing('one', 'found'), playing('two', 'found')]

    const answer = await chainOf(links).ask(askFor('ada'))

    expect(answer).toMatchObject({
      outcome: 'found',
      provider: { name: 'one' },
      projection: { identity: { key: 'urn:one' } },
    })
    expect(answer.attempts).toMatchObject([{ provider: 'one', outcome: 'found', fault: null, cost: 2 }])
    expect(links.map(({ asked }) => asked)).toEqual([1, 0])
  })

  test.each(outages)('asks the next one in an outage (%s), and records both', async (outage) => {
    const { provider, attempts } = await chainOf([playing('one', outage), playing('two', 'found')]).ask(askFor('ada'))

    const kind = outage === 'unmappable' || outage === 'nobody' ? 'invalid' : outage
    expect(provider.name).toBe('two')
    expect(attempts.map(({ provider: name, outcome }) => [name, outcome])).toEqual([
      ['one', kind],
      ['two', 'found'],
    ])
    expect(attempts[0]?.answer).not.toBeNull()
    expect(attempts[0]?.durationMs).toBeGreaterThanOrEqual(0)
  })

  test('leaves the substitute of a hanging provider its full time', async () => {
    const { provider, attempts } = await chainOf([playing('one', 'hang', 30), playing('two', 'found')]).ask(
      askFor('ada'),
    )

    expect(provider.name).toBe('two')
    expect(attempts[0]?.outcome).toBe('timeout')
  })

  test('a 404 is an answer: the next is not asked unless the operator wants it', async () => {
    const links = [playing('one', 'not_found'), playing('two', 'found')]

    expect(await chainOf(links).ask(askFor('ada'))).toMatchObject({
      verdict: { outcome: 'not_found' },
      outcome: 'uncertain',
    })
    expect((await chainOf(links, true).ask(askFor('ada'))).provider.name).toBe('two')
    expect(links.map(({ asked }) => asked)).toEqual([2, 1])
  })

  test('with onNotFound a 404 from all is one, reported by the first', async () => {
    const found = await chainOf([playing('one', 'not_found'), playing('two', 'not_found')], true).ask(askFor('ada'))

    expect(found).toMatchObject({ provider: { name: 'one' }, verdict: { outcome: 'not_found' }, outcome: 'unknown' })
    expect(found.attempts).toHaveLength(2)
  })

  test('with onNotFound an outage anywhere never becomes a 404', async () => {
    for (const plays of [
      ['not_found', 'timeout'],
      ['timeout', 'not_found'],
    ] as const) {
      const fault = await faultOf<ChainFault>(
        chainOf(
          plays.map((play) => playing(play, play)),
          true,
        ).ask(askFor('ada')),
      )
      expect(fault.kind).toBe('timeout')
      expect(fault.attempts.map(({ outcome }) => outcome)).toEqual(plays)
    }
  })

  test('a 404 from a substitute is an answer, but an uncertain one', async () => {
    const found = await chainOf([playing('one', 'unavailable'), playing('two', 'not_found')]).ask(askFor('ada'))

    expect(found).toMatchObject({ provider: { name: 'two' }, verdict: { outcome: 'not_found' }, outcome: 'uncertain' })
  })

  test("if all fail, the kind is the last one's, the wait the shortest, and every attempt is recorded", async () => {
    const fault = await faultOf<ChainFault>(
      chainOf([playing('seven..', 'limited'), playing('three', 'timeout')]).ask(askFor('ada')),
    )

    expect(fault).toMatchObject({ kind: 'timeout', retryAfterSeconds: 5 })
    expect(fault.attempts.map((attempt) => attempt.answer?.status)).toEqual([500, 500])
    expect(faultToFailure(fault).code).toBe('upstream_timeout')
  })

  test("a caller who leaves ends the chain; a caller's time limit is an outage", async () => {
    const next = playing('two', 'found')
    const caller = new AbortController()
    const left = chainOf([playing('one', 'hang'), next]).ask(askFor('ada', { signal: caller.signal }))
    caller.abort(new Error('left'))

    await expect(left).rejects.toThrow('left')
    const limited = chainOf([playing('one', 'hang'), next]).ask(askFor('ada', { signal: AbortSignal.timeout(20) }))
    expect((await faultOf(limited)).kind).toBe('timeout')
    expect(next.asked).toBe(0)
  })

  test("states show every provider's last fault and last answer", async () => {
    const chain = chainOf([playing('one', 'rejected'), playing('two', 'found')])
    expect(chain.states()).toMatchObject([
      { provider: 'one', breaker: 'closed', lastFault: null },
      { lastAnswerAt: null },
    ])

    await chain.ask(askFor('ada'))

    const at = Date.UTC(2026, 10, 14)
    expect(chain.states()).toMatchObject([
      { provider: 'one', lastFault: { kind: 'rejected', at }, lastAnswerAt: null },
      { provider: 'two', lastFault: null, lastAnswerAt: at },
    ])
  })
})

describe('a chain over HTTP', () => {
  test('the first provider fails and the second answers; provenance and attempts name it', async () => {
    const down = await serveRaw((socket) => socket.resetAndDestroy())
    const up = await serve((_request, response) => sendPerson(response))
    const link = (name: string, url: string): Link => {
      return { provider: { ...mirror({ url, key }), name }, sender: senderTo(url), totalMs: 5_000 }
    }

    const answered = await chainOf([link('first', down.url), link('second', up.url)]).ask(
      askFor('ada-fiction', { signal: never }),
    )

    expect(answered.provider.name).toBe('second')
    expect(personOf(answered)).toMatchObject({ member_urn: 'urn:li:member:7001', first_name: 'Ada' })
    expect(answered.attempts.map(({ provider, outcome }) => `${provider} ${outcome}`)).toEqual([
      'first unavailable',
      'second found',
    ])
    expect([down.state.hits, up.hits.length]).toEqual([3, 1])
  })
})

describe('the outcome of an ask that finds nothing', () => {
  const miss = playing('one', 'not_found').provider
  const other = playing('two', 'not_found').provider
  const verdict: Verdict = { outcome: 'not_found', answer: answer(404, {}), cost: null }
  const several: Verdict = { ...verdict, isAmbiguous: true }
  const all = {
    denials: [{ provider: miss, verdict }],
    able: 1,
    isWholeChain: true,
    hasSkipped: false,
    hasRequired: false,
  }
  const told = { ...miss, isToldRequired: true }

  test.each([
    ['every provider denies it', all, 'unknown'],
    ['every provider of the route denies it', { ...all, isWholeChain: false }, 'unknown_on_route'],
    ['one that can answer was not asked or failed', { ...all, able: 2 }, 'uncertain'],
    ['one was skipped for what it lacks', { ...all, hasSkipped: true }, 'uncertain'],
    ['fields are required, and nobody was told', { ...all, hasRequired: true }, 'unknown'],
    [
      'one was told of required fields',
      { ...all, denials: [{ provider: told, verdict }], hasRequired: true },
      'uncertain',
    ],
    [
      'one has several that fit',
      {
        ...all,
        denials: [
          { provider: miss, verdict },
          { provider: other, verdict: several },
        ],
        able: 3,
      },
      'ambiguous',
    ],
  ] as const)('%s', (_case, facts, outcome) => {
    expect(missOutcome(facts)).toBe(outcome)
  })
})

describe('the predicted outcome for an unknown record', () => {
  const ends = ['not_found', 'unavailable', 'timeout', 'rejected', 'limited'] as const
  const chains = ends.flatMap((first) =>
    ends.flatMap((second) => [false, true].map((onNotFound) => ({ first, second, onNotFound }))),
  )
  const endOf = async (end: Promise<Pick<ChainAnswer, 'outcome'>>) => {
    try {
      return (await end).outcome
    } catch (error) {
      const { kind, retryAfterSeconds } = error as ChainFault
      return { kind, retryAfterSeconds }
    }
  }

  test.each(chains)('needs no call: $first, then $second, $onNotFound', async ({ first, second, onNotFound }) => {
    const links = [playing('one', first), playing('second', second)]
    const chain = chainOf(links, onNotFound)
    const real = await endOf(chain.ask(askFor('unknown')))
    const asked = links.map((link) => link.asked)

    const presumed = await endOf(chain.presumeMiss(askFor('unknown')))

    expect(presumed).toEqual(real)
    expect(links.map((link) => link.asked)).toEqual(asked)
  })

  test('a fault counts against a provider for five minutes, or until it answers; one of a single record does not', async () => {
    const clock = handClock()
    const link = playing('one', 'rejected')
    const broken = playing('one', 'invalid')
    const chain = createChain({ links: [link], onNotFound: false, budget: null, clock })
    const other = createChain({ links: [broken], onNotFound: false, budget: null, clock })
    await endOf(chain.ask(askFor('someone')))
    await endOf(other.ask(askFor('someone')))
    const before = await endOf(chain.presumeMiss(askFor('unknown')))
    clock.advance(300_000)
    const after = await endOf(chain.presumeMiss(askFor('unknown')))

    expect(before).toEqual({ kind: 'rejected', retryAfterSeconds: 3 })
    expect(after).toBe('unknown')
    expect(await endOf(other.presumeMiss(askFor('unknown')))).toBe('unknown')
  })

  test('a provider that receives required fields proves nothing, and a slug-only one cannot take an opaque id', async () => {
    const link = playing('one', 'not_found')
    const chain = chainOf([{ ...link, provider: { ...link.provider, isToldRequired: true, refusesOpaqueIds: true } }])
    const opaque = askFor('', { identifier: { kind: 'people', type: 'opaque', value: 'ACoAAx' } })
    const required = askFor('unknown', { require: ['headline'] })

    for (const asked of [opaque, required, askFor('unknown')])
      expect(await endOf(chain.presumeMiss(asked))).toEqual(await endOf(chain.ask(asked)))
    expect(await endOf(chain.presumeMiss(required))).toBe('uncertain')
    expect(await endOf(chain.presumeMiss(opaque))).toMatchObject({ kind: 'unavailable' })
  })
})
