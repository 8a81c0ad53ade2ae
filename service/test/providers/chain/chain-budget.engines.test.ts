import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { utcMonth } from '../../../src/foundation/clock.ts'
import { CallCounts, createBudget } from '../../../src/providers/call-counts.ts'
import { createChain } from '../../../src/providers/chain/chain.ts'
import type { ChainFault } from '../../../src/providers/chain/chain-answer.ts'
import { mirror } from '../../../src/providers/mirror/mirror.ts'
import { callCountOperations, providerOperations } from '../../../src/providers/operations.ts'
import { storeOn } from '../../harness/store-on.ts'
import { engines, type TestDatabase } from '../../harness/engines.ts'
import { askFor, faultOf, handClock, key, senderTo, sendPerson, serve } from '../transport/faulty-server.ts'

const november = Date.UTC(2026, 10, 30, 23, 59, 59, 999)

describe.each(engines)('the monthly budget on $name', (engine) => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await engine.open()
  })
  afterEach(async () => {
    await counts.close()
    await database.close()
  })

  const openCounts = (asked?: (name: string) => void) =>
    new CallCounts(storeOn(database, { callCounts: callCountOperations }, asked).callCounts)
  let counts: CallCounts
  beforeEach(() => {
    counts = openCounts()
  })
  const budget = (limit: number | null) => createBudget(counts, { mirror: limit })
  const pause = (paused: boolean) => counts.setPaused({ provider: 'mirror', paused, actor: 'owner', at: november })
  const counted = (month = '2026-11') => counts.states(month)

  test('of many concurrent calls exactly as many pass as are left', async () => {
    const sevenCalls = budget(7)

    const ends = await Promise.all(Array.from({ length: 30 }, () => sevenCalls.spend('mirror', november)))

    expect(ends.filter((end) => end === 'ok')).toHaveLength(7)
    expect(ends.filter((end) => end === 'spent')).toHaveLength(23)
    expect(await counted()).toEqual([{ provider: 'mirror', calls: 7 }])
  })

  test('reading it predicts the next call, and counts none', async () => {
    const oneCall = budget(1)
    const looks = [await oneCall.peek('mirror', november), await oneCall.peek('mirror', november)]
    await oneCall.spend('mirror', november)
    looks.push(await oneCall.peek('mirror', november), await budget(null).peek('mirror', november))
    await pause(true)
    looks.push(await budget(null).peek('mirror', november))

    expect(looks).toEqual(['ok', 'ok', 'spent', 'ok', 'paused'])
  })

  test('of several nodes is never exceeded, and each call of it can be made; a call rarely asks the store', async () => {
    let asked = 0
    const counting = (name: string) => (asked += name === 'callCounts.spendBudget' ? 1 : 0)
    const nodes = [openCounts(counting), openCounts(counting), openCounts(counting)]
    const spend = (node: CallCounts) => node.spend({ provider: 'mirror', month: '2026-11', limit: 3_000 })
    let passed = 0
    for (let call = 0; call < 2_900; call++) {
      const node = nodes[call % nodes.length] ?? counts
      if ((await spend(node)) === 'ok') passed++
    }
    expect({ passed, asked: asked < 500 }).toEqual({ passed: 2_900, asked: true })

    // Each returns what it has not used, as it does once a second.
    for (const node of nodes) await node.write()
    const ends = await Promise.all(Array.from({ length: 300 }, (_, call) => spend(nodes[call % 3] ?? counts)))

    expect(ends.filter((end) => end === 'ok')).toHaveLength(100)
    expect(await counted()).toEqual([{ provider: 'mirror', calls: 3_000 }])
    for (const node of nodes) await node.close()
  })

  test('loses at most a hundredth of what is left when a node dies, and is not exceeded', async () => {
    const dead = openCounts()
    const ask = { provider: 'mirror', month: '2026-11', limit: 1_000 }
    expect(await dead.spend(ask)).toBe('ok')

    let passed = 1
    while ((await counts.spend(ask)) === 'ok') passed++

    expect(passed).toBeLessThanOrEqual(1_000)
    expect(passed).toBeGreaterThanOrEqual(990)
  })

  test('gives no call of a new month the share of the last one', async () => {
    const spend = (month: string) => counts.spend({ provider: 'mirror', month, limit: 1_000 })
    await spend('2026-11')
    await spend('2026-12')

    expect(await counted('2026-11')).toEqual([{ provider: 'mirror', calls: 1 }])
    expect(await counted('2026-12')).toEqual([{ provider: 'mirror', calls: 1 }])
  })

  test('of a node that paused or was told of a pause is asked of the store', async () => {
    const other = openCounts()
    const ask = { provider: 'mirror', month: '2026-11', limit: 1_000 }
    expect([await other.spend(ask), await other.spend({ ...ask, limit: null })]).toEqual(['ok', 'ok'])
    await pause(true)

    other.forget()

    expect([await other.spend(ask), await other.spend({ ...ask, limit: null })]).toEqual(['paused', 'paused'])
    await other.close()
  })

  test('starts full in a new UTC month and for another provider', async () => {
    const oneCall = budget(1)
    await oneCall.spend('mirror', november)

    expect(await oneCall.spend('mirror', november)).toBe('spent')
    expect(await oneCall.spend('mirror', november + 1)).toBe('ok')
    expect(await oneCall.spend('directory', november)).toBe('ok')
    expect([utcMonth(november), utcMonth(november + 1)]).toEqual(['2026-11', '2026-12'])
  })

  test('counts calls even without a limit; a limit of 0 allows none', async () => {
    for (let call = 0; call < 3; call++) expect(await budget(null).spend('mirror', november)).toBe('ok')

    expect(await budget(0).spend('other', november)).toBe('ok')
    expect(await counts.spend({ provider: 'nobody', month: '2026-11', limit: 0 })).toBe('spent')
    expect((await counted())[0]).toEqual({ provider: 'mirror', calls: 3 })
  })

  test('skips and does not count a paused provider until it is resumed; both are audited', async () => {
    await pause(true)
    expect(await budget(5).spend('mirror', november)).toBe('paused')
    expect(await providerOperations.providerStates(database, null)).toEqual([
      { provider: 'mirror', paused: true, changedAt: november, confirmed: null },
    ])
    await pause(false)

    expect(await budget(5).spend('mirror', november)).toBe('ok')
    expect(await counted()).toEqual([{ provider: 'mirror', calls: 1 }])
    const audit = await database.db
      .selectFrom('audit')
      .select(['action', 'subject', 'actor', 'after'])
      .orderBy('id')
      .execute()
    expect(audit).toEqual([
      { action: 'provider.pause', subject: 'mirror', actor: 'owner', after: '{"paused":true}' },
      { action: 'provider.resume', subject: 'mirror', actor: 'owner', after: '{"paused":false}' },
    ])
  })

  test('treats a spent budget and a paused provider as outages, and sends nothing', async () => {
    const server = await serve((_request, response) => sendPerson(response))
    const link = { provider: mirror({ url: server.url, key }), sender: senderTo(server.url), totalMs: 5_000 }
    const chain = createChain({ links: [link], onNotFound: false, budget: budget(1), clock: handClock(november) })

    expect((await chain.ask(askFor('ada'))).verdict.outcome).toBe('found')
    const spent = await faultOf<ChainFault>(chain.ask(askFor('ada')))
    await pause(true)
    const paused = await faultOf<ChainFault>(chain.ask(askFor('ada')))

    expect([spent.kind, paused.kind]).toEqual(['unavailable', 'unavailable'])
    expect(paused.message).toContain('paused')
    expect(server.hits).toHaveLength(1)
  })

  test('does not count a call that the breaker refuses', async () => {
    const server = await serve((_request, response) => response.writeHead(500).end())
    const sender = senderTo(server.url, { breaker: { failures: 1, openMs: 60_000 } })
    const link = { provider: mirror({ url: server.url, key }), sender, totalMs: 5_000 }
    const chain = createChain({ links: [link], onNotFound: false, budget: budget(9), clock: handClock(november) })

    for (let call = 0; call < 4; call++) await faultOf(chain.ask(askFor('ada')))

    expect(await counted()).toEqual([{ provider: 'mirror', calls: 1 }])
  })
})
