import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Caller } from '../../../src/accounts/caller.ts'
import type { HistoryEntry } from '../../../src/credits/reports/history.ts'
import { Failure } from '../../../src/foundation/failure.ts'
import { describeAccount } from '../../../src/lookup/account.ts'
import { answerLookup } from '../../../src/lookup/answer-lookup.ts'
import type { Lookup } from '../../../src/lookup/asked/lookup.ts'
import { preflightFor } from '../../../src/lookup/preflight.ts'
import { openTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'

/** Each sequence has ten states. */
const sequences = process.env['VITAE_TEST_LONG'] ? 1_000 : 10
const timeout = 600_000 + sequences * 2_000

interface Situation {
  service: TestService
  owner: TestCaller
  /** Requests with open holds. */
  holds: string[]
}

type Step =
  | { do: 'call'; who: string; query: string; value: string | null }
  | { do: 'hold'; amount: number }
  | { do: 'release' }
  | { do: 'grant'; amount: number }
  | { do: 'limit'; which: 'ceiling' | 'daily_ceiling'; limit: number | null }
  | { do: 'budget'; limit: number | null }
  | { do: 'outage'; out: boolean }
  | { do: 'wait'; hours: number }

const call: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('call' as const),
  who: fc.constantFrom('ada', 'grace', 'linus', 'missing-person'),
  query: fc.constantFrom('', '', '&max_age_days=0', '&bypass_cache=true', '&include_contact_info=true'),
  value: fc.constantFrom(null, null, 'a', 'b'),
})
const few = fc.integer({ min: 0, max: 12 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: call },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('hold' as const), amount: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('grant' as const), amount: fc.integer({ min: 1, max: 9 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('limit' as const),
      which: fc.constantFrom('ceiling' as const, 'daily_ceiling' as const),
      limit: fc.option(few),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('budget' as const), limit: fc.option(few) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('outage' as const), out: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(1, 7, 25, 200, 700) }) },
)

async function take(situation: Situation, done: Step): Promise<void> {
  const { service, owner, holds } = situation
  const { settle } = service.service.lookup
  const at = service.clock.now()
  const caller = await service.service.keyCache.find(owner.key)
  const step = { keyId: caller.keyId, environmentId: caller.environmentId, idempotency: null, at }
  if (done.do === 'call') return compare(service, caller, lookupOf(service, done))
  if (done.do === 'wait') service.clock.advance({ hours: done.hours })
  if (done.do === 'grant') await service.grant(done.amount, 'production', owner.project)
  if (done.do === 'outage') await service.upstream.setFault(done.out ? 401 : null)
  if (done.do === 'limit') await service.admin('PATCH', `/keys/${owner.keyId}`, { [done.which]: done.limit })
  if (done.do === 'budget') await setBudget(situation, done.limit)
  if (done.do === 'release') {
    const requestId = holds.pop()
    if (requestId !== undefined) await settle({ ...step, type: 'release', requestId })
  }
  if (done.do === 'hold') {
    const requestId = randomUUID()
    holds.push(requestId)
    await settle({ ...step, type: 'hold', requestId, amount: done.amount, expiresAt: at + 3_600_000_000 })
  }
}

function setBudget({ service, owner: { project } }: Situation, monthly: number | null) {
  return service.admin('POST', '/credits/budgets', { project, environment: 'production', monthly })
}

function lookupOf({ service, clock }: TestService, { who, query, value }: Extract<Step, { do: 'call' }>): Lookup {
  const request = {
    kind: 'people' as const,
    search: `profile_id=${who}${query}`,
    headers: {
      apiKey: undefined,
      idempotencyKey: value ?? undefined,
      spendTag: undefined,
      cacheControl: undefined,
      forwardedFor: undefined,
      accept: undefined,
      coding: null,
    },
    peer: '',
  }
  const nothing = { caller: null, rate: null, ignoredParameters: null, spendTag: null, tagCountedAs: null }
  return service.lookupParser.parse(request, { ...nothing, requestId: randomUUID(), startedAt: clock.now() })
}

/** Makes the call of the preflight. */
async function compare({ service, upstream }: TestService, caller: Caller, lookup: Lookup): Promise<void> {
  const asked = upstream.requests.length
  const expected = await preflightFor(service.lookup, caller, lookup)
  expect(upstream.requests.length, 'a pre-flight asks nobody').toBe(asked)

  const ended = await answerLookup(service.lookup, caller, { ...lookup, requestId: randomUUID() }).catch(
    (error: unknown) => error,
  )
  const asksProvider = upstream.requests.length > asked
  if (ended instanceof Failure) {
    // An outcome that only the provider knows cannot be predicted.
    const code = expected.asksProvider ? expect.stringMatching(/^(not_found|upstream_\w+)$/) : expected.refused
    expect(ended.code).toEqual(code)
    return expect(asksProvider).toBe(expected.asksProvider)
  }
  if (ended instanceof Error) throw ended
  const { source, credits } = ended as Awaited<ReturnType<typeof answerLookup>>
  expect({ refused: expected.refused, asksProvider: expected.asksProvider }).toEqual({ refused: null, asksProvider })
  // An outage that only appears during the call turns live into stale.
  if (source === 'stale_fallback' && expected.source === 'live') return
  expect({ source: expected.source, price: expected.price }).toEqual({ source, price: credits?.charged })
}

/** Sums up the ledger's entries, independent of the service's figures. */
function addUp(entries: readonly HistoryEntry[], now: number) {
  const placedAt = new Map(entries.flatMap((one) => (one.kind === 'hold' ? [[one.requestId, one.at] as const] : [])))
  const counts = (one: HistoryEntry, length: number) => {
    const at = placedAt.get(one.requestId) ?? one.at
    return new Date(at).toISOString().slice(0, length) === new Date(now).toISOString().slice(0, length)
  }
  const sums = { balance: 0, held: 0, day: 0, month: 0 }
  for (const one of entries) {
    const { kind, amount, heldAmount } = one
    if (kind === 'grant' || kind === 'adjustment') sums.balance += amount
    const paid = kind === 'charge' || kind === 'capture' ? amount : 0
    const held = kind === 'hold' ? amount : kind === 'release' ? -amount : kind === 'capture' ? -(heldAmount ?? 0) : 0
    sums.balance -= paid
    sums.held += held
    if (counts(one, 10)) sums.day += paid + held
    if (counts(one, 7)) sums.month += paid + held
  }
  return sums
}

async function expectLedger({ service: { service, clock }, owner }: Situation): Promise<void> {
  const caller = await service.keyCache.find(owner.key)
  const rate = await service.limiter.peek(caller.keyId, caller.rate)
  const { credits, ceilings, budgets } = await describeAccount(service.lookup, caller, rate)
  const name = { project: owner.project, environment: 'production' }
  const sums = addUp(await service.store.credits.creditHistory({ ...name, limit: 1_000 }), clock.now())
  expect(credits).toEqual({ available: sums.balance - sums.held, held: sums.held })
  expect(ceilings.monthly?.spent ?? sums.month).toBe(sums.month)
  expect(ceilings.daily?.spent ?? sums.day).toBe(sums.day)
  expect(budgets.monthly?.spent ?? sums.month).toBe(sums.month)
  for (const limit of [ceilings.monthly, ceilings.daily, budgets.monthly])
    if (limit) expect(limit.remaining).toBe(Math.max(0, limit.limit - limit.spent))
}

test(
  `in ${sequences * 10} states the account equals the sum of the ledger, and a preflight predicts the next call's outcome and charge`,
  {
    timeout,
  },
  async () => {
    const env = {
      VITAE_PRICE_PEOPLE: '2',
      VITAE_REPEAT_FREE_DAYS: '0.3',
      VITAE_BREAKER_FAILURES: '2',
      VITAE_UPSTREAM_TIMEOUT_MS: '5000',
    }
    const fixed = {
      priceLines: [
        { source: 'stale_fallback' as const, credits: 1 },
        { bypass: true, credits: 3 },
      ],
    }
    const service = await openTestService({ env, fixed, people: { 'missing-person': null } })
    const property = fc.asyncProperty(
      fc.integer({ min: 0, max: 12 }),
      fc.array(step, { minLength: 10, maxLength: 10 }),
      async (credits, steps) => {
        const situation: Situation = { service, owner: await service.newCaller(credits), holds: [] }
        await service.upstream.setFault(null)
        for (const one of steps) {
          await take(situation, one)
          await expectLedger(situation)
        }
      },
    )
    await fc.assert(property, { numRuns: sequences, endOnFailure: true })
  },
)
