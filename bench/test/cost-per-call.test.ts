import { StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { NotedVersions } from '../../service/src/credits/environment-lines.ts'
import { openLedger, settleAll } from '../../service/test/credits/ledger.ts'
import { charge } from '../../service/test/credits/requests.ts'
import { engines, type OpenDatabase } from '../../service/test/harness/engines.ts'
import { openCountingService, type CountingService } from './counting-service.ts'

// Speed depends on the machine, so these tests limit the work of a call instead.

let service: CountingService
beforeAll(async () => {
  service = await openCountingService()
  await service.get('live', 'ada-example')
})
afterAll(() => service.close())

test('a hot store answer costs one message to the store, one write to the caller, and no JSON of its own', async () => {
  const costs = await service.costOf(async () => {
    for (let call = 0; call < 10; call++) await service.get('live', 'ada-example')
  })

  expect(costs).toMatchObject({ messages: { 'credits.settle': 10 }, upstreamCalls: 0, writes: 10 })
  expect(Object.keys(costs.messages)).toEqual(['credits.settle'])
  expect(costs.json).toBeLessThanOrEqual(10 * jsonPerMessage)
})

test('one field of a record costs as much as the whole record, and is sent in under a kilobyte', async () => {
  const headline = 'ada-example&fields=headline'
  const { head } = await service.get('live', headline)

  const [whole, cut] = [
    await service.costOf(() => service.get('live', 'ada-example')),
    await service.costOf(() => service.get('live', headline)),
  ]

  expect(cut).toEqual(whole)
  expect(Number(/Content-Length: (\d+)/.exec(head)?.[1])).toBeLessThan(1_000)
})

test('calls that arrive during a settlement share the next one', async () => {
  const callers = 64
  // Opens all connections first, so that none is opened while counting.
  await service.getAtOnce(callers, 'ada-example')
  const allArrived = arrivals(callers)
  service.beforeMessage = (name) => (name === 'credits.settle' ? allArrived : undefined)

  const costs = await service.costOf(() => service.getAtOnce(callers, 'ada-example'))

  expect(costs).toMatchObject({ upstreamCalls: 0, writes: callers })
  expect(Object.keys(costs.messages)).toEqual(['credits.settle'])
  expect(costs.messages['credits.settle']).toBeLessThanOrEqual(2)
  expect(costs.json).toBeLessThanOrEqual(2 * jsonPerMessage)
})

test('a test key costs no store message, and no JSON once its sample is cached', async () => {
  await service.get('test', 'ada-example')

  const costs = await service.costOf(() => service.get('test', 'ada-example'))

  expect(costs).toEqual({ messages: {}, upstreamCalls: 0, json: 0, writes: 1 })
})

test('a call over the rate limit costs one write, and all of them together one store read per second', async () => {
  await service.get('limited', 'ada-example')
  await service.get('limited', 'ada-example', 429)

  const costs = await service.costOf(async () => {
    for (let call = 0; call < 50; call++) await service.get('limited', 'ada-example', 429)
  })

  expect(costs).toMatchObject({ upstreamCalls: 0, writes: 50 })
  expect(costs.json).toBeLessThan(10)
  expect(Object.keys(costs.messages).filter((name) => name !== 'credits.remainingCredits')).toEqual([])
  expect(costs.messages['credits.remainingCredits'] ?? 0).toBeLessThan(5)
})

test('a live miss costs one upstream call, one read, one hold, and one save that counts the call and settles it', async () => {
  const costs = await service.costOf(() => service.get('live', 'grace-example'))

  expect(costs.messages).toEqual({ 'records.readRecord': 1, 'credits.settle': 1, 'lookups.saveAndSettle': 1 })
  expect(costs).toMatchObject({ upstreamCalls: 1, writes: 1 })
})

test('a miss that waits for its provider sends no store message meanwhile, and keeps few timers', async () => {
  const callers = 40
  const asked = service.provider.requests.length
  const timersBefore = activeTimers()
  const { promise, resolve } = Promise.withResolvers<void>()
  service.provider.until = promise
  const answers = Promise.all(Array.from({ length: callers }, (_, index) => service.get('live', `slow-${index}`)))
  while (service.provider.requests.length < asked + callers) await nextTurn()

  const costs = await service.costOf(async () => {
    for (let turn = 0; turn < 100; turn++) await nextTurn()
  })

  expect(costs).toMatchObject({ messages: {}, writes: 0 })
  // The hold, the claim, the exchange, and the limits of the provider and of the whole fetch.
  expect(activeTimers() - timersBefore).toBeLessThanOrEqual(callers * 5)
  resolve()
  await answers
})

test('many callers of one unknown record cost one read, one upstream call and one save', async () => {
  const callers = 500
  await service.getAtOnce(callers, 'ada-example')
  const allArrived = arrivals(callers)
  service.beforeMessage = (name) => (name === 'records.readRecord' ? allArrived : undefined)

  const costs = await service.costOf(() => service.getAtOnce(callers, 'storm-example'))

  expect(costs).toMatchObject({ messages: { 'records.readRecord': 1 }, upstreamCalls: 1, writes: callers })
  const { 'records.saveFetch': saves = 0, 'lookups.saveAndSettle': savesWithPayment = 0 } = costs.messages
  expect(saves + savesWithPayment).toBe(1)
})

test.each([1, 16, 256])('a settlement of %i calls costs the same few SQL statements', async (calls) => {
  expect(await statementsOf(calls)).toBe(statementsPerSettlement)
})

test('a settlement of an odd size costs a few more SQL statements, not one per call', async () => {
  // Rows are written in powers of two, in eights and a remainder, into two tables: 511 = 256 + 128 + 64 + 56 + 7.
  expect(await statementsOf(511)).toBe(statementsPerSettlement + 2 * 4)
})

test('a settlement that crosses no threshold costs no extra statement, and writes no event', async () => {
  const statements = await statementsOf(16, async (database) => {
    await database.db.updateTable('environments').set({ alert_credits_below: 100 }).execute()
    await database.db.updateTable('keys').set({ ceiling: 1_000 }).execute()
    return async () => expect(await database.db.selectFrom('events').selectAll().execute()).toEqual([])
  })
  expect(statements).toBe(statementsPerSettlement)
})

/** A settlement and its result each cross to the store's thread as one JSON text. Records are not converted again. */
const jsonPerMessage = 2

/** Begin and commit; reads of accounts and of keys with their months; writes of entries, balances, months and calls. */
const statementsPerSettlement = 8

/** The number of statements that the engine runs for a settlement of the given number of charges. */
async function statementsOf(
  calls: number,
  prepare?: (database: OpenDatabase) => Promise<() => Promise<void>>,
): Promise<number> {
  const [engine] = engines
  if (!engine) throw new Error('there is no embedded engine')
  const { database, environmentId } = await openLedger(engine, 10_000)
  const check = await prepare?.(database)
  const requests = (round: string) =>
    Array.from({ length: calls }, (_, index) => charge(`${round}-${index}`, { environmentId }))
  const noted = new NotedVersions()
  await settleAll(database, requests('first'), false, noted)
  const spies = (['all', 'run', 'iterate'] as const).map((method) => vi.spyOn(StatementSync.prototype, method))
  const decisions = await settleAll(database, requests('second'), false, noted)
  const statements = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
  for (const spy of spies) spy.mockRestore()
  expect(decisions.every(({ outcome }) => outcome === 'settled')).toBe(true)
  await check?.()
  return statements
}

function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}

/** Resolves when the given number of calls have arrived and wait for the store. */
async function arrivals(count: number): Promise<void> {
  while (service.callsInFlight < count) await nextTurn()
  await nextTurn()
}
