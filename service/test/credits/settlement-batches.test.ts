import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SettlementQueue } from '../../src/credits/settlement-queue.ts'
import type { Failure } from '../../src/foundation/failure.ts'
import type { SettleRequest } from '../../src/credits/decision/settlement-requests.ts'
import { decodeBatch, encodeOutcomes, type Outcome } from '../../src/credits/store/settlement-wire.ts'
import { charge, hold } from './requests.ts'

const long = process.env['VITAE_TEST_LONG'] === '1'

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn()
}

const none = { ceilingRemaining: null, ceilingResetsAt: null }
const decision = (available: number): Outcome => ({ outcome: 'settled', charged: 1, available, ...none })
const numberOf = (request: SettleRequest) => Number(request.requestId)

/** A queue over a test's own store. Requests are identified by a number, and each is answered with one. */
function queueOver(
  settle: (requests: readonly SettleRequest[]) => Promise<Outcome[]>,
  options?: ConstructorParameters<typeof SettlementQueue>[1],
) {
  const queue = new SettlementQueue(
    { settle: async (text) => encodeOutcomes(await settle(decodeBatch(text).requests)) },
    options,
  )
  return async (number: number, environmentId = 1) =>
    (await queue.settle(charge(String(number), { environmentId }))).available
}

/** A queue that records its batches. Each batch takes one turn of the event loop. */
function noted(arriving?: () => Promise<unknown> | null) {
  const batches: number[][] = []
  const settle = async (requests: readonly SettleRequest[]) => {
    const numbers = requests.map(numberOf)
    batches.push(numbers)
    await nextTurn()
    return numbers.map((number) => decision(1_000 + number))
  }
  const join = queueOver(settle, arriving && { arriving })
  return { batches, join, sizes: () => batches.map((batch) => batch.length) }
}

/** Callers who send the next request some turns after each answer. */
function crowdOf(
  count: number,
  times: number,
  join: (request: number) => Promise<number>,
  turnsOf: (caller: number) => number = () => 0,
) {
  return Promise.all(
    Array.from({ length: count }, async (_, caller) => {
      for (let time = 0; time < times; time++) {
        expect(await join(caller)).toBe(1_000 + caller)
        await turns(turnsOf(caller))
      }
    }),
  )
}

test('the batch of a crowd includes all callers who return at once', async () => {
  const { join, sizes } = noted()

  await crowdOf(64, 6, join)

  // The first caller has nobody to wait for; its next request is the very last one.
  expect(sizes()).toEqual([1, 63, 64, 64, 64, 64, 64])
})

test('the batch of a crowd stays open while every turn of the event loop brings more requests', async () => {
  const { join, sizes } = noted()

  await crowdOf(64, 6, join, (caller) => caller % 8)

  expect(
    sizes()
      .slice(2, -1)
      .every((size) => size >= 63),
  ).toBe(true)
  expect(sizes().length).toBeLessThanOrEqual(8)
})

test('the batch of a crowd waits for known arrivals, but not forever', async () => {
  let arriving: Promise<unknown> | null = null
  const { join, sizes } = noted(() => arriving)
  // Half of them are delayed elsewhere, for longer than a batch stays open by itself.
  const heldUp = async () => {
    arriving ??= turns(20).then(() => (arriving = null))
    await arriving
  }
  const halfHeldUp = Array.from({ length: 64 }, async (_, caller) => {
    for (let time = 0; time < 4; time++) {
      expect(await join(caller)).toBe(1_000 + caller)
      if (caller % 2 === 0) await heldUp()
    }
  })
  await Promise.all(halfHeldUp)

  expect(sizes().slice(0, 5)).toEqual([1, 63, 64, 64, 64])

  const rush = noted(() => turns(3))
  await crowdOf(20, 3, rush.join)
  const answer = await Promise.race([rush.join(1), turns(30)])
  expect(answer).toBe(1_001)
})

test('a batch is sent eventually, even if every turn brings a request', async () => {
  const { batches, join } = noted()
  await crowdOf(20, 3, join)
  const before = batches.length

  const late: Promise<number>[] = []
  for (let turn = 0; turn < 100 && batches.length === before; turn++) {
    // Requested first, so that it runs before the batch checks for arrivals.
    const next = nextTurn()
    late.push(join(turn))
    await next
  }

  expect(late.length).toBeGreaterThan(3)
  expect(late.length).toBeLessThan(30)
  await Promise.all(late)
})

test('a stored answer does not wait for a crowd of fetches, even if one starts with every turn', async () => {
  const left: SettleRequest[][] = []
  const queue = new SettlementQueue({
    settle: async (text) => {
      const { requests } = decodeBatch(text)
      left.push([...requests])
      await nextTurn()
      return encodeOutcomes(requests.map(() => decision(1)))
    },
  })
  // Two batches. The second is a crowd.
  await Promise.all(Array.from({ length: 40 }, (_, number) => queue.settle(hold(`first-${number}`))))

  const all: Promise<unknown>[] = [queue.settle(hold('next')), queue.settle(charge('stored'))]
  const isPaid = () => left.flat().some(({ type }) => type === 'charge')
  let turn = 0
  for (; turn < 100 && !isPaid(); turn++) {
    all.push(queue.settle(hold(`later-${turn}`)))
    await nextTurn()
  }

  expect(turn).toBeLessThan(4)
  await Promise.all(all)
})

test('without a crowd a request is sent immediately', async () => {
  const { join, sizes } = noted()
  for (let time = 1; time <= 3; time++) {
    const answer = join(7)
    expect(sizes()).toHaveLength(time)
    await answer
  }
  // Fewer than a crowd: requests that arrive together are sent together, and the next one is not awaited.
  await crowdOf(15, 2, join)
  const before = sizes().length
  const answer = join(7)
  expect(sizes()).toHaveLength(before + 1)
  await answer
})

test('the first request after a crowd waits for one turn of the event loop, and the next for none', async () => {
  const { join, sizes } = noted()
  await crowdOf(40, 3, join)
  const before = sizes().length

  const first = join(1)
  await turns(2)
  expect(sizes()).toHaveLength(before + 1)
  await first
  const second = join(2)
  expect(sizes()).toHaveLength(before + 2)
  await second
})

test('a batch with too few answers fails the unanswered requests', async () => {
  const join = queueOver(async () => {
    await nextTurn()
    return [decision(7)]
  })

  const answers = await Promise.allSettled([1, 2, 3].map((number) => join(number)))

  expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : String(answer.reason)))).toEqual([
    7,
    7,
    'Error: a batch answered fewer requests than it was given',
  ])
})

/** The outcome of a batch: an answer or a failure after some turns, or a failure before the first. */
const fate = fc.record({ turns: fc.nat(4), end: fc.constantFrom('answers', 'answers', 'answers', 'rejects', 'throws') })
const arrival = fc.record({ turns: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3)), count: fc.nat(40) })

test('every request is sent once, in the order of its environment, with one batch per environment at a time, and gets the outcome of its own batch', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { minLength: 1, maxLength: 12 }),
      fc.array(fate, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      async (arrivals, fates, environments, batchesAtOnce) => {
        const left: SettleRequest[][] = []
        const inFlight: number[][] = []
        const fateOf = (batch: number) => fates[batch % fates.length] ?? { turns: 0, end: 'answers' }
        const settle = (requests: readonly SettleRequest[]) => {
          const number = left.push([...requests]) - 1
          const own = [...new Set(requests.map((request) => request.environmentId))]
          expect(inFlight.flat().filter((environment) => own.includes(environment))).toEqual([])
          expect(inFlight.length).toBeLessThan(batchesAtOnce)
          if (fateOf(number).end === 'throws') throw new Error(`batch ${number}`)
          inFlight.push(own)
          return turns(fateOf(number).turns).then(() => {
            inFlight.splice(inFlight.indexOf(own), 1)
            if (fateOf(number).end === 'rejects') throw new Error(`batch ${number}`)
            return requests.map(() => decision(number))
          })
        }
        const join = queueOver(settle, { batchesAtOnce })

        const asked: Promise<string>[] = []
        for (const { turns: pause, count } of arrivals) {
          await turns(pause)
          for (let more = 0; more < count; more++) {
            const number = asked.length
            asked.push(join(number, 1 + (number % environments)).then(String, String))
          }
        }
        const heard = await Promise.all(asked)

        for (let environment = 0; environment < environments; environment++) {
          const ofEnvironment = left.flat().filter((request) => request.environmentId === environment + 1)
          const expected = asked.map((_, number) => number).filter((number) => number % environments === environment)
          expect(ofEnvironment.map(numberOf)).toEqual(expected)
        }
        for (const [batch, requests] of left.entries()) {
          const answer = fateOf(batch).end === 'answers' ? String(batch) : `Error: batch ${batch}`
          expect(requests.map((request) => heard[numberOf(request)])).toEqual(requests.map(() => answer))
        }
      },
    ),
    { numRuns: long ? 5_000 : 300 },
  )
})

test('a caller whose payment got no answer learns that it may have been billed and how to find out; a hold gets no such message', async () => {
  const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  const detailOf = async (request: SettleRequest): Promise<unknown> => {
    const queue = new SettlementQueue({ settle: () => Promise.reject(lost) })
    const failure: unknown = await queue.settle(request).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'store_unavailable' })
    return (failure as Failure).details.detail
  }

  const [ofPayment, ofHold] = await Promise.all([detailOf(charge('1')), detailOf(hold('2'))])

  expect(ofPayment).toMatch(/may have been billed. Retry with the same Idempotency-Key/)
  expect(ofHold).toBeUndefined()
})
