import { describe, expect, test } from 'vitest'
import { creditOperations, grantOperations } from '../../../src/credits/operations.ts'
import { NotedVersions } from '../../../src/credits/environment-lines.ts'
import type { SettleRequest } from '../../../src/credits/decision/settlement-requests.ts'
import type { RunStatement } from '../../../src/database/engine/dialect.ts'
import { engines, type OpenDatabase } from '../../harness/engines.ts'
import { acme, addEnvironment, addKey, openLedger, settleAll, settleOne } from '../ledger.ts'
import { capture, charge, check, hold, minute, noon, release, value } from '../requests.ts'

const { creditBalance, remainingCredits, receipt, releaseHolds, pruneIdempotency, verifyLedger, logCalls } =
  creditOperations

describe.each(engines)('settle on $name', (engine) => {
  test('a charge changes the balance, the month and the receipt together', async () => {
    const { database, environmentId } = await openLedger(engine, 10)
    await database.db.updateTable('keys').set({ ceiling: 5 }).execute()

    const decision = await settleOne(database, charge('r1', { environmentId, price: 2 }))

    const remaining = { available: 8, ceilingRemaining: 3, ceilingResetsAt: Date.UTC(2026, 11) }
    expect(decision).toEqual({ outcome: 'settled', charged: 2, ...remaining })
    expect(await creditBalance(database, { ...acme, at: noon })).toEqual({ balance: 8, held: 0, available: 8 })
    expect(await remainingCredits(database, { environmentId, keyId: 'k1', at: noon })).toEqual(remaining)
    expect(await receipt(database, { requestId: 'r1' })).toMatchObject({
      requestId: 'r1',
      project: 'acme',
      environment: 'production',
      key: { id: 'k1', display: 'vt_live_k1' },
      call: { kind: 'people', status: 200, source: 'store', credits: 2, identifier: 'ada-lovelace', replayOf: null },
      entries: [{ kind: 'charge', amount: 2, month: '2026-11' }],
      hold: null,
    })
    expect(await verifyLedger(database)).toMatchObject({ ok: true, entries: 2 })
  })

  test('a hold is reserved, and its capture pays no more than the price', async () => {
    const { database, environmentId } = await openLedger(engine, 10)

    await settleOne(database, hold('r1', { environmentId, amount: 4 }))
    const held = await creditBalance(database, { ...acme, at: noon })
    const running = await receipt(database, { requestId: 'r1' })
    await settleOne(database, capture('r1', { environmentId, price: 3 }))

    expect(held).toEqual({ balance: 10, held: 4, available: 6 })
    expect(running).toMatchObject({ call: null, hold: { amount: 4 }, entries: [{ kind: 'hold' }] })
    expect(await creditBalance(database, { ...acme, at: noon })).toEqual({ balance: 7, held: 0, available: 7 })
    const entries = [{ kind: 'hold' }, { kind: 'capture', amount: 3, heldAmount: 4 }]
    expect(await receipt(database, { requestId: 'r1' })).toMatchObject({ hold: null, entries, call: { credits: 3 } })
    expect(await verifyLedger(database)).toMatchObject({ ok: true })
  })

  test('a released hold leaves only its two entries', async () => {
    const { database, environmentId } = await openLedger(engine, 10)

    await settleOne(database, hold('r1', { environmentId, amount: 4, idempotency: value('a') }))
    const decision = await settleOne(database, release('r1', { environmentId, idempotency: value('a') }))

    expect(decision).toMatchObject({ outcome: 'settled', charged: 0, available: 10 })
    expect(await database.db.selectFrom('idempotency').selectAll().execute()).toEqual([])
    expect(await database.db.selectFrom('holds').selectAll().execute()).toEqual([])
    expect(await verifyLedger(database)).toMatchObject({ ok: true, entries: 3 })
  })

  test('a batch in which one request is refused settles the others', async () => {
    const { database, environmentId } = await openLedger(engine, 2)
    const other = await addEnvironment(database, { project: 'initech', environment: 'production' }, 1)
    await addKey(database, other, { id: 'k2' })
    const requests = [
      charge('r1', { environmentId }),
      charge('r2', { environmentId, price: 2 }),
      charge('r3', { environmentId: other, keyId: 'k2' }),
      charge('r4', { environmentId }),
      charge('r5', { environmentId }),
    ]

    const decisions = await settleAll(database, requests)

    expect(decisions.map((each) => each.outcome)).toEqual(['settled', 'refused', 'settled', 'settled', 'refused'])
    expect(await verifyLedger(database)).toMatchObject({ ok: true })
  })

  test('a retry of a settled batch gets the same answer and settles nothing twice', async () => {
    const { database, environmentId } = await openLedger(engine, 10)
    await settleOne(database, hold('r3', { environmentId, amount: 3 }))
    await settleOne(database, charge('r0', { environmentId, idempotency: value('a') }))
    const requests: SettleRequest[] = [
      charge('r1', { environmentId, price: 2 }),
      hold('r2', { environmentId, amount: 1, idempotency: value('b') }),
      capture('r3', { environmentId, price: 2 }),
      charge('r4', { environmentId, idempotency: value('a') }),
      charge('r5', { environmentId, price: 100 }),
    ]

    const first = await settleAll(database, requests)
    const before = await database.db.selectFrom('ledger_entries').selectAll().execute()
    const again = await settleAll(database, requests, true)

    const verdicts = (decisions: typeof first) => decisions.map((each) => ({ ...each, available: null }))
    expect(verdicts(again)).toEqual(verdicts(first))
    expect(first.map((each) => each.outcome)).toEqual(['settled', 'settled', 'settled', 'replay', 'refused'])
    expect(await database.db.selectFrom('ledger_entries').selectAll().execute()).toEqual(before)
    expect(await creditBalance(database, { ...acme, at: noon })).toEqual({ balance: 5, held: 1, available: 4 })
  })

  test('a retry with its idempotency value is answered even if the first attempt spent the last credit, also with a successor key', async () => {
    const { database, environmentId } = await openLedger(engine, 1)
    await addKey(database, environmentId, { id: 'k2', spend_id: 'k1', ceiling: 1 })
    const idempotency = value('a')

    await settleOne(database, charge('r1', { environmentId, idempotency }))
    const asked = await settleOne(database, check('r2', { environmentId, idempotency }))
    const again = await settleOne(database, charge('r3', { environmentId, keyId: 'k2', idempotency }))
    const other = await settleOne(database, charge('r4', { environmentId, idempotency: value('a', 'grace') }))

    const replay = { outcome: 'replay', requestId: 'r1', versionId: 7, source: 'store', available: 0 }
    expect(asked).toMatchObject(replay)
    expect(again).toMatchObject({ ...replay, ceilingRemaining: 0 })
    expect(other).toMatchObject({ outcome: 'mismatch' })
    const receipts = await database.db.selectFrom('calls').select(['request_id', 'credits', 'replay_of']).execute()
    expect(receipts).toEqual([
      { request_id: 'r1', credits: 1, replay_of: null },
      { request_id: 'r3', credits: 0, replay_of: 'r1' },
    ])
  })

  test('the same value in another environment is independent', async () => {
    const { database, environmentId } = await openLedger(engine, 5)
    const other = await addEnvironment(database, { project: 'initech', environment: 'production' }, 5)
    await addKey(database, other, { id: 'k2' })
    const idempotency = value('a')
    const requests = [
      charge('r1', { environmentId, idempotency }),
      charge('r2', { environmentId: other, keyId: 'k2', idempotency }),
    ]

    const both = await settleAll(database, requests)
    await settleOne(database, hold('r3', { environmentId, idempotency: value('b') }))
    await settleOne(database, hold('r4', { environmentId: other, keyId: 'k2', idempotency: value('b') }))
    await settleOne(database, release('r3', { environmentId, idempotency: value('b') }))

    expect(both.map((each) => each.outcome)).toEqual(['settled', 'settled'])
    const idempotencyRecords = await database.db
      .selectFrom('idempotency')
      .select('request_id')
      .orderBy('request_id')
      .execute()
    expect(idempotencyRecords.map((known) => known.request_id)).toEqual(['r1', 'r2', 'r4'])
  })

  test('the charge reads the key again, so a revocation is exact', async () => {
    const { database, environmentId } = await openLedger(engine, 5)

    await settleOne(database, hold('r1', { environmentId }))
    await database.db
      .updateTable('keys')
      .set({ revoked_at: noon + 1 })
      .execute()
    const captured = await settleOne(database, capture('r1', { environmentId, at: noon + 2 }))
    const charged = await settleOne(database, charge('r2', { environmentId, at: noon + 2 }))

    const refused = { outcome: 'refused', code: 'revoked_api_key', available: 5 }
    expect([captured, charged]).toMatchObject([refused, refused])
    expect(await creditBalance(database, { ...acme, at: noon })).toEqual({ balance: 5, held: 0, available: 5 })
    expect(await verifyLedger(database)).toMatchObject({ ok: true })
  })

  test('a suspended or blocked project is refused in the charge', async () => {
    const { database, environmentId } = await openLedger(engine, 5)
    await database.db.updateTable('projects').set({ suspended: 1 }).execute()
    expect(await settleOne(database, charge('r1', { environmentId }))).toMatchObject({ code: 'project_suspended' })
    await database.db.updateTable('projects').set({ suspended: 0, billing_blocked: 1 }).execute()
    expect(await settleOne(database, charge('r2', { environmentId }))).toMatchObject({ code: 'billing_blocked' })
  })

  test('a raised ceiling and a grant apply to the next call, and a new month starts at 0', async () => {
    const { database, environmentId } = await openLedger(engine, 2)
    const december = Date.UTC(2026, 11, 1)
    const next = (id: string, at = noon) => settleOne(database, charge(id, { environmentId, at }))
    await database.db.updateTable('keys').set({ ceiling: 1 }).execute()

    expect(await next('r1')).toMatchObject({ outcome: 'settled', ceilingRemaining: 0 })
    expect(await next('r2', december - 1)).toMatchObject({ code: 'credit_ceiling_reached' })
    expect(await next('r3', december)).toMatchObject({ outcome: 'settled' })
    expect(await next('r4', december)).toMatchObject({ code: 'credit_ceiling_reached' })
    await database.db.updateTable('keys').set({ ceiling: 9 }).execute()
    expect(await next('r5', december)).toMatchObject({ code: 'out_of_credits' })
    await grantOperations.grantCredits(database, { ...acme, amount: 1, actor: 'owner', at: december })
    expect(await next('r6', december)).toMatchObject({ outcome: 'settled', available: 0, ceilingRemaining: 7 })
  })

  test('expired holds are released with their idempotency records, others stay; a start releases all', async () => {
    const { database, environmentId } = await openLedger(engine, 9)
    await settleOne(database, hold('r1', { environmentId, expiresAt: noon + 1, idempotency: value('a') }))
    await settleOne(database, hold('r2', { environmentId, expiresAt: noon + minute, idempotency: value('b') }))

    expect(await releaseHolds(database, { at: noon + 1, all: false })).toEqual({ released: 1 })
    expect(await creditBalance(database, { ...acme, at: noon })).toMatchObject({ held: 1 })
    expect(await settleOne(database, check('r3', { environmentId, idempotency: value('a') }))).toMatchObject({
      outcome: 'settled',
    })
    expect(await settleOne(database, check('r4', { environmentId, idempotency: value('b') }))).toMatchObject({
      outcome: 'running',
    })

    expect(await releaseHolds(database, { at: noon + 2, all: true })).toEqual({ released: 1 })
    expect(await creditBalance(database, { ...acme, at: noon })).toMatchObject({ held: 0, balance: 9 })
    expect(await settleOne(database, capture('r2', { environmentId }))).toMatchObject({
      outcome: 'settled',
      charged: 1,
    })
    expect(await verifyLedger(database)).toMatchObject({ ok: true })
  })

  test('expired answers are pruned, others stay', async () => {
    const { database, environmentId } = await openLedger(engine, 9)
    const idempotency = value('a')
    await settleOne(database, charge('r1', { environmentId, idempotency }))

    expect(await pruneIdempotency(database, { before: idempotency.expiresAt - 1 })).toEqual({ pruned: 0 })
    expect(await pruneIdempotency(database, { before: idempotency.expiresAt })).toEqual({ pruned: 1 })
  })

  test('free repeats are remembered across batches', async () => {
    const { database, environmentId } = await openLedger(engine, 9)
    const free = { environmentId, repeatFreeSince: noon - minute }
    await settleOne(database, charge('r1', free))
    await settleOne(database, hold('r2', { environmentId }))
    expect(await settleOne(database, capture('r2', free))).toMatchObject({ charged: 0, available: 8 })
    const later = { environmentId, at: noon + 10, repeatFreeSince: noon + 1 }
    expect(await settleOne(database, charge('r3', later))).toMatchObject({ charged: 1, available: 7 })
    const kept = await database.db.selectFrom('paid_records').select('paid_at').execute()
    expect(kept).toEqual([{ paid_at: noon + 10 }])
  })

  test('the log keeps unbilled calls, and a receipt is never overwritten', async () => {
    const { database, environmentId } = await openLedger(engine, 9)
    await settleOne(database, charge('r1', { environmentId }))
    const { call } = charge('r2')
    const known = { ...call, environmentId, keyId: 'k1', at: noon, mode: 'live' } as const
    const failed = { ...known, status: 404, source: null, credits: 0, replayOf: null }

    await logCalls(database, {
      calls: [
        { ...failed, requestId: 'r1' },
        { ...failed, requestId: 'r2', code: 'not_found' },
      ],
    })

    expect(await receipt(database, { requestId: 'r1' })).toMatchObject({ call: { status: 200, credits: 1 } })
    expect(await receipt(database, { requestId: 'r2' })).toMatchObject({
      call: { status: 404, code: 'not_found' },
      entries: [],
    })
    expect(await receipt(database, { requestId: 'r9' })).toBeNull()
  })

  test('the number of statements of a batch does not grow with its size', async () => {
    const { database, environmentId } = await openLedger(engine, 1_000)
    let statements = 0
    const noted = new NotedVersions()
    const counted: OpenDatabase = {
      ...database,
      share: (sharing, work) =>
        database.share(sharing, async ({ db, dialect }) => {
          const { run, send } = db
          const noting: RunStatement = (text, parameters) => {
            statements += 1
            return run(text, parameters)
          }
          const notingSent: RunStatement = (text, parameters) => {
            statements += 1
            return send(text, parameters)
          }
          try {
            return await work({ db: Object.assign(db, { run: noting, send: notingSent }), dialect })
          } finally {
            Object.assign(db, { run, send })
          }
        }),
    }
    const costOf = async (size: number, prefix: string) => {
      statements = 0
      const ids = Array.from({ length: size }, (_, index) => `${prefix}${index}`)
      const requests = ids.map((id) => charge(id, { environmentId, idempotency: value(id) }))
      await settleAll(counted, requests, false, noted)
      return statements
    }
    // PostgreSQL has two more: setting and resetting the lock timeout.
    const expected = engine.name === 'postgres' ? 10 : 8
    // The first answer of an environment with a version is recorded, and its key too. Further ones cost nothing more.
    expect(await costOf(1, 'first')).toBe(expected + 2)
    expect(await costOf(1, 'a')).toBe(expected)
    expect(await costOf(256, 'b')).toBe(expected)
  })

  test('64 callers on few credits: exactly as many are answered as there are credits', async () => {
    const { database, environmentId } = await openLedger(engine, 10)
    await addKey(database, environmentId, { id: 'k2', ceiling: 7 })
    const race = (keyId: string) =>
      Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          settleOne(database, charge(`${keyId} ${index}`, { environmentId, keyId })),
        ),
      )

    const atCeiling = await race('k2')
    const atBalance = await race('k1')

    expect(atCeiling.filter((each) => each.outcome === 'settled')).toHaveLength(7)
    expect(atBalance.filter((each) => each.outcome === 'settled')).toHaveLength(3)
    expect(await creditBalance(database, { ...acme, at: noon })).toEqual({ balance: 0, held: 0, available: 0 })
    expect(await verifyLedger(database)).toMatchObject({ ok: true })
  })

  test('batches over the same environments in opposite order do not block each other', async () => {
    const { database, environmentId } = await openLedger(engine, 1_000)
    const other = await addEnvironment(database, { project: 'initech', environment: 'production' }, 1_000)
    await addKey(database, other, { id: 'k2' })
    const batches = Array.from({ length: 40 }, (_, index) => {
      const pair = [charge(`a${index}`, { environmentId }), charge(`b${index}`, { environmentId: other, keyId: 'k2' })]
      return index % 2 === 0 ? pair : pair.toReversed()
    })

    await Promise.all([
      ...batches.map((requests) => settleAll(database, requests)),
      releaseHolds(database, { at: noon, all: true }),
    ])

    expect(await creditBalance(database, { ...acme, at: noon })).toMatchObject({ balance: 960 })
    expect(await verifyLedger(database)).toMatchObject({ ok: true })
  })
})
